// The path that kernel PCA and PCA share: count the components, plan, build the operator, solve,
// certify.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/models/components.h"
#include "mercer/models/report.h"
#include "mercer/operators/affine.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/problem.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/eigen.h"

#include <optional>

namespace mercer::detail {

/// Eigenpairs of the (centred) Gram matrix of a problem.
struct GramFit {
  EigenResult eigen;  // values mu, vectors u of length n (signs fixed)
  Block primal;       // eigenvectors of the covariance where that was solved; empty otherwise
  Vector
      means;  // row means of K up to a constant; empty where features are not centred or rows are
  AffineBasis affine;            // where affine functions are removed: their basis q, and
  Block affine_image;            // K q
  std::optional<Scorer> scorer;  // of new rows, where that needs few training rows or none
  double expansion_error = 0;    // |K - its expansion|_2 at most, where one took its place
  double rank_tolerance = 0;
  bool positive = false;    // negative eigenvalues are rounding: the kernel cannot have any
  bool only_noise = false;  // all that was found may be rounding, and was left out
  bool unresolved = false;  // there may be more components, too small for the search
  Report report;            // all but the models' own part; it has a spectrum
  Spectrum& spectrum() { return *report.spectrum; }
  const Spectrum& spectrum() const { return *report.spectrum; }
};

/// The largest number of components there can be: n - 1 when centred, the number of columns for
/// linear kernels.
Index most_components(const GramProblem& problem);

/// Puts the number of components into the problem; throws M233 for a count that cannot be.
void set_components(GramProblem& problem, const Components& components);

/// Runs a plan, for the problem that it was made for. Throws M244 when nothing significant is
/// found.
GramFit fit_gram(const Plan& plan, const Components& components, const EigenRequest& request,
                 const Context& context);

}  // namespace mercer::detail
