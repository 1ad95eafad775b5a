#include "mercer/operators/row_sample.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/tall.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

namespace mercer {
namespace {

constexpr double kBytes = 32e6;
constexpr Index kMost = 128, kLeast = 32;
// Root mean square of the relative rounding to float, 2^-24 at most, as if it were uniform.
constexpr double kFloatRounding = 0x1p-24 / std::numbers::sqrt3;

Index sample_size(Index n) {
  return std::min(
      n, std::clamp(static_cast<Index>(kBytes / (8 * static_cast<double>(n))), kLeast, kMost));
}

// Lower quantile of the mean of s squares of standard normal numbers (Wilson and Hilferty).
double lower_mean_square(double failure, Index s) {
  const double z = -std::sqrt(-2 * std::log(failure)) * 0.94;  // normal quantile, from below
  const double k = 2 / (9 * static_cast<double>(s));
  return std::pow(std::max(0.05, 1 - k + z * std::sqrt(k)), 3);
}

// Calls use(columns, tile) for the chosen rows against all rows, 512 at a time.
template <class T, class Use>
void over_tiles(const GramProblem& problem, const Frame& frame, const std::vector<Index>& rows,
                const Context& context, const Use& use) {
  const TileKernel<T> kernel(problem.kernel, frame);
  const auto count = static_cast<Index>(rows.size());
  const std::vector<Range> parts = tiles_of(problem.points.n(), kTileRows);
  // Whole numbers and sparse rows have small copies; of others a part at a time is copied.
  const bool at_once = problem.whole || problem.points.sparse();
  std::unique_ptr<TilePoints<T>> all;
  std::unique_ptr<TilePoints<T>> chosen;
  Points picked;
  if (at_once) {
    all = std::make_unique<TilePoints<T>>(problem.kernel, frame, problem.points, context);
    chosen = std::make_unique<TilePoints<T>>(all->gathered(rows));
  } else {
    picked.resize(count, problem.points.dim());
    for (Index i = 0; i < count; ++i)
      problem.points.copy_row(rows[static_cast<std::size_t>(i)], picked.row(i).data());
    chosen = std::make_unique<TilePoints<T>>(problem.kernel, frame, DataView(picked), context,
                                             TilePoints<T>::Storage::dense);
  }
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range cols = parts[static_cast<std::size_t>(t)];
    typename TileKernel<T>::Scratch scratch;
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> tile(count, cols.size());
    if (at_once) {
      kernel.fill(*chosen, {0, count}, *all, cols, tile.data(), cols.size(), scratch);
    } else {
      const TilePoints<T> part(problem.kernel, frame, problem.points.rows(cols), context,
                               TilePoints<T>::Storage::dense);
      kernel.fill(*chosen, {0, count}, part, {0, cols.size()}, tile.data(), cols.size(), scratch);
    }
    use(t, cols, tile);
  });
}

}  // namespace

double RowSample::bytes(Index n) {
  return 8 * static_cast<double>(sample_size(n)) * static_cast<double>(n);
}

RowSample::RowSample(const GramProblem& problem, double failure, std::uint64_t seed,
                     const Context& context)
    : n_(problem.points.n()) {
  const Index count = sample_size(n_);
  const Random random(seed, 600);
  for (Index i = 0; i < count; ++i)
    rows_.push_back(count == n_ ? i
                                : static_cast<Index>(random.below(static_cast<std::uint64_t>(n_),
                                                                  static_cast<std::uint64_t>(i))));
  shrink_ = lower_mean_square(failure, count);
  exact_.resize(count, n_);
  const Frame frame = frame_of(problem, context);
  over_tiles<double>(problem, frame, rows_, context, [&](Index, Range cols, const auto& tile) {
    exact_.middleCols(cols.begin, cols.size()) = tile;
  });
  Vector parts = Vector::Zero((n_ + kTileRows - 1) / kTileRows);
  over_tiles<float>(problem, frame, rows_, context, [&](Index t, Range cols, const auto& tile) {
    Block error = exact_.middleCols(cols.begin, cols.size()) - tile.template cast<double>();
    // Operators take the diagonal from the formula, not from tiles.
    for (Index i = 0; i < count; ++i) {
      const Index at = rows_[static_cast<std::size_t>(i)], j = at - cols.begin;
      if (j < 0 || j >= cols.size()) continue;
      error(i, j) = exact_(i, at) - double{static_cast<float>(exact_(i, at))};
    }
    parts[t] = error.squaredNorm();
  });
  tile_error_ = upper(parts.sum() / static_cast<double>(count));
  const double vectors = kFloatRounding * upper(exact_.squaredNorm() / static_cast<double>(count));
  operator_error_ = std::hypot(tile_error_, vectors);
}

double RowSample::upper(double mean_square) const {
  return std::sqrt(static_cast<double>(n_) * mean_square / shrink_);
}

Vector RowSample::product_error(ConstBlockRef v, ConstBlockRef image, ConstBlockRef removed) const {
  const auto count = static_cast<Index>(rows_.size());
  const Index degrees = count - removed.cols();
  if (removed.cols() > 1 && degrees < count / 2)
    return Vector::Constant(v.cols(), std::numeric_limits<double>::infinity());
  Block error = exact_ * v, span(count, removed.cols());
  for (Index i = 0; i < count; ++i) {
    const Index at = rows_[static_cast<std::size_t>(i)];
    error.row(i) -= image.row(at);
    span.row(i) = removed.row(at);
  }
  // What was taken out is the part of all rows in the span; that of the sample stands for it.
  if (span.cols() > 0) error -= span * span.colPivHouseholderQr().solve(error);
  Vector bound(v.cols());
  for (Index j = 0; j < v.cols(); ++j)
    bound[j] = upper(error.col(j).squaredNorm() / static_cast<double>(std::max<Index>(1, degrees)));
  return bound;
}

}  // namespace mercer
