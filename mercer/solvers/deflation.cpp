#include "mercer/solvers/deflation.h"

#include "mercer/core/check.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/krylov_basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

// A column whose part outside the earlier ones is shorter than the root of this is dependent: its
// image would keep less than half of its digits.
constexpr double kDependent = 1e-10;
// Columns this close to orthonormal are left as they are.
constexpr double kOrthonormal = 0x1p-50;
// Streams of random columns: those of probes and of the proof are others.
constexpr std::uint64_t kDeflationStream = 5000;

struct Triangle {
  std::vector<Index> kept;  // columns
  Block factor;             // upper triangle R with gram(kept, kept) = R'R
};

// Cholesky's factor of a Gram matrix, column by column, without the dependent ones.
Triangle triangle_of(const Block& gram) {
  const Index m = gram.cols();
  Triangle result;
  result.factor = Block::Zero(m, m);
  for (Index j = 0; j < m; ++j) {
    const auto rank = static_cast<Index>(result.kept.size());
    Vector c(rank);
    for (Index i = 0; i < rank; ++i) c[i] = gram(result.kept[static_cast<std::size_t>(i)], j);
    result.factor.topLeftCorner(rank, rank)
        .triangularView<Eigen::Upper>()
        .transpose()
        .solveInPlace(c);
    const double left = gram(j, j) - c.squaredNorm();
    if (!(left > kDependent * gram(j, j))) continue;
    result.factor.col(rank).head(rank) = c;
    result.factor(rank, rank) = std::sqrt(left);
    result.kept.push_back(j);
  }
  const auto rank = static_cast<Index>(result.kept.size());
  result.factor = result.factor.topLeftCorner(rank, rank).eval();
  return result;
}

}  // namespace

double rounding_floor(Index n) { return 30 * 0x1p-52 * std::sqrt(static_cast<double>(n)); }

Block starting_vectors(Index n, Index width, const EigenRequest& request, const Context& context) {
  const Block* given = request.start != nullptr         ? request.start
                       : request.search.near != nullptr ? &request.search.near->vectors
                                                        : nullptr;
  Block block(n, 0);
  if (given != nullptr)
    block = orthonormal(given->leftCols(std::min(given->cols(), width)), Block(n, 0), 0, context);
  // Random columns are independent but for an accident, which the next draw repairs.
  for (std::uint64_t draw = 0; block.cols() < width && draw < 10; ++draw) {
    const Block more = orthonormal(gaussian_block(n, width - block.cols(), request.search.seed,
                                                  kDeflationStream + draw, context),
                                   block, 0, context);
    const Index had = block.cols();
    block.conservativeResize(Eigen::NoChange, had + more.cols());
    block.rightCols(more.cols()) = more;
  }
  return block;
}

RitzSet::RitzSet(Index n, Order order, const Context& context)
    : order_(order), context_(context), vectors_(n, 0), images_(n, 0) {}

double RitzSet::worst(Index count) const {
  if (size() < count) return 1;
  return largest() > 0 ? residuals_.head(count).maxCoeff() / largest() : 0;
}

Index RitzSet::within(Index count, double residual) const {
  return (residuals_.head(std::min(count, size())).array() <= residual * largest()).count();
}

void RitzSet::append(ConstBlockRef columns, ConstBlockRef images) {
  const Index had = size(), now = had + columns.cols();
  vectors_.conservativeResize(Eigen::NoChange, now);
  images_.conservativeResize(Eigen::NoChange, now);
  vectors_.rightCols(columns.cols()) = columns;
  images_.rightCols(columns.cols()) = images;
}

void RitzSet::replace(Range at, ConstBlockRef columns, ConstBlockRef images, ConstVectorRef values,
                      ConstVectorRef residuals) {
  MERCER_ASSERT(columns.cols() == at.size());
  vectors_.middleCols(at.begin, at.size()) = columns;
  images_.middleCols(at.begin, at.size()) = images;
  values_.segment(at.begin, at.size()) = values;
  residuals_.segment(at.begin, at.size()) = residuals;
}

void RitzSet::make_orthonormal() {
  for (int round = 0; round < 2; ++round) {
    const Block gram = inner_products(vectors_, vectors_, context_);
    if ((gram - Block::Identity(size(), size())).cwiseAbs().maxCoeff() <= kOrthonormal) return;
    const Triangle triangle = triangle_of(gram);
    const auto rank = static_cast<Index>(triangle.kept.size());
    Block turn = Block::Zero(size(), rank);
    const Block inverse =
        triangle.factor.triangularView<Eigen::Upper>().solve(Block::Identity(rank, rank));
    for (Index i = 0; i < rank; ++i)
      turn.row(triangle.kept[static_cast<std::size_t>(i)]) = inverse.row(i);
    vectors_ = product(vectors_, turn, context_);
    images_ = product(images_, turn, context_);
  }
}

void RitzSet::combine(Index keep) {
  make_orthonormal();
  const Block h = inner_products(vectors_, images_, context_);
  Block symmetric = 0.5 * (h + h.transpose());
  const SymmetricReduction reduction(symmetric, context_);
  const Index kept = std::min(keep, size());
  const Vector& ascending = reduction.values();
  std::vector<Index> positions(static_cast<std::size_t>(size()));
  std::iota(positions.rbegin(), positions.rend(), Index{0});
  if (order_ == Order::magnitude)
    std::ranges::stable_sort(positions, [&](Index a, Index b) {
      return std::abs(ascending[a]) > std::abs(ascending[b]);
    });
  positions.resize(static_cast<std::size_t>(kept));
  const Block turn = reduction.vectors(positions);
  values_.resize(kept);
  for (Index j = 0; j < kept; ++j) values_[j] = ascending[positions[static_cast<std::size_t>(j)]];
  vectors_ = product(vectors_, turn, context_);
  images_ = product(images_, turn, context_);
  measure();
}

void RitzSet::measure() {
  Block r = images_;
  r.noalias() -= vectors_ * values_.asDiagonal();
  residuals_ = column_norms(r);
}

Block RitzSet::others(Range mine, double settled) const {
  Block rest(vectors_.rows(), size());
  Index kept = mine.begin;
  rest.leftCols(kept) = vectors_.leftCols(kept);
  for (Index j = mine.end; j < size(); ++j)
    if (residuals_[j] <= settled) rest.col(kept++) = vectors_.col(j);
  return rest.leftCols(kept);
}

EigenResult solve_whole_space(Passes& passes) {
  const Index n = passes.size();
  Block vectors = Block::Identity(n, n), images(n, n);
  // There is nothing to return where not even this product was made.
  if (!passes.apply(vectors, images))
    throw Error(ErrorCode::not_converged, "no product with the operator was allowed");
  return passes.search_on(std::move(vectors), std::move(images));
}

}  // namespace mercer
