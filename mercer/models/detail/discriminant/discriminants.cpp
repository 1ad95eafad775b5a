#include "mercer/models/detail/discriminant/discriminants.h"

#include "mercer/core/text.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Below this share of the total scatter of a direction, what varies within classes is rounding: the
// scores of rows have about as many digits as the last components of the kernel, ten.
constexpr double kNothingWithin = 1e-10;
// The same of what lies between classes.
constexpr double kNothingBetween = 1e-13;

// Eigenpairs of a small symmetric matrix, the largest first.
struct SmallPairs {
  Vector values;
  Block vectors;
};

SmallPairs all_pairs(Block matrix, const Context& context) {
  const Index size = matrix.rows();
  const SymmetricReduction reduction(matrix, context);
  std::vector<Index> positions;
  for (Index j = size - 1; j >= 0; --j) positions.push_back(j);
  return {reduction.values().reverse(), reduction.vectors(positions)};
}

// Scores less the mean of their class.
Block within_scores(const Block& scores, const Block& means, const ClassCounts& classes) {
  Block apart = scores;
  for (Index j = 0; j < apart.cols(); ++j)
    for (Index i = 0; i < apart.rows(); ++i)
      apart(i, j) -= means(classes.of_row()[static_cast<std::size_t>(i)], j);
  return apart;
}

Block means_of(const Block& scores, const ClassCounts& classes) {
  Block means = Block::Zero(classes.count(), scores.cols());
  for (Index j = 0; j < scores.cols(); ++j)
    for (Index i = 0; i < scores.rows(); ++i)
      means(classes.of_row()[static_cast<std::size_t>(i)], j) += scores(i, j);
  for (Index c = 0; c < classes.count(); ++c)
    if (classes.size(c) > 0) means.row(c) /= classes.size(c);
  return means;
}

[[noreturn]] void refuse_singular(bool nothing, double try_share) {
  if (nothing)
    throw Error(ErrorCode::singular_within,
                "the rows of every class are the same: nothing varies within classes",
                "the classes are told apart by any column in which they differ");
  throw Error(
      ErrorCode::singular_within,
      "ridge = 0: within classes nothing varies in a direction in which their means differ",
      fmt::format("try --ridge {}, or leave it to the fit: --ridge auto", brief(try_share, 2)));
}

// The trace of S_w, as what the means of the classes leave of that of T.
bool nothing_within(const KernelRange& range, const ClassCounts& classes, const Block& sums) {
  double left = range.trace;
  for (Index c = 0; c < classes.count(); ++c)
    if (classes.size(c) > 0)
      left -= range.mu.dot(Vector(sums.col(c).cwiseAbs2())) / classes.size(c);
  return left < kNothingWithin * range.trace;
}

// The entry of largest magnitude of each column positive, of class means: whatever the order of the
// rows.
void fix_signs_by_means(Discriminants& found) {
  for (Index j = 0; j < found.means.cols(); ++j) {
    Index largest = 0;
    found.means.col(j).cwiseAbs().maxCoeff(&largest);
    if (found.means(largest, j) > 0) continue;
    found.means.col(j) *= -1;
    found.along.col(j) *= -1;
    found.scores.col(j) *= -1;
  }
}

// Directions of the problem of the size of the classes.
Block first_directions(const KernelRange& range, const ClassCounts& classes, const Block& sums,
                       double ridge, const Context& context) {
  const auto wide = static_cast<std::uint64_t>(classes.count());
  const MemoryAccount::Hold held =
      context.hold(3 * sizeof(double) * wide * wide, "the products of the classes");
  const Vector kept = range.mu.array() / (range.mu.array() + ridge);
  Block b = sums;
  for (Index c = 0; c < classes.count(); ++c)
    if (classes.size(c) > 0) b.col(c) /= std::sqrt(classes.size(c));
  const Block weighted = kept.cwiseSqrt().asDiagonal() * b;
  const SmallPairs pairs = all_pairs(self_products(weighted, context), context);
  const Index most = std::min(classes.present - 1, range.rank());
  Index count = 0;
  while (count < most && pairs.values[count] > kNothingBetween) ++count;
  if (count == 0)
    throw Error(ErrorCode::nothing_to_learn,
                "the classes have the same mean: nothing in the columns tells them apart",
                "check that the right column holds the classes, or try another kernel");
  return kept.asDiagonal() * (b * pairs.vectors.leftCols(count));
}

}  // namespace

Block class_sums(const KernelRange& range, const ClassCounts& classes, const Context& context) {
  return range.group_sums(classes.of_row(), classes.count(), context);
}

Discriminants find_discriminants(const KernelRange& range, const ClassCounts& classes,
                                 const Block& sums, double ridge, double try_share,
                                 const Context& context) {
  Discriminants found;
  found.along = first_directions(range, classes, sums, ridge, context);
  found.scores = range.values(found.along, context);
  found.means = means_of(found.scores, classes);
  const Block apart = within_scores(found.scores, found.means, classes);
  Block within = self_products(apart, context);
  const Block weighted =
      Vector(range.mu.cwiseSqrt().cwiseInverse()).asDiagonal() * found.along;  // of z
  Vector sizes(classes.count());
  for (Index c = 0; c < classes.count(); ++c) sizes[c] = classes.size(c);
  const Block roots = sizes.cwiseSqrt().asDiagonal() * found.means;
  const Block between = self_products(roots, context);
  const Vector total = within.diagonal() + between.diagonal();
  const Vector share = within.diagonal().cwiseQuotient(total);
  const bool nothing = nothing_within(range, classes, sums);
  if (nothing || (ridge == 0 && share.minCoeff() < kNothingWithin))
    refuse_singular(nothing, try_share);
  if (ridge > 0) within += ridge * self_products(weighted, context);

  // L^-1 B L^-T with within = L L'.
  const Eigen::LLT<Block> lower(within);
  if (lower.info() != Eigen::Success) refuse_singular(false, try_share);
  Block reduced = lower.matrixL().solve(between);
  reduced = lower.matrixL().solve(reduced.transpose().eval()).eval();
  reduced = (0.5 * (reduced + reduced.transpose())).eval();
  const SmallPairs pairs = all_pairs(std::move(reduced), context);
  const auto free = static_cast<double>(range.n() - classes.present);
  const Block turn = lower.matrixU().solve(pairs.vectors) * std::sqrt(free);
  found.values = pairs.values;
  found.along = (found.along * turn).eval();
  found.scores = product(found.scores, turn, context);
  found.means = (found.means * turn).eval();
  fix_signs_by_means(found);
  return found;
}

void keep_discriminants(Discriminants& found, Index count) {
  if (count >= found.values.size()) return;
  found.values = found.values.head(count).eval();
  found.along = found.along.leftCols(count).eval();
  found.scores = found.scores.leftCols(count).eval();
  found.means = found.means.leftCols(count).eval();
}

}  // namespace mercer::detail
