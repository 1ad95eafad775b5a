// How good an answer is, measured on the operator itself: residuals |A u - mu u|, bounds on
// eigenvalues and on the angle between the computed subspace and the true one, and whether any
// eigenvalue can have been missed.
#pragma once

#include "mercer/core/types.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/eigen.h"

#include <string>

namespace mercer {

struct Certificate {
  std::string kind = "none";  // deterministic, probabilistic, estimate, none
  bool complete = false;      // no eigenvalue was missed
  Vector residuals;           // |A u - mu u| / max |mu|
  Vector eigenvalue_upper;    // no true eigenvalue of this rank is larger
  double angle =
      0;  // sine of the angle between the subspaces, at most; infinite when a cluster is cut
};

/// For results of a solver that computed the whole spectrum by orthogonal similarity: complete by
/// construction, with the backward error of the reduction (a modest multiple of n u |A|) and
/// `entry_error` |A| added to the bounds.
Certificate certify_dense(const SymmetricOperator& a, const EigenResult& result,
                          double entry_error);

}  // namespace mercer
