#include "mercer/linalg/skinny.h"

#include "mercer/core/check.h"
#include "mercer/core/cpu.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/skinny_loops.h"

#include <algorithm>
#include <type_traits>

namespace mercer {
namespace {

constexpr Index kLine = 64;  // bytes: a cache line, and the widest register

const LevelSkinny& loops() {
  static const LevelSkinny chosen =
      MERCER_OF_LEVEL(baseline::skinny_loops, v3::skinny_loops, v4::skinny_loops)();
  return chosen;
}

template <class T>
Index whole_lines(Index count) {
  constexpr Index line = kLine / static_cast<Index>(sizeof(T));
  return (count + line - 1) / line * line;
}

// Rows of a power of two would all fall into a few sets of the cache.
template <class T>
Index row_stride(Index b) {
  constexpr Index line = kLine / static_cast<Index>(sizeof(T));
  if (b < 2 * line) return b;
  const Index lines = whole_lines<T>(b) / line;
  return (lines | 1) * line;
}

Index parts_of(Index n, Index part) { return (n + part - 1) / part; }

}  // namespace

template <class T>
SkinnyProduct<T>::SkinnyProduct(ConstBlockRef x, Index part, const Context& context,
                                const Vector* units)
    : n_(x.rows()),
      b_(x.cols()),
      part_(part),
      ldc_(whole_lines<T>(std::min(part, x.rows()))),
      ldr_(row_stride<T>(x.cols())),
      by_columns_(parts_of(n_, part) * ldc_ * b_),
      by_rows_(n_ * ldr_) {
  MERCER_ASSERT(part > 0);
  const std::vector<Range> parts = tiles_of(n_, part);
  parallel_for(context, static_cast<Index>(parts.size()),
               [&](Index p) { pack(x, parts[static_cast<std::size_t>(p)], units); });
}

template <class T>
std::uint64_t SkinnyProduct<T>::bytes(Index n, Index b, Index part) {
  const Index columns = parts_of(n, part) * whole_lines<T>(std::min(part, n)) * b;
  return static_cast<std::uint64_t>(columns + n * row_stride<T>(b)) * sizeof(T);
}

template <class T>
void SkinnyProduct<T>::pack(ConstBlockRef x, Range rows, const Vector* units) {
  T* columns = by_columns_.data() + rows.begin / part_ * ldc_ * b_;
  T* plain = by_rows_.data() + rows.begin * ldr_;
  for (Index c = 0; c < b_; ++c) {
    const double* from = &x.coeffRef(rows.begin, c);
    T* to = columns + c * ldc_;
    const double factor = units != nullptr ? 1 / (*units)[c] : 1;
    for (Index i = 0; i < rows.size(); ++i) {
      to[i] = static_cast<T>(from[i] * factor);
      plain[i * ldr_ + c] = to[i];
    }
    std::fill(to + rows.size(), to + ldc_, T(0));
  }
}

template <class T>
void SkinnyProduct<T>::add(const T* tile, Index ld, Range rows, Range cols, BlockRef y,
                           Scratch& scratch) const {
  run(tile, ld, rows, cols, y, scratch, rows != cols);
}

template <class T>
void SkinnyProduct<T>::add_rows(const T* tile, Index ld, Range rows, Range cols, BlockRef y,
                                Scratch& scratch) const {
  run(tile, ld, rows, cols, y, scratch, false);
}

template <class T>
void SkinnyProduct<T>::run(const T* tile, Index ld, Range rows, Range cols, BlockRef& y,
                           Scratch& scratch, bool both) const {
  MERCER_ASSERT(cols.begin % part_ == 0 && cols.size() <= part_ && cols.end <= n_);
  MERCER_ASSERT(y.cols() == b_ && rows.end <= y.rows() && ld >= cols.size());
  if (rows.size() == 0 || cols.size() == 0 || b_ == 0) return;
  scratch.edge.resize(kSkinnyEdge / sizeof(T));
  SkinnyTile<T> job = {};
  job.tile = tile;
  job.ld = ld;
  job.rows = rows.size();
  job.cols = cols.size();
  job.x_cols = by_columns_.data() + cols.begin / part_ * ldc_ * b_;
  job.ldc = ldc_;
  job.x_rows = both ? by_rows_.data() + rows.begin * ldr_ : nullptr;
  job.ldr = ldr_;
  job.y_rows = y.data() + rows.begin;
  job.y_cols = both ? y.data() + cols.begin : nullptr;
  job.ldy = y.outerStride();
  job.width = b_;
  job.edge = scratch.edge.data();
  job.next = scratch.next;
  if constexpr (std::is_same_v<T, float>)
    loops().add_single(job);
  else
    loops().add_double(job);
}

template class SkinnyProduct<float>;
template class SkinnyProduct<double>;

template <>
double sum_of_squares(const float* tile, Index rows, Index cols, Index ld) {
  return loops().squares_single(tile, rows, cols, ld);
}
template <>
double sum_of_squares(const double* tile, Index rows, Index cols, Index ld) {
  return loops().squares_double(tile, rows, cols, ld);
}

}  // namespace mercer
