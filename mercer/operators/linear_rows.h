// Rows for linear methods: centred where features are, multiplied by a power of two so that squares
// stay in range.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/kernels/frame.h"
#include "mercer/operators/problem.h"

#include <optional>
#include <string>

namespace mercer {

struct LinearRows {
  Points rows;  // (x * scale - centre), or x * scale where features are not centred
  Frame frame;
  double factor;    // eigenvalues of these rows times this are those of the problem in its unit:
  double unit = 1;  // factor * unit = 1/scale^2

  LinearRows(const GramProblem& problem, const Context& context);
};

/// Why the linear operators cannot serve a problem, or nothing.
std::optional<std::string> refuse_unless_linear(const GramProblem& problem);

}  // namespace mercer
