// The units in which operators and solvers price themselves.
#pragma once

#include "mercer/core/index.h"

#include <cstdint>
#include <string_view>

namespace mercer {

/// Where rates come from: listed in the sources for a processor that is not this one, listed for
/// this one, measured in a moment, or measured when asked to.
enum class RateOrigin { estimated, listed, quick, measured };

constexpr std::string_view name_of(RateOrigin origin) {
  switch (origin) {
    case RateOrigin::listed:
      return "listed";
    case RateOrigin::quick:
      return "quick";
    case RateOrigin::measured:
      return "measured";
    case RateOrigin::estimated:
      break;
  }
  return "estimated";
}

/// What one core of a machine does per second; the planner's tables and `bench/micro` fill it.
struct Machine {
  double gemm_double = 8e9;  // floating-point operations, large matrix products
  double gemm_single = 16e9;
  double map_double = 2e8;  // kernel values from products, such as exp
  double map_single = 4e8;
  double bandwidth = 8e9;      // bytes streamed from memory
  double integer = 16e9;       // operations of exact products of 8-bit numbers
  double skinny_single = 8e9;  // operations, a stored matrix times few columns
  double skinny_double = 4e9;
  double tridiagonal = 2e9;  // operations of the reduction to tridiagonal form, one thread
  Index threads = 1;         // for predicted times only, never for a choice
  RateOrigin origin = RateOrigin::estimated;
};

/// Price of an operator or a solver.
struct Cost {
  double setup_seconds = 0;     // one thread's work, before the first product
  double pass_seconds = 0;      // one product with a block
  double form_seconds = 0;      // writing the matrix out, for dense solvers
  std::uint64_t bytes = 0;      // peak, besides the caller's data
  double error = 0;             // relative error of the operator against the exact one
  double entry_columns = 0;     // cost of an entry that is computed anew, in columns of the product
  double terms = 0;             // of an expansion: how many, and
  const char* terms_name = "";  // what they are called: modes, features, clusters
};

}  // namespace mercer
