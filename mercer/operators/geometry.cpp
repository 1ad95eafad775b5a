#include "mercer/operators/geometry.h"

#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/problem.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

// Share of the tolerance that an expansion may use up: the search and rounding have the rest.
constexpr double kShare = 0.05;
// Rows that are not in the sample have more left than those that are.
constexpr double kSampleShare = 0.6;
// Sums of many terms are no better than this share of an entry.
constexpr double kLeastAllowed = 1e-14;
// Pivots tried on the sample; beyond, other ways are faster.
constexpr Index kMostRank = 420;
constexpr Index kFewRows = 50'000;
// After this many pivots it is estimated, from how far the rest has fallen until then, how many
// would be needed in all. Where these are more than the second number, none of them is used.
constexpr Index kFirstLook = 48;
constexpr double kHopeless = 2 * static_cast<double>(kMostRank);

// Low and high of every column; or, where the middle is known, the distance from it.
RowExtent extent_of(DataView points, const Placement& placement, const Vector* middle,
                    const Context& context) {
  const Index dim = points.dim();
  const std::vector<Range> parts = tiles_of(points.n(), 8192);
  std::vector<RowExtent> found(parts.size());
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    RowExtent extent{Vector::Constant(dim, HUGE_VAL), Vector::Constant(dim, -HUGE_VAL), {}};
    const Range part = parts[static_cast<std::size_t>(t)];
    Vector row(dim);
    for (Index i = part.begin; i < part.end; ++i) {
      points.copy_row(i, row.data());
      row = row * placement.scale - placement.centre;
      extent.low = extent.low.cwiseMin(row);
      extent.high = extent.high.cwiseMax(row);
      if (middle != nullptr) extent.ball = std::max(extent.ball, (row - *middle).squaredNorm());
    }
    found[static_cast<std::size_t>(t)] = std::move(extent);
  });
  RowExtent all = found[0];
  for (const RowExtent& extent : found) {
    all.low = all.low.cwiseMin(extent.low);
    all.high = all.high.cwiseMax(extent.high);
    all.ball = std::max(all.ball, extent.ball);
  }
  return all;
}

double width_of(const Kernel& kernel, double scale) {
  if (const auto* gaussian = kernel.only<Gaussian>()) return gaussian->rescaled(scale).sigma;
  if (const auto* matern = kernel.only<Matern>()) return matern->rescaled(scale).length;
  if (const auto* rough = kernel.only<Exponential>()) return rough->rescaled(scale).length;
  return 0;
}

// The kernel matrix of the sample, plain values.
Block sample_matrix(const GramProblem& problem, const Frame& frame, const Points& rows,
                    const Context& context) {
  Frame plain = frame;
  plain.less_diagonal = false;
  const TilePoints<double> points(problem.kernel, plain, rows, context,
                                  TilePoints<double>::Storage::dense);
  const TileKernel<double> tiles(problem.kernel, plain);
  TileKernel<double>::Scratch scratch;
  Block matrix(rows.rows(), rows.rows());
  const Range all{0, rows.rows()};
  tiles.fill(points, all, points, all, matrix.data(), rows.rows(), scratch);
  matrix.diagonal() = tiles.diagonal(points);
  return matrix;
}

// A lower bound of the largest eigenvalue per row: |A|_F^2 / trace(A) of the sample's matrix.
double leading_of(Block matrix, bool center) {
  const auto n = static_cast<double>(matrix.rows());
  if (center) {
    const Vector means = matrix.colwise().mean();
    matrix.colwise() -= means;
    matrix.rowwise() -= (means.array() - means.mean()).matrix().transpose();
  }
  const double trace = matrix.trace();
  return trace > 0 ? matrix.squaredNorm() / trace / n : 0;
}

// Pivoted Cholesky with the best pivots, until the mean of what is left is below `enough`.
struct Pivots {
  std::vector<Index> rows;  // none where they are too many
  bool falls = true;        // more rows may show more
};
Pivots pivots_of(const Block& matrix, double enough) {
  const Index n = matrix.rows(), most = std::min(kMostRank, n / 2);
  Vector left = matrix.diagonal();
  const double before = left.mean();
  Block factor(n, most);
  std::vector<Index> pivots;
  for (Index r = 0; r < most; ++r) {
    Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    const double mean = left.cwiseMax(0).mean();
    if (r > 0 && (mean <= enough || !(largest > 0))) return {pivots, true};
    // At best what is left falls by as much with every pivot as it has so far.
    if (r == kFirstLook &&
        std::log(enough / before) / std::log(mean / before) * static_cast<double>(r) > kHopeless)
      return Pivots{{}, false};
    pivots.push_back(pivot);
    factor.col(r) = matrix.col(pivot);
    factor.col(r).noalias() -= factor.leftCols(r) * factor.row(pivot).head(r).transpose();
    factor.col(r) /= std::sqrt(largest);
    left -= factor.col(r).cwiseAbs2();
    left[pivot] = 0;
  }
  return {};
}

// Row of the table that is number i of `count` rows spread evenly over n.
Index spread_row(Index i, Index count, Index n) {
  return static_cast<Index>(static_cast<double>(i) * static_cast<double>(n) /
                            static_cast<double>(count));
}

Points spread_rows(DataView points, Index count) {
  count = std::min(count, points.n());
  Points rows(count, points.dim());
  for (Index i = 0; i < count; ++i)
    points.copy_row(spread_row(i, count, points.n()), rows.row(i).data());
  return rows;
}

}  // namespace

std::shared_ptr<const Geometry> geometry_of(const GramProblem& problem, const Context& context) {
  const DataView points = problem.points;
  const bool served = problem.given == Given::table && !points.sparse() &&
                      points.dim() <= kFewColumns && points.n() >= 2 && problem.kernel.resolved() &&
                      problem.kernel.only<Linear>() == nullptr &&
                      problem.kernel.definite() == Definite::always;
  if (!served) return nullptr;
  const std::string_view asked = context.budget.operator_name;
  if (asked.empty() ? points.n() < kManyRows : !operator_recipe(asked).needs_geometry)
    return nullptr;
  const Frame frame = frame_of(problem, context);
  auto geometry = std::make_shared<Geometry>();
  geometry->scale = frame.scale;
  geometry->centre = frame.centre;
  geometry->constant = frame.less_diagonal;
  const Placement placement{frame.scale, frame.centre};
  const RowExtent box = extent_of(points, placement, nullptr, context);
  geometry->extent.low = box.low;
  geometry->extent.high = box.high;
  geometry->extent.middle = (box.low + box.high) / 2;
  geometry->extent.ball =
      std::sqrt(extent_of(points, placement, &geometry->extent.middle, context).ball);
  geometry->width = width_of(problem.kernel, frame.scale);
  // |dk/dr| is at most 1/width; a place is off by rounding the product and the difference.
  if (geometry->width > 0)
    geometry->placing = 4 * 0x1p-53 * std::sqrt(static_cast<double>(points.dim())) *
                        (geometry->centre.cwiseAbs() + box.high.cwiseMax(-box.low)).maxCoeff() /
                        geometry->width;
  for (const Index count : {kFewSampleRows, kSampleRows}) {
    const Points raw = spread_rows(points, count);
    geometry->sample.rows = placement.rows(raw, {0, raw.rows()});
    const Block matrix = sample_matrix(problem, frame, raw, context);
    geometry->sample.leading = leading_of(matrix, problem.center);
    geometry->allowed = kShare * problem.tolerance * geometry->sample.leading;
    if (!(geometry->allowed > kLeastAllowed * matrix.diagonal().maxCoeff())) {
      geometry->allowed = 0;
      return geometry;
    }
    const Pivots found = pivots_of(matrix, kSampleShare * geometry->allowed);
    for (const Index pivot : found.rows)
      geometry->sample.pivots.push_back(spread_row(pivot, raw.rows(), points.n()));
    if (!geometry->sample.pivots.empty() || !found.falls || raw.rows() < count) break;
  }
  geometry->sample.rank = static_cast<Index>(geometry->sample.pivots.size());
  geometry->every_way = !context.budget.operator_name.empty();
  geometry->allow(geometry->allowed, problem);
  return geometry;
}

std::optional<std::string> refuse_expansion(const GramProblem& problem, const Budget& budget) {
  if (problem.given != Given::table) return "the matrix is given";
  if (budget.precision == Precision::single_) return "it computes in double only";
  const std::string_view asked = budget.operator_name;
  if (problem.facts.geometry == nullptr && !asked.empty() && !operator_recipe(asked).needs_geometry)
    return "not the one asked for";
  if (problem.facts.geometry == nullptr) return "too few rows, or too many columns";
  if (problem.facts.geometry->constant) return "the kernel is nearly constant";
  if (problem.facts.geometry->allowed == 0) return "the tolerance leaves no room for an expansion";
  return std::nullopt;
}

void Geometry::allow(double eps, const GramProblem& problem) {
  allowed = eps;
  // These take some milliseconds to find, and few rows with few columns need neither.
  if (sample.rank > 0 && problem.points.n() <= kFewRows && !every_way) return;
  if (problem.kernel.only<Gaussian>() != nullptr) clusters = cluster_shape(sample.rows, width, eps);
  near = near_shape(sample.rows, problem.kernel, scale, problem.points.n(), eps);
}

}  // namespace mercer
