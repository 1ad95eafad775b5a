// The Gram matrix that kernel PLS multiplies by: stored as tiles where memory allows, else computed
// anew in every product. Both in double.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/operator.h"
#include "mercer/operators/problem.h"

#include <memory>

namespace mercer::detail {

struct PlsGram {
  GramProblem problem;
  MemoryAccount::Hold held;
  std::unique_ptr<SymmetricOperator> matrix;
  double trace = 0;  // of the centred matrix, in its unit
  Vector means;      // row means up to a constant, in the kernel's own unit

  /// For a kernel whose parameters are known. Throws M221, M301.
  PlsGram(DataView rows, const Kernel& kernel, const Context& context);
};

}  // namespace mercer::detail
