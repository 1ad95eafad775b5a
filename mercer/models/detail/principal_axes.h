// What PCA does with axes besides finding them: from the vectors of the Gram matrix to axes, axes
// turned until their scores are orthogonal, products of sparse rows with axes, rows scaled on the
// way.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/data/row_source.h"
#include "mercer/data/scale.h"
#include "mercer/operators/linear_rows.h"

namespace mercer::detail {

/// Turns axes to the eigenvectors of the Gram matrix of their scores; gives its eigenvalues,
/// descending. Scores that are given are turned along.
Vector turn_axes(Block gram, Block& axes, Block* scores = nullptr);

/// Turns axes among themselves until their scores are orthogonal. What a search left of a larger
/// component in an axis counts in the scores by the root of that component's eigenvalue. Returns
/// the eigenvalues, which are as much better, and the residuals of these scores, which are other
/// vectors than those of the search.
Vector make_scores_orthogonal(const LinearRows& x, Block& axes, Vector& residuals,
                              const Context& context);

/// What rounding does to a residual: that of scores is as large as the rows, and counts by the root
/// of the eigenvalue.
Vector residual_rounding(const Vector& mu, Index dim);

/// w = X~'u / sqrt(mu), made orthonormal again: where mu is small the quotient carries rounding.
Block dual_axes(const LinearRows& x, const Block& u, const Context& context);

/// Few enough rows of many columns that a thread's copy of them stays small; divides kBlockRows.
Index tile_rows(Index dim);

/// (x - mean)'map of sparse rows, at the cost of their non-zeros.
Block sparse_products(DataView rows, const Block& map, const Vector& mean, const Context& context);

/// Rows that no file holds scaled: chunk by chunk.
class ScaledRows final : public RowSource {
 public:
  ScaledRows(const RowSource& rows, const Scaler& scaler) : rows_(rows), scaler_(scaler) {}
  Index n() const override { return rows_.n(); }
  Index dim() const override { return rows_.dim(); }
  std::uint64_t chunk_bytes() const override { return rows_.chunk_bytes(); }
  void each_chunk(const Take& take) const override {
    rows_.each_chunk([&](DataView chunk) { take(scaler_.apply(chunk)); });
  }

 private:
  const RowSource& rows_;
  const Scaler& scaler_;
};

}  // namespace mercer::detail
