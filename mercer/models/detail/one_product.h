// One product with the kernel matrix of a problem, for methods that solve nothing: the cheapest
// operator that neither stores the matrix nor is named otherwise.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/operators/problem.h"

#include <string>

namespace mercer::detail {

struct KernelProduct {
  Block image;      // K a
  Vector diagonal;  // of K
  std::string operator_name;
};

/// K a. Throws M102 where the operator that the budget names cannot serve.
KernelProduct kernel_product(const GramProblem& problem, ConstBlockRef a, const Context& context);

}  // namespace mercer::detail
