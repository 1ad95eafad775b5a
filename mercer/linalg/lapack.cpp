#include "mercer/linalg/lapack.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/untimed.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/detail/lapack_call.h"
#include "mercer/linalg/divide_conquer.h"

#include <algorithm>
#include <limits>
#include <string>

extern "C" {
void dsterf_(const int*, double*, double*, int*);
void dstemr_(const char*, const char*, const int*, double*, double*, const double*, const double*,
             const int*, const int*, int*, double*, double*, const int*, const int*, int*, int*,
             double*, const int*, int*, const int*, int*);
}

namespace mercer {
namespace {

// Places in the workspace of dlaed2 are counted in 32 bits.
constexpr Index kLargestForAll = 30000;
// Below this size divide and conquer over everything costs less than it saves, and is the more
// robust one.
constexpr Index kAlwaysAll = 1000;
// Columns of a task.
constexpr Index kColumns = 128;

}  // namespace

const Context& one_thread() {
  static const Context context = [] {
    Context one;
    one.budget.threads = 1;
    return one;
  }();
  return context;
}

SymmetricReduction::SymmetricReduction(BlockRef matrix, const Context& context, WhenLate late)
    : matrix_(matrix), context_(context), form_(reduce_to_tridiagonal(matrix, late, context)) {
  if (form_.steps == 0) return;
  if (!complete()) go_on_untimed();
  const int n = detail::narrow(form_.steps);
  form_.diagonal.conservativeResize(n);
  values_ = form_.diagonal;
  Vector e = form_.off_diagonal;
  int info = 0;
  dsterf_(&n, values_.data(), e.data(), &info);
  detail::check_info("dsterf", info);
  values_ *= form_.unit;
}

void SymmetricReduction::go_on_untimed() { context_ = untimed(std::move(context_)); }

Block SymmetricReduction::tridiagonal_range(Index first, Index count) const {
  const int n = detail::narrow(form_.steps);
  Vector d = form_.diagonal, e(n), w(n), work(18 * static_cast<Index>(n));
  e.setZero();
  e.head(n - 1) = form_.off_diagonal.head(n - 1);
  Block z(n, count);
  const int il = detail::narrow(first + 1), iu = detail::narrow(first + count),
            columns = detail::narrow(count);
  const int size = 18 * n, integer_size = 10 * n;
  std::vector<int> support(2 * static_cast<std::size_t>(count)),
      integers(static_cast<std::size_t>(integer_size));
  const double unused = 0;
  int found = 0, info = 0, try_relative_accuracy = 1;
  dstemr_("V", "I", &n, d.data(), e.data(), &unused, &unused, &il, &iu, &found, w.data(), z.data(),
          &n, &columns, support.data(), &try_relative_accuracy, work.data(), &size, integers.data(),
          &integer_size, &info);
  detail::check_info("dstemr", info);
  MERCER_ASSERT(found == columns);
  return z;
}

bool SymmetricReduction::takes_all(Index n, Index count) {
  return n <= kAlwaysAll || (count > n / 4 && n <= kLargestForAll);
}

double SymmetricReduction::bytes(Index n, Index count) {
  const double size = static_cast<double>(n), columns = static_cast<double>(count);
  const double vectors = 8 * size * columns;
  return tridiagonal_bytes(n) +
         (takes_all(n, count) ? 16 * size * size + vectors : 2 * vectors + 8 * 150 * size);
}

// One run of neighbours, or two, at both ends of the spectrum, which are made apart.
Block SymmetricReduction::tridiagonal_ranges(const std::vector<Index>& positions) const {
  std::vector<Index> sorted = positions;
  std::ranges::sort(sorted);
  const auto count = static_cast<Index>(positions.size());
  Index low = 1;
  while (low < count && sorted[static_cast<std::size_t>(low)] == sorted[0] + low) ++low;
  const Index second = low < count ? sorted[static_cast<std::size_t>(low)] : sorted.back() + 1;
  const Block bottom = tridiagonal_range(sorted[0], low);
  const Block top = low < count ? tridiagonal_range(second, count - low) : Block();
  Block chosen(form_.steps, count);
  for (Index j = 0; j < count; ++j) {
    const Index p = positions[static_cast<std::size_t>(j)];
    chosen.col(j) = p < second ? bottom.col(p - sorted[0]) : top.col(p - second);
  }
  return chosen;
}

SymmetricReduction::Found SymmetricReduction::found(const std::vector<Index>& positions) const {
  const BlasThreadGuard guard;
  const Index n = matrix_.rows(), steps = form_.steps, count = static_cast<Index>(positions.size());
  Found found{Block(n, count), Vector::Zero(count)};
  if (count == 0) return found;
  const Block inside =
      takes_all(steps, count)
          ? tridiagonal_vectors(form_.diagonal, form_.off_diagonal, positions, context_)
          : tridiagonal_ranges(positions);
  context_.check_cancelled();
  found.residuals = form_.unit * form_.coupling * inside.row(steps - 1).cwiseAbs().transpose();
  found.vectors.topRows(steps) = inside;
  found.vectors.bottomRows(n - steps).setZero();
  apply_reflectors(matrix_, form_, found.vectors, context_);
  // The vectors that MRRR finds for close eigenvalues are not orthogonal to the last digit. Those
  // of small matrices are cheap to polish, too, which helps the scores of components of little
  // variance.
  if (steps <= kAlwaysAll || !takes_all(steps, count)) polish_orthonormal(found.vectors, context_);
  return found;
}

void polish_orthonormal(BlockRef v, const Context& context) {
  Block polished(v.rows(), v.cols());
  const std::vector<Range> parts = tiles_of(v.cols(), kColumns);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index p) {
    const Range part = parts[static_cast<std::size_t>(p)];
    Block correction = Block::Zero(v.cols(), part.size());
    correction.middleRows(part.begin, part.size()).diagonal().setConstant(1.5);
    gemm(Transpose::yes, Transpose::no, -0.5, v, v.middleCols(part.begin, part.size()), 1.0,
         correction);
    gemm(Transpose::no, Transpose::no, 1.0, v, correction, 0.0,
         polished.middleCols(part.begin, part.size()));
  });
  v = polished;
}

}  // namespace mercer
