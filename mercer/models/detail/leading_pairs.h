// The largest eigenvalues of one symmetric matrix after the other, each close to the one before.
// Small matrices are reduced; for large ones the space of the last vectors is enriched by products
// with the matrix (block Krylov) until the residuals are those of rounding, and the last matrix of
// all is reduced: nothing that the search missed goes unnoticed.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

namespace mercer::detail {

class LeadingPairs {
 public:
  struct Found {
    Vector values;  // descending
    Block vectors;
  };

  LeadingPairs(Index size, Index count) : size_(size), count_(count) {}

  /// Of this matrix; valid until the next call.
  const Found& of(const Block& matrix, const Context& context);
  /// From now on matrices are reduced.
  void finish() { reduce_ = true; }

 private:
  void by_reduction(Block matrix, const Context& context);
  bool by_search(const Block& matrix, const Context& context);

  Index size_, count_;
  bool reduce_ = false;
  Block space_;  // of the last search: more columns than are wanted
  Found found_;
};

}  // namespace mercer::detail
