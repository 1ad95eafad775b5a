// Matrix products: the only CBLAS calls of the library. Raw pointers, so that tiles may live in
// scratch memory. One thread each; callers cut the work into tiles and hold a BlasThreadGuard
// through parallel_for.
#pragma once

#include "mercer/core/types.h"

namespace mercer {

/// out = a b', all row-major: out(i, j) = sum_k a(i, k) b(j, k) for `rows` x `cols`, inner length
/// `dim`.
void row_products(Index rows, Index cols, Index dim, const double* a, Index lda, const double* b,
                  Index ldb, double* out, Index ldo);
void row_products(Index rows, Index cols, Index dim, const float* a, Index lda, const float* b,
                  Index ldb, float* out, Index ldo);

enum class Transpose { no, yes };

/// c = alpha op(a) op(b) + beta c, column-major.
void gemm(Transpose ta, Transpose tb, double alpha, ConstBlockRef a, ConstBlockRef b, double beta,
          BlockRef c);

/// y = alpha op(a) x + beta y, column-major.
void gemv(Transpose ta, double alpha, ConstBlockRef a, const double* x, double beta, double* y);

/// y = a x for a symmetric a, of which the lower triangle is read.
void symv(ConstBlockRef a, const double* x, double* y);

/// Lower triangle of c += a' a for a row-major panel a of rows x c.rows().
void add_gram(const double* a, Index rows, Index lda, BlockRef c);
/// The same for a column-major panel.
void add_gram(ConstBlockRef a, BlockRef c);

}  // namespace mercer
