// What a solver is asked and what it answers.
#pragma once

#include "mercer/core/types.h"

namespace mercer {

/// Which end of the spectrum comes first.
enum class Order { value, magnitude };

struct EigenRequest {
  Index count = 2;   // pairs wanted, at most; ignored when share > 0 or all
  double share = 0;  // smallest number of pairs whose values add up to this share of the trace
  bool all = false;  // every significant pair
  double rank_tolerance = 0;   // pairs with |value| <= this times the largest are not significant
  Order order = Order::value;  // by value: the largest; by magnitude: negative ones too
};

struct EigenResult {
  Vector values;      // in the order asked for, significant ones only
  Block vectors;      // one unit column each, signs fixed
  Vector all_values;  // the whole spectrum, descending; empty where the solver does not know it
  double trace = 0;   // of the operator
  Index wanted = 0;   // how many pairs the request came to before insignificant ones were dropped
  double next_value = 0;  // first value left out, 0 where there is none
  Index applications = 0;
  bool converged = true;
};

}  // namespace mercer
