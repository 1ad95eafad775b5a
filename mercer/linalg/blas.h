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

/// The same of floats: a is m x k and b is k x n, as op leaves them.
struct FloatSides {
  Transpose ta, tb;
  Index m, n, k;
};
void gemm(FloatSides sides, const float* a, Index lda, const float* b, Index ldb, float beta,
          float* c, Index ldc);

/// y = alpha op(a) x + beta y, column-major.
void gemv(Transpose ta, double alpha, ConstBlockRef a, const double* x, double beta, double* y);

/// x <- x L'^-1, column-major, L a lower triangle of which nothing above the diagonal is read.
void solve_transposed(ConstBlockRef lower, BlockRef x);

/// Lower triangle of c += a' a for a row-major panel a of rows x c.rows().
void add_gram(const double* a, Index rows, Index lda, BlockRef c);
/// The same for a column-major panel.
void add_gram(ConstBlockRef a, BlockRef c);

}  // namespace mercer
