#include "mercer/linalg/lapack.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"

#include <algorithm>
#include <limits>
#include <string>

extern "C" {
void dsytrd_(const char*, const int*, double*, const int*, double*, double*, double*, double*,
             const int*, int*);
void dsterf_(const int*, double*, double*, int*);
void dstedc_(const char*, const int*, double*, double*, double*, const int*, double*, const int*,
             int*, const int*, int*);
void dstemr_(const char*, const char*, const int*, double*, double*, const double*, const double*,
             const int*, const int*, int*, double*, double*, const int*, const int*, int*, int*,
             double*, const int*, int*, const int*, int*);
void dormtr_(const char*, const char*, const char*, const int*, const int*, double*, const int*,
             const double*, double*, const int*, double*, const int*, int*);
}

namespace mercer {
namespace {

// dstedc counts its workspace in 32 bits: 1 + 4 n + n^2 must not overflow.
constexpr Index kLargestForAll = 30000;
// Below this size divide and conquer over everything costs less than it saves, and is the more
// robust one.
constexpr Index kAlwaysAll = 1000;

int narrow(Index value) {
  if (value > std::numeric_limits<int>::max())
    throw Error(ErrorCode::over_memory, "a matrix dimension exceeds 2147483647");
  return static_cast<int>(value);
}

void check(const char* routine, int info) {
  if (info == 0) return;
  throw Error(ErrorCode::not_converged,
              std::string("LAPACK's ") + routine + " failed with info = " + std::to_string(info),
              "check the data for extreme values");
}

}  // namespace

SymmetricReduction::SymmetricReduction(BlockRef matrix)
    : matrix_(matrix),
      diagonal_(matrix.rows()),
      off_diagonal_(std::max<Index>(1, matrix.rows() - 1)),
      reflectors_(std::max<Index>(1, matrix.rows() - 1)) {
  const BlasThreadGuard guard;
  const int n = narrow(matrix.rows()), lda = narrow(std::max<Index>(1, matrix.outerStride()));
  off_diagonal_.setZero();
  if (n == 0) return;
  int info = 0, query = -1;
  double best = 0;
  dsytrd_("L", &n, matrix_.data(), &lda, diagonal_.data(), off_diagonal_.data(), reflectors_.data(),
          &best, &query, &info);
  check("dsytrd", info);
  const int size = std::max(1, static_cast<int>(best));
  Vector work(size);
  dsytrd_("L", &n, matrix_.data(), &lda, diagonal_.data(), off_diagonal_.data(), reflectors_.data(),
          work.data(), &size, &info);
  check("dsytrd", info);

  values_ = diagonal_;
  Vector e = off_diagonal_;
  dsterf_(&n, values_.data(), e.data(), &info);
  check("dsterf", info);
}

Block SymmetricReduction::tridiagonal_all() const {
  const int n = narrow(diagonal_.size());
  Vector d = diagonal_, e = off_diagonal_;
  Block z(n, n);
  int info = 0;
  const int size = 1 + 4 * n + n * n, integer_size = 3 + 5 * n;
  Vector work(size);
  std::vector<int> integers(static_cast<std::size_t>(integer_size));
  dstedc_("I", &n, d.data(), e.data(), z.data(), &n, work.data(), &size, integers.data(),
          &integer_size, &info);
  check("dstedc", info);
  return z;
}

Block SymmetricReduction::tridiagonal_range(Index first, Index count) const {
  const int n = narrow(diagonal_.size());
  Vector d = diagonal_, e(n), w(n), work(18 * static_cast<Index>(n));
  e.setZero();
  e.head(n - 1) = off_diagonal_.head(n - 1);
  Block z(n, count);
  const int il = narrow(first + 1), iu = narrow(first + count), columns = narrow(count);
  const int size = 18 * n, integer_size = 10 * n;
  std::vector<int> support(2 * static_cast<std::size_t>(count)),
      integers(static_cast<std::size_t>(integer_size));
  const double unused = 0;
  int found = 0, info = 0, try_relative_accuracy = 1;
  dstemr_("V", "I", &n, d.data(), e.data(), &unused, &unused, &il, &iu, &found, w.data(), z.data(),
          &n, &columns, support.data(), &try_relative_accuracy, work.data(), &size, integers.data(),
          &integer_size, &info);
  check("dstemr", info);
  MERCER_ASSERT(found == columns);
  return z;
}

bool SymmetricReduction::takes_all(Index n, Index count) {
  return n <= kAlwaysAll || (count > n / 4 && n <= kLargestForAll);
}

double SymmetricReduction::bytes(Index n, Index count) {
  const double size = static_cast<double>(n), columns = static_cast<double>(count);
  const double vectors = 8 * size * columns;
  return takes_all(n, count) ? 16 * size * size + vectors : 2 * vectors + 8 * 150 * size;
}

Block SymmetricReduction::vectors(const std::vector<Index>& positions) const {
  const BlasThreadGuard guard;
  const Index n = diagonal_.size(), count = static_cast<Index>(positions.size());
  Block chosen(n, count);
  if (count == 0) return chosen;
  if (takes_all(n, count)) {
    const Block all = tridiagonal_all();
    for (Index j = 0; j < count; ++j)
      chosen.col(j) = all.col(positions[static_cast<std::size_t>(j)]);
  } else {
    const Index first = *std::ranges::min_element(positions),
                last = *std::ranges::max_element(positions);
    const bool one_range = last - first + 1 == count;
    if (one_range) {
      const Block range = tridiagonal_range(first, count);
      for (Index j = 0; j < count; ++j)
        chosen.col(j) = range.col(positions[static_cast<std::size_t>(j)] - first);
    } else {  // both ends of the spectrum: the two runs are made apart
      std::vector<Index> sorted = positions;
      std::ranges::sort(sorted);
      std::size_t split = 1;
      while (sorted[split] == sorted[split - 1] + 1) ++split;
      const auto low = static_cast<Index>(split);
      const Block bottom = tridiagonal_range(sorted.front(), low);
      const Block top = tridiagonal_range(sorted[split], count - low);
      for (Index j = 0; j < count; ++j) {
        const Index p = positions[static_cast<std::size_t>(j)];
        chosen.col(j) =
            p < sorted[split] ? bottom.col(p - sorted.front()) : top.col(p - sorted[split]);
      }
    }
  }

  // Back from the tridiagonal basis: multiply by the reflectors that dsytrd left below the
  // diagonal.
  const int rows = narrow(n), columns = narrow(count),
            lda = narrow(std::max<Index>(1, matrix_.outerStride()));
  int info = 0, query = -1;
  double best = 0;
  auto* a = const_cast<double*>(matrix_.data());  // dormtr changes it and puts it back
  dormtr_("L", "L", "N", &rows, &columns, a, &lda, reflectors_.data(), chosen.data(), &rows, &best,
          &query, &info);
  const int size = std::max(1, static_cast<int>(best));
  Vector work(size);
  dormtr_("L", "L", "N", &rows, &columns, a, &lda, reflectors_.data(), chosen.data(), &rows,
          work.data(), &size, &info);
  check("dormtr", info);
  polish_orthonormal(chosen);
  return chosen;
}

void polish_orthonormal(BlockRef v) {
  if (v.cols() == 0) return;
  const BlasThreadGuard guard;
  Block correction = 1.5 * Block::Identity(v.cols(), v.cols());
  gemm(Transpose::yes, Transpose::no, -0.5, v, v, 1.0, correction);
  Block polished(v.rows(), v.cols());
  gemm(Transpose::no, Transpose::no, 1.0, v, correction, 0.0, polished);
  v = polished;
}

}  // namespace mercer
