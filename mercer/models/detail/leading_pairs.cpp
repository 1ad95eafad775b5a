#include "mercer/models/detail/leading_pairs.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/linalg/definite.h"
#include "mercer/linalg/householder.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/skinny.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace mercer::detail {
namespace {

constexpr Index kSmallMatrix = 200;  // up to this size matrices are reduced sooner than searched
constexpr Index kSpare = 6;          // columns beyond those wanted
constexpr Index kDegree = 8;         // of the polynomial: products between two looks at the values
constexpr Index kRounds = 12;        // of that, before the matrix is reduced after all
// Residuals that are rounding, relative to the largest eigenvalue.
constexpr double kPairRounding = 1e-12;
constexpr Index kFirstProducts = 3;  // of random columns, before there is a bound to filter by
constexpr Index kTileRows = 112, kTileColumns = 512;  // of a product

std::vector<Index> largest_of(Index size, Index count) {
  std::vector<Index> positions(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) positions[static_cast<std::size_t>(k)] = size - 1 - k;
  return positions;
}

Block scaled(const Block& r, const Vector& d) { return d.asDiagonal() * r * d.asDiagonal(); }

}  // namespace

// D R (D x): rows of R are its columns.
Block LeadingPairs::multiplied(const Vector& d, const Block& x, const Context& context) const {
  const Block dx = d.asDiagonal() * x;
  const SkinnyProduct<double> product(dx, kTileColumns, context);
  Block y = Block::Zero(size(), x.cols());
  const std::vector<Range> tasks = tiles_of(size(), kTileRows),
                           columns = tiles_of(size(), kTileColumns);
  parallel_for(context, static_cast<Index>(tasks.size()), [&](Index t) {
    const Range rows = tasks[static_cast<std::size_t>(t)];
    SkinnyProduct<double>::Scratch scratch;
    for (const Range cols : columns)
      product.add_rows(r_.data() + rows.begin * size() + cols.begin, size(), rows, cols, y,
                       scratch);
  });
  return d.asDiagonal() * y;
}

bool LeadingPairs::searches() const {
  return size() > kSmallMatrix && 8 * (count_ + kSpare) < size();
}

void LeadingPairs::by_reduction(const Vector& d, const Context& context) {
  Block matrix = scaled(r_, d);
  const SymmetricReduction reduction(matrix, context);
  const Index kept = std::min(size(), count_ + kSpare);
  space_ = reduction.vectors(largest_of(size(), kept));
  found_.vectors = space_.leftCols(count_);
  found_.values = reduction.values().reverse().head(count_);
  bound_ = reduction.values()[size() - kept];
}

// A space to begin with: a few products of random columns, and the values they show.
void LeadingPairs::begin(const Vector& d, const Context& context) {
  const Random random(0, 0);
  Block columns(size(), count_ + kSpare);
  for (Index j = 0; j < columns.cols(); ++j)
    for (Index i = 0; i < size(); ++i)
      columns(i, j) = random.normal(static_cast<std::uint64_t>(j * size() + i));
  for (Index product = 0; product < kFirstProducts; ++product)
    columns = orthonormal_in_order(multiplied(d, columns, context));
  Block small = columns.transpose() * multiplied(d, columns, context);
  bound_ = SymmetricReduction(small).values()[0];
  space_ = std::move(columns);
}

// T_8(2 A / bound - I) x by the three-term recurrence, unscaled: it stays far from overflow, and
// the columns are made orthonormal afterwards.
Block LeadingPairs::filtered(const Vector& d, const Context& context) const {
  Block before = space_;
  Block now = 2 / bound_ * multiplied(d, before, context) - before;
  for (Index degree = 1; degree < kDegree; ++degree) {
    Block next = 4 / bound_ * multiplied(d, now, context) - 2 * now - before;
    before = std::move(now);
    now = std::move(next);
  }
  return now;
}

bool LeadingPairs::by_search(const Vector& d, double accuracy, const Context& context) {
  if (space_.size() == 0) begin(d, context);
  const Index width = space_.cols();
  for (Index round = 0; round < kRounds && bound_ > 0; ++round) {
    context.check_cancelled();
    const Block basis = orthonormal_in_order(filtered(d, context));
    const Block image = multiplied(d, basis, context);
    Block small = basis.transpose() * image;
    const SymmetricReduction reduction(small);
    const Block turn = reduction.vectors(largest_of(width, width));
    space_ = basis * turn;
    found_.values = reduction.values().reverse().head(count_);
    found_.vectors = space_.leftCols(count_);
    bound_ = reduction.values()[0];
    const Block rest = image * turn.leftCols(count_) - found_.vectors * found_.values.asDiagonal();
    if (rest.colwise().norm().maxCoeff() <= std::max(accuracy, kPairRounding) * found_.values[0])
      return true;
  }
  return false;
}

// Whether l_K I - (A - V L V') is positive definite, as it is where every other eigenvalue is less
// than the least of those found.
bool LeadingPairs::none_larger(const Vector& d, const Context& context) const {
  Block rest = -scaled(r_, d);
  rest.noalias() += found_.vectors * found_.values.asDiagonal() * found_.vectors.transpose();
  rest.diagonal().array() += found_.values[count_ - 1];
  return test_definite(rest, 1, context).definite;
}

const LeadingPairs::Found& LeadingPairs::of(const Vector& d, double accuracy,
                                            const Context& context) {
  if (!searches() || !by_search(d, accuracy, context)) by_reduction(d, context);
  return found_;
}

const LeadingPairs::Found& LeadingPairs::proven(const Vector& d, const Context& context) {
  const bool found = searches() && by_search(d, kPairRounding, context);
  if (!found || !none_larger(d, context)) by_reduction(d, context);
  return found_;
}

}  // namespace mercer::detail
