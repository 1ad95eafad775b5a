#include "mercer/models/detail/discriminant/biased.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Directions of less than this share of the first are rounding.
constexpr double kLeastDirection = 1e-12;
// The positive scatter is singular where a pivot of its factorisation is below this share of the
// largest entry: scores have about ten digits.
constexpr double kLeastPositive = 1e-10;

// Rows of z, a column for each.
Block columns_of(const KernelRange& range, const std::vector<Index>& rows) {
  return range.mu.cwiseSqrt().asDiagonal() * range.units_of(rows).transpose();
}

// An orthonormal basis of the columns of both, or nothing where it would be all of the space.
Block labelled_span(const Block& positive, const Block& negative, const Context& context) {
  if (positive.cols() + negative.cols() >= positive.rows()) return {};
  Block both(positive.rows(), positive.cols() + negative.cols());
  both << positive, negative;
  const double scale = both.colwise().norm().maxCoeff();
  return orthonormal(std::move(both), Block(positive.rows(), 0), scale, context);
}

// The directions among the columns of p and q, which are rows less the positive mean: values, and w
// for each.
struct SmallBiased {
  Vector values;
  Block w;
};

SmallBiased solve_among(const Block& p, const Block& q, double ridge, double added,
                        const Context& context) {
  Block within = (1 - ridge) * self_products(p.transpose().eval(), context);
  within.diagonal().array() += added;
  const Eigen::LLT<Block> lower(within);
  const double least =
      lower.info() == Eigen::Success ? lower.matrixLLT().diagonal().cwiseAbs2().minCoeff() : 0;
  if (ridge == 0 && !(least > kLeastPositive * within.diagonal().maxCoeff()))
    throw Error(ErrorCode::singular_within,
                fmt::format("ridge = 0: {} positive rows do not vary in all {} directions of the "
                            "labelled rows",
                            p.cols(), within.rows()),
                "try --ridge 0.01");
  const Block turned = lower.matrixL().solve(q);
  Block reduced = self_products(turned.transpose().eval(), context);
  const SymmetricReduction reduction(reduced, context);
  const Vector& all = reduction.values();  // ascending
  const Index most = std::min({p.cols(), q.cols(), all.size()});
  const double largest = all[all.size() - 1];
  if (!(largest > 0))
    throw Error(ErrorCode::nothing_to_learn, "the negative rows are at the positive mean",
                "give negative examples that differ from the positive ones");
  std::vector<Index> positions;
  for (Index j = 0; j < most && all[all.size() - 1 - j] > kLeastDirection * largest; ++j)
    positions.push_back(all.size() - 1 - j);
  const auto kept = static_cast<Index>(positions.size());
  return {all.tail(kept).reverse(), lower.matrixU().solve(reduction.vectors(positions))};
}

// The largest value of a negative row positive in each direction.
void fix_signs_by_rows(const Block& q, Block& w) {
  for (Index j = 0; j < w.cols(); ++j) {
    const Vector seen = q.transpose() * w.col(j);
    Index largest = 0;
    seen.cwiseAbs().maxCoeff(&largest);
    if (seen[largest] < 0) w.col(j) *= -1;
  }
}

}  // namespace

BiasedDirections biased_directions(const KernelRange& range, const std::vector<Index>& positive,
                                   const std::vector<Index>& negative, double ridge,
                                   const Context& context) {
  Block p = columns_of(range, positive), q = columns_of(range, negative);
  const Vector mean = p.rowwise().mean();
  p.colwise() -= mean;
  q.colwise() -= mean;
  const double trace = p.squaredNorm();
  if (!(trace > kLeastPositive * (trace + q.squaredNorm())))
    throw Error(ErrorCode::singular_within,
                fmt::format("the {} positive rows are the same: nothing varies among them",
                            positive.size()),
                "give positive examples that differ");
  const Block span = labelled_span(p, q, context);
  if (span.size() > 0) {
    p = inner_products(span, p, context);
    q = inner_products(span, q, context);
  }
  SmallBiased small =
      solve_among(p, q, ridge, ridge * trace / static_cast<double>(range.rank()), context);
  fix_signs_by_rows(q, small.w);
  Block w = span.size() > 0 ? product(span, small.w, context) : std::move(small.w);
  w *= small.values.cwiseSqrt().asDiagonal();
  BiasedDirections found;
  found.values = std::move(small.values);
  found.mean = w.transpose() * mean;
  found.along = range.mu.cwiseSqrt().asDiagonal() * w;
  return found;
}

}  // namespace mercer::detail
