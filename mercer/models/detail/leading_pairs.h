// The largest eigenvalues of one positive semidefinite matrix after the other, each close to the
// one before. Small matrices are reduced. For large ones the space of the last vectors is
// multiplied by a Chebyshev polynomial of the matrix, which grows fast above the smallest of its
// values, until the residuals are those of rounding; the last matrix of all is reduced, so that
// nothing which the search missed goes unnoticed.
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
  Block filtered(const Block& matrix, double bound, const Context& context) const;

  Index size_, count_;
  bool reduce_ = false;
  Block space_;       // of the last search: more columns than are wanted
  double bound_ = 0;  // the smallest of their values
  Found found_;
};

}  // namespace mercer::detail
