// FactoredOperator: K = F F' with F of moderate width. The smaller matrix F'F has the same non-zero
// eigenvalues; an eigenvector w of it gives the unit eigenvector F w / sqrt(mu) of K.
#pragma once

#include "mercer/linalg/operator.h"

namespace mercer {

class FactoredOperator : public SymmetricOperator {
 public:
  /// The eigenvalue of K that belongs to eigenvalue 1 of this operator (n where it is a
  /// covariance).
  virtual double gram_factor() const = 0;
  /// F w: from the small space to the n rows.
  virtual Block lift(ConstBlockRef w) const = 0;
  /// F' u: from the n rows to the small space.
  virtual Block restrict(ConstBlockRef u) const = 0;
};

}  // namespace mercer
