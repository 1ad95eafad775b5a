#include "mercer/operators/stored_factor.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"

namespace mercer {

void StoredFactor::multiply(ConstBlockRef x, BlockRef y) const {
  const BlasThreadGuard guard;
  gemm(Transpose::no, Transpose::no, 1.0, matrix_, x, 0.0, y);
}

void StoredFactor::apply(ConstBlockRef x, BlockRef y, PassSums* sums,
                         const Context& context) const {
  context.check_cancelled();
  multiply(x, y);
  if (sums == nullptr) return;
  sums->row_sums = matrix_.rowwise().sum();
  sums->trace = matrix_.trace();
  sums->frobenius_squared = matrix_.squaredNorm();
  sums->frobenius_error = 0x1p-50;
}

}  // namespace mercer
