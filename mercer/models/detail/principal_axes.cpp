#include "mercer/models/detail/principal_axes.h"

#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/householder.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/models/ability.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace mercer::detail {

namespace {

// Of a product and of the sum that it joins.
constexpr double kRoundingOfSums = 0x1p-52;

// X~ w for each column w.
Block times(const LinearRows& x, const Block& w, const Context& context) {
  Block product(x.rows.rows(), w.cols());
  const Eigen::Map<const Block> transposed(x.rows.data(), x.rows.cols(), x.rows.rows());
  const std::vector<Range> parts = tiles_of(product.rows(), kTileRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    gemm(Transpose::yes, Transpose::no, 1.0, transposed.middleCols(part.begin, part.size()), w, 0.0,
         product.middleRows(part.begin, part.size()));
  });
  return product;
}

// X~'u for each column u.
Block turned_times(const LinearRows& x, const Block& u, const Context& context) {
  const Eigen::Map<const Block> transposed(x.rows.data(), x.rows.cols(), x.rows.rows());
  Block product(x.rows.cols(), u.cols());
  const std::vector<Range> parts = tiles_of(product.rows(), kTileRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    gemm(Transpose::no, Transpose::no, 1.0, transposed.middleRows(part.begin, part.size()), u, 0.0,
         product.middleRows(part.begin, part.size()));
  });
  return product;
}

}  // namespace

Vector turn_axes(Block gram, Block& axes, Block* scores) {
  std::vector<Index> descending(static_cast<std::size_t>(axes.cols()));
  std::iota(descending.rbegin(), descending.rend(), Index{0});
  const SymmetricReduction reduction(gram);
  const Block turn = reduction.vectors(descending);
  axes = (axes * turn).eval();
  if (scores != nullptr) *scores = (*scores * turn).eval();
  return reduction.values().reverse();
}

Vector residual_rounding(const Vector& mu, Index dim) {
  return kRoundingOfSums * std::sqrt(static_cast<double>(dim)) * (mu[0] / mu.array()).sqrt();
}

Vector make_scores_orthogonal(const LinearRows& x, Block& axes, Vector& residuals,
                              const Context& context) {
  Block scores = times(x, axes, context);
  const Vector mu = turn_axes(self_products(scores, context), axes, &scores);
  const Block off = times(x, turned_times(x, scores, context), context) - scores * mu.asDiagonal();
  residuals = (off.colwise().norm().cwiseQuotient(scores.colwise().norm()) / mu[0]).transpose();
  residuals += residual_rounding(mu, axes.rows());
  return mu / x.frame.scale / x.frame.scale;
}

Block dual_axes(const LinearRows& x, const Block& u, const Context& context) {
  const Block w = turned_times(x, u, context);
  Block axes = orthonormal_in_order(w);
  for (Index j = 0; j < axes.cols(); ++j)
    if (axes.col(j).dot(w.col(j)) < 0) axes.col(j) *= -1;
  return axes;
}

Index tile_rows(Index dim) {
  constexpr Index kNumbers = Index{1} << 20;
  Index rows = kBlockRows;
  while (rows > 8 && rows * dim > kNumbers) rows /= 2;
  return rows;
}

Block sparse_products(DataView rows, const Block& map, const Vector& mean, const Context& context) {
  const Points along = map;
  const Eigen::RowVectorXd moved = mean.transpose() * along;
  Points products(rows.n(), map.cols());
  const std::vector<Range> parts = tiles_of(rows.n(), kTileRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    for (Index i = part.begin; i < part.end; ++i) {
      const SparseRow row = rows.sparse_row(i);
      products.row(i) = -moved;
      for (Index k = 0; k < row.count; ++k)
        products.row(i) += row.values[k] * along.row(row.columns[k]);
    }
  });
  return products;
}

}  // namespace mercer::detail
