// One product with the kernel matrix of a problem, for methods that solve nothing, by the cheapest
// operator: tiles that are forgotten, a matrix that was given, or features whose products are the
// kernel.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/problem.h"

#include <optional>
#include <string>

namespace mercer::detail {

struct KernelProduct {
  Block image;      // K a; where there is a scorer, of the kernel with centred features
  Vector diagonal;  // of K; empty where there is a scorer
  /// Where the kernel has features: what gives (k~(x, x_i))_i a t of a new row without the rows.
  std::optional<Scorer> scorer;
  std::string operator_name;
};

/// K a. Throws M102 where the operator that the budget names cannot serve. `t`: the combinations of
/// columns of a that a scorer is for.
KernelProduct kernel_product(const GramProblem& problem, ConstBlockRef a, const Block& t,
                             const Context& context);

}  // namespace mercer::detail
