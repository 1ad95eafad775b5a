// What rounding can do to an eigenproblem: a bound of |A - B|_2 for A, the matrix that an operator
// multiplies by, as computed, and B, the (centred) kernel matrix of the rows in exact arithmetic.
// Every error of an entry is relative to the largest entry, not to the largest eigenvalue: where
// centring takes most of the matrix away that is a difference.
#pragma once

#include "mercer/linalg/operator.h"
#include "mercer/operators/problem.h"

namespace mercer {

/// For float64 tiles, factors and given matrices, in the unit of the operator; what float tiles add
/// is measured by RowSample.
double rounding_bound(const GramProblem& problem, const SymmetricOperator& gram,
                      const Context& context);

}  // namespace mercer
