#include "mercer/operators/pivoted_cholesky.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/pick_rows.h"
#include "mercer/linalg/tall.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace mercer {
namespace {

constexpr Index kProposals = 96;  // per round: enough for BLAS-3, few enough for the rejection step
constexpr Index kFollowing = 32;  // the same after a start that leaves little

// Rows drawn with probability proportional to what is left of the diagonal.
std::vector<Index> draw(const Vector& left, Index count, const Random& random, std::uint64_t at) {
  Vector upto(left.size());
  double sum = 0;
  for (Index i = 0; i < left.size(); ++i) upto[i] = sum += left[i];
  std::vector<Index> drawn;
  for (Index j = 0; j < count; ++j) {
    const double target = random.uniform(at + 2 * static_cast<std::uint64_t>(j)) * sum;
    const auto* found = std::upper_bound(upto.data(), upto.data() + upto.size(), target);
    drawn.push_back(std::min<Index>(found - upto.data(), left.size() - 1));
  }
  return drawn;
}

// Runs through the proposals, accepting each with the probability that its residual diagonal has
// kept, or all of them where there is nothing random; eliminates the accepted ones from h. Fills in
// their Cholesky factor.
std::vector<Index> accept(Block h, double least, const Random* random, std::uint64_t at,
                          Block& lower) {
  const Vector before = h.diagonal();
  std::vector<Index> accepted;
  Block columns(h.rows(), h.cols());
  for (Index j = 0; j < h.cols(); ++j) {
    const double chance = before[j] > 0 ? h(j, j) / before[j] : 0;
    if (!(h(j, j) > least)) continue;
    if (random != nullptr && random->uniform(at + 2 * static_cast<std::uint64_t>(j) + 1) > chance)
      continue;
    const Vector column = h.col(j) / std::sqrt(h(j, j));
    columns.col(static_cast<Index>(accepted.size())) = column;
    h.noalias() -= column * column.transpose();
    accepted.push_back(j);
  }
  const auto count = static_cast<Index>(accepted.size());
  lower.resize(count, count);
  for (Index i = 0; i < count; ++i)
    lower.row(i) = columns.row(accepted[static_cast<std::size_t>(i)]).head(count);
  return accepted;
}

// F_new = (K(:, taken) - F F(taken, :)') L^-T, where the columns of K stand that were taken.
void orthogonalise(Block& factor, Index have, Index fresh, const std::vector<Index>& taken,
                   const Block& lower, const Context& context) {
  auto columns = factor.middleCols(have, fresh);
  add_product(columns, -1.0, factor.leftCols(have),
              pick_rows(factor.leftCols(have), taken).transpose(), context);
  Block inverse = Block::Identity(fresh, fresh);
  lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
  rotate(columns, inverse.transpose(), context);
}

// Takes the new columns out of what is left of the diagonal; nothing is left of their pivots.
void take_squares(const Block& factor, Range fresh, const std::vector<Index>& taken, Vector& left,
                  const Context& context) {
  const std::vector<Range> parts = tiles_of(factor.rows(), 4096);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range rows = parts[static_cast<std::size_t>(t)];
    auto mine_left = left.segment(rows.begin, rows.size());
    for (Index j = fresh.begin; j < fresh.end; ++j)
      mine_left -= factor.col(j).segment(rows.begin, rows.size()).cwiseAbs2();
    mine_left = mine_left.cwiseMax(0);
  });
  for (const Index pivot : taken) left[pivot] = 0;
}

}  // namespace

PivotedCholesky pivoted_cholesky(const SymmetricOperator& gram, Index rank, double entry_error,
                                 std::uint64_t seed, const Context& context,
                                 const CholeskyStart& start) {
  PivotedCholesky result;
  const Index n = gram.size();
  Vector left = gram.diagonal(context);
  if (n == 0 || !(left.minCoeff() >= 0) || !(left.maxCoeff() > 0)) return result;
  const double trace = left.sum(),
               least = 10 * entry_error * static_cast<double>(rank) * left.maxCoeff();
  Block factor(n, rank);
  Index have = 0;
  const Random random(seed, 500);
  const double done = std::max(start.enough, 1e-12 * trace);
  for (std::uint64_t round = 0; have < rank && left.sum() > done; ++round) {
    context.check_cancelled();
    context.report("landmarks", static_cast<double>(have) / static_cast<double>(rank));
    const bool given = round == 0 && !start.pivots.empty();
    const Index count = given
                            ? std::min(rank, static_cast<Index>(start.pivots.size()))
                            : std::min(start.pivots.empty() ? kProposals : kFollowing, rank - have);
    const std::uint64_t at = round * 4 * static_cast<std::uint64_t>(kProposals);
    std::vector<Index> proposed = given ? start.pivots : draw(left, count, random, at);
    proposed.resize(static_cast<std::size_t>(count));
    // What is left of K where these rows and columns cross decides which are taken.
    Block h(count, count), lower;
    if (!gram.entries(proposed, h, context)) return {};
    const Block before = pick_rows(factor.leftCols(have), proposed);
    h.noalias() -= before * before.transpose();
    h = (0.5 * (h + h.transpose())).eval();
    const std::vector<Index> accepted =
        accept(std::move(h), least, given ? nullptr : &random, at, lower);
    if (accepted.empty()) break;
    const auto fresh = static_cast<Index>(accepted.size());
    std::vector<Index> taken;
    for (const Index j : accepted) taken.push_back(proposed[static_cast<std::size_t>(j)]);
    result.pivots.insert(result.pivots.end(), taken.begin(), taken.end());
    auto columns = factor.middleCols(have, fresh);  // made where they stay
    if (!gram.columns(taken, columns, context)) return {};
    orthogonalise(factor, have, fresh, taken, lower, context);
    take_squares(factor, {have, have + fresh}, taken, left, context);
    have += fresh;
  }
  factor.conservativeResize(Eigen::NoChange, have);
  result.factor = std::move(factor);
  result.left = left.sum();
  return result;
}

LowRank leading_pairs(Block factor, Index most, const std::function<void(BlockRef)>& remove,
                      const Context& context) {
  remove(factor);
  Block gram = self_products(factor, context);
  const Index rank = gram.rows(), count = std::min(most, rank);
  const SymmetricReduction reduction(gram, context);
  std::vector<Index> top;
  for (Index i = 0;
       i < count && reduction.values()[rank - 1 - i] > 1e-10 * reduction.values()[rank - 1]; ++i)
    top.push_back(rank - 1 - i);
  LowRank pairs;
  Block turn = reduction.vectors(top);
  pairs.values.resize(turn.cols());
  for (Index j = 0; j < turn.cols(); ++j) {
    pairs.values[j] = reduction.values()[top[static_cast<std::size_t>(j)]];
    turn.col(j) /= std::sqrt(pairs.values[j]);
  }
  pairs.vectors = product(factor, turn, context);
  return pairs;
}

}  // namespace mercer
