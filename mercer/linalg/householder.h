// Orthogonal factorisations by reflections, A P = Q R: bases, ranks that columns show, least
// squares. The reflections are those of Eigen, whose templates are slow to compile: householder.cpp
// is their only home.
#pragma once

#include "mercer/core/types.h"

#include <memory>

namespace mercer {

/// Orthonormal columns, as many as there are, that span the same space one after the other; signs
/// are those of the reflections. At most as many columns as rows.
Block orthonormal_in_order(const Block& columns);

/// x with the least |a x - b|, and 0 for the columns of a that depend on others.
Block least_squares(const Block& a, const Block& b);

/// The columns of a block in the order in which each has most left of it beside those before.
class PivotedColumns {
 public:
  explicit PivotedColumns(const Block& columns);
  ~PivotedColumns();

  /// Upper triangular, in the new order of the columns.
  Block r() const;
  /// The number that the column at this place had before.
  Index at(Index place) const;
  /// Orthonormal columns that span the first `count`.
  Block basis(Index count) const;

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

}  // namespace mercer
