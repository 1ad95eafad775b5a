#include "mercer/solvers/krylov_basis.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {

KrylovBasis::KrylovBasis(Index n, Index capacity, Order order, const Context& context)
    : context_(context), order_(order), vectors_(n, capacity), images_(n, capacity) {}

void KrylovBasis::append(ConstBlockRef columns, ConstBlockRef images) {
  const Index more = columns.cols();
  MERCER_ASSERT(used_ + more <= capacity());
  vectors_.middleCols(used_, more) = columns;
  images_.middleCols(used_, more) = images;
  last_ = {used_, used_ + more};
  used_ += more;
  const Block fresh = inner_products(vectors(), images, context_);
  Block larger = Block::Zero(used_, used_);
  larger.topLeftCorner(last_.begin, last_.begin) = projected_;
  larger.rightCols(more) = fresh;
  larger.bottomRows(more) = fresh.transpose();
  const Block corner = fresh.bottomRows(more);
  larger.bottomRightCorner(more, more) = 0.5 * (corner + corner.transpose());
  projected_ = std::move(larger);
  find_ritz_values();
}

void KrylovBasis::find_ritz_values() {
  Block copy = projected_;
  const SymmetricReduction reduction(copy, context_);
  std::vector<Index> order(static_cast<std::size_t>(used_));
  std::iota(order.rbegin(), order.rend(), Index{0});
  const Vector& ascending = reduction.values();
  const Block all = reduction.vectors([&] {
    std::vector<Index> every(order.size());
    std::iota(every.begin(), every.end(), Index{0});
    return every;
  }());
  if (order_ == Order::magnitude)
    std::ranges::stable_sort(
        order, [&](Index a, Index b) { return std::abs(ascending[a]) > std::abs(ascending[b]); });
  values_ = Vector(used_);  // anew: Eigen's resize() is not safe when memory lacks
  turns_ = Block(used_, used_);
  for (Index j = 0; j < used_; ++j) {
    values_[j] = ascending[order[static_cast<std::size_t>(j)]];
    turns_.col(j) = all.col(order[static_cast<std::size_t>(j)]);
  }
}

void KrylovBasis::keep(Index count) {
  MERCER_ASSERT(count <= used_);
  const Block turn = turns_.leftCols(count);
  rotate(vectors_.leftCols(used_), turn, context_);
  rotate(images_.leftCols(used_), turn, context_);
  used_ = count;
  last_ = {0, count};
  projected_ = Block(values_.head(count).asDiagonal());
  values_ = values_.head(count).eval();
  turns_ = Block(Block::Identity(count, count));
}

Block KrylovBasis::ritz_vectors(Index count) const {
  return product(vectors(), turns_.leftCols(count), context_);
}

Block KrylovBasis::ritz_images(Index count) const {
  return product(images(), turns_.leftCols(count), context_);
}

Block KrylovBasis::residuals(Index count) const {
  Block r = ritz_images(count);
  const Block scaled = turns_.leftCols(count) * values_.head(count).asDiagonal();
  add_product(r, -1.0, vectors(), scaled, context_);
  return r;
}

BasisFacts KrylovBasis::facts() const {
  // W - V H, formed before it is turned: nothing cancels.
  Block outside = images();
  add_product(outside, -1.0, vectors(), projected_, context_);
  // Turned before its Gram matrix is formed: the residuals of converged pairs are differences of
  // its columns, which a Gram matrix of larger ones would drown.
  const Block turned = product(outside, turns_, context_);
  return {values_, inner_products(turned, turned, context_)};
}

Block KrylovBasis::complement_image(ConstBlockRef x, ConstBlockRef image) const {
  Block result = image;
  add_product(result, -1.0, images(), inner_products(vectors(), x, context_), context_);
  project_out(result, vectors(), context_);
  return result;
}

Block gaussian_block(Index n, Index count, std::uint64_t seed, std::uint64_t stream,
                     const Context& context) {
  Block block(n, count);
  const Random random(seed, stream);
  const std::vector<Range> parts = tiles_of(n, 1024);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range rows = parts[static_cast<std::size_t>(t)];
    for (Index j = 0; j < count; ++j)
      for (Index i = rows.begin; i < rows.end; ++i)
        block(i, j) = random.normal(static_cast<std::uint64_t>(j * n + i));
  });
  return block;
}

}  // namespace mercer
