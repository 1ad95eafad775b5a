#include "mercer/operators/row_draw.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index kDrawChunk = 1024;  // rows of a task
constexpr Index kOwn = 8;           // draws that a vector needs where it lives
// Draws for single vectors, at most: some, or a part of the rows.
constexpr Index kMostOwn = 128, kPartOwn = 16;
// Shares of the draws: even ones, by rounding, by the diagonal, by sums times rounding.
constexpr double kEven = 0.38, kByRounding = 0.22, kByDiagonal = 0.12, kBySums = 0.28;

Index part_of(Index count, double share) {
  return std::max<Index>(1, static_cast<Index>(std::lround(static_cast<double>(count) * share)));
}

}  // namespace

Vector rounding_by_length(const GramProblem& problem, const Frame& frame, const Context& context) {
  const Index n = problem.points.n();
  const double at_most = entry_error(problem.kernel, frame, problem.points.dim(),
                                     Precision::single_, problem.facts.integer_tiles) /
                             0x1p-24 -
                         4;
  Vector sizes = Vector::Constant(n, 4);
  if (!(at_most > 0) || !(frame.reach > 0) || !std::isfinite(at_most)) return sizes;
  const double growth = at_most / (frame.reach * frame.reach);
  const std::vector<Range> chunks = tiles_of(n, kDrawChunk);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector row(problem.points.dim());
    const Range chunk = chunks[static_cast<std::size_t>(t)];
    for (Index i = chunk.begin; i < chunk.end; ++i) {
      problem.points.copy_row(i, row.data());
      row *= frame.scale;
      if (frame.centre.size() > 0) row -= frame.centre;
      sizes[i] += growth * row.squaredNorm();
    }
  });
  return sizes;
}

RowDraw::RowDraw(Index n, const RowSizes& sizes, Index count, ConstBlockRef vectors,
                 std::uint64_t seed, std::uint64_t stream)
    : n_(n),
      seed_(seed),
      stream_(stream),
      chances_(Vector::Zero(n)),
      blind_(static_cast<std::size_t>(vectors.cols()), false) {
  require(vectors.cols() == 0 || vectors.rows() == n, ErrorCode::internal,
          "vectors of another space than the rows");
  everything_ = n <= 2 * count;  // hardly more work
  if (everything_) {
    for (Index i = 0; i < n; ++i) rows_.push_back(i);
    times_ = expected_ = Vector::Ones(n);
    return;
  }
  draw(Vector::Ones(n), part_of(count, kEven), 0);
  const Vector squares = sizes.rounding.cwiseAbs2();
  draw(squares, part_of(count, kByRounding), 1);
  draw(sizes.diagonal.cwiseAbs(), part_of(count, kByDiagonal), 2);
  if (sizes.sums.size() == n)
    draw(squares.cwiseProduct(sizes.sums.cwiseAbs()), part_of(count, kBySums), 3);
  const Index most = std::max(kMostOwn, n / kPartOwn);
  Index own = 0;
  for (Index j = 0; j < vectors.cols(); ++j) {
    const Vector weights = vectors.col(j).cwiseAbs2();
    const double spread = weights.cwiseAbs2().cwiseQuotient(chances_).sum();
    const double sum = weights.sum();
    if (sum * sum >= static_cast<double>(kOwn) * spread) continue;
    if (own + kOwn > most) {
      blind_[static_cast<std::size_t>(j)] = true;
      continue;
    }
    draw(weights, kOwn, 4 + static_cast<std::uint64_t>(j));
    own += kOwn;
  }
  std::ranges::sort(drawn_);
  std::vector<double> times;
  for (const Index i : drawn_) {
    if (!rows_.empty() && rows_.back() == i) {
      ++times.back();
      continue;
    }
    rows_.push_back(i);
    times.push_back(1);
  }
  times_ = Eigen::Map<const Vector>(times.data(), static_cast<Index>(times.size()));
  expected_.resize(times_.size());
  for (Index i = 0; i < times_.size(); ++i)
    expected_[i] = chances_[rows_[static_cast<std::size_t>(i)]];
}

// Evenly spaced places in the running sum of the weights, from a random start: a row of weight w is
// met w times the number of draws over the sum, rounded up or down.
void RowDraw::draw(const Vector& weights, Index count, std::uint64_t number) {
  const double sum = weights.sum();
  if (weights.size() != n_ || !(sum > 0) || !std::isfinite(sum)) return;
  const double step = sum / static_cast<double>(count);
  double next = Random(seed_, stream_).uniform(number) * step, running = 0;
  Index made = 0;
  for (Index i = 0; i < n_; ++i) {
    running += weights[i];
    for (; made < count && next < running; ++made, next += step) drawn_.push_back(i);
  }
  chances_ += weights / step;
}

}  // namespace mercer
