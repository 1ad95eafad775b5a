// The largest eigenvalues of D R D, R one positive semidefinite matrix and D one diagonal after the
// other, each close to the one before. Small matrices are reduced. For large ones the space of the
// last vectors (random ones at first) is multiplied by a Chebyshev polynomial of the matrix, which
// grows fast above the smallest of its values, until the residuals are as small as was asked for.
// D R D is never written out. A search may miss an eigenvalue; `proven` looks for those.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <cstdint>

namespace mercer::detail {

class LeadingPairs {
 public:
  struct Found {
    Vector values;  // descending
    Block vectors;
  };
  /// Residuals that are rounding, relative to the largest eigenvalue.
  static constexpr double kRounding = 1e-12;

  /// The matrix must outlive this object.
  LeadingPairs(const Block& matrix, Index count) : r_(matrix), count_(count) {}

  /// Of d R d, with residuals of at most `accuracy` times the largest eigenvalue; valid until the
  /// next call.
  const Found& of(const Vector& d, double accuracy, const Context& context);
  /// The same to rounding, with nothing missed: where Cholesky's factorisation does not show that
  /// no eigenvalue besides is larger, the matrix is reduced.
  const Found& proven(const Vector& d, const Context& context);

 private:
  Index size() const { return r_.rows(); }
  bool searches() const;
  void by_reduction(const Vector& d, const Context& context);
  bool by_search(const Vector& d, double accuracy, const Context& context);
  bool none_larger(const Vector& d, const Context& context) const;
  void begin(const Vector& d, const Context& context);
  Block multiplied(const Vector& d, const Block& x, const Context& context) const;
  Block filtered(const Vector& d, const Context& context) const;

  const Block& r_;
  Index count_;
  Block space_;       // of the last search: more columns than are wanted
  double bound_ = 0;  // the smallest of their values
  Found found_;
};

}  // namespace mercer::detail
