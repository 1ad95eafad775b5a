#include "mercer/linalg/blas.h"

#include "mercer/core/check.h"
#include "mercer/linalg/detail/lapack_call.h"

#include <cblas.h>

namespace mercer {
namespace {

using detail::narrow;

// Terms of a float product that are summed at once.
constexpr Index kFloatTerms = 128;

// BLAS wants a leading dimension of at least 1 even where there is nothing.
int leading(Index value) { return narrow(value > 0 ? value : 1); }

CBLAS_TRANSPOSE of(Transpose t) { return t == Transpose::yes ? CblasTrans : CblasNoTrans; }

}  // namespace

void row_products(Index rows, Index cols, Index dim, const double* a, Index lda, const double* b,
                  Index ldb, double* out, Index ldo) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, narrow(rows), narrow(cols), narrow(dim), 1.0,
              a, leading(lda), b, leading(ldb), 0.0, out, leading(ldo));
}

void row_products(Index rows, Index cols, Index dim, const float* a, Index lda, const float* b,
                  Index ldb, float* out, Index ldo) {
  // Long sums in parts: rounding errors grow with the terms added one after the other, and those of
  // a tile are correlated. The parts cost one more read and write of the tile each.
  Index begin = 0;
  do {
    const Index left = dim - begin,
                part = left > kFloatTerms + kFloatTerms / 2 ? kFloatTerms : left;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, narrow(rows), narrow(cols), narrow(part),
                1.0F, a + begin, leading(lda), b + begin, leading(ldb), begin == 0 ? 0.0F : 1.0F,
                out, leading(ldo));
    begin += part;
  } while (begin < dim);
}

void gemm(Transpose ta, Transpose tb, double alpha, ConstBlockRef a, ConstBlockRef b, double beta,
          BlockRef c) {
  const Index inner = ta == Transpose::yes ? a.rows() : a.cols();
  MERCER_ASSERT(inner == (tb == Transpose::yes ? b.cols() : b.rows()));
  cblas_dgemm(CblasColMajor, of(ta), of(tb), narrow(c.rows()), narrow(c.cols()), narrow(inner),
              alpha, a.data(), leading(a.outerStride()), b.data(), leading(b.outerStride()), beta,
              c.data(), leading(c.outerStride()));
}

void gemm(FloatSides sides, const float* a, Index lda, const float* b, Index ldb, float beta,
          float* c, Index ldc) {
  cblas_sgemm(CblasColMajor, of(sides.ta), of(sides.tb), narrow(sides.m), narrow(sides.n),
              narrow(sides.k), 1.0F, a, leading(lda), b, leading(ldb), beta, c, leading(ldc));
}

void gemv(Transpose ta, double alpha, ConstBlockRef a, const double* x, double beta, double* y) {
  cblas_dgemv(CblasColMajor, of(ta), narrow(a.rows()), narrow(a.cols()), alpha, a.data(),
              leading(a.outerStride()), x, 1, beta, y, 1);
}

void solve_transposed(ConstBlockRef lower, BlockRef x) {
  MERCER_ASSERT(lower.rows() == lower.cols() && x.cols() == lower.rows());
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, narrow(x.rows()),
              narrow(x.cols()), 1.0, lower.data(), leading(lower.outerStride()), x.data(),
              leading(x.outerStride()));
}

void add_gram(const double* a, Index rows, Index lda, BlockRef c) {
  // A row-major panel is its transpose in column-major order: c += (a') (a')'.
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, narrow(c.rows()), narrow(rows), 1.0, a,
              leading(lda), 1.0, c.data(), leading(c.outerStride()));
}

void add_gram(ConstBlockRef a, BlockRef c) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, narrow(c.rows()), narrow(a.rows()), 1.0,
              a.data(), leading(a.outerStride()), 1.0, c.data(), leading(c.outerStride()));
}

}  // namespace mercer
