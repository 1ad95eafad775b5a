// Factor analysis of a correlation matrix R: C = W W' + diag(psi) with the least
//     f(C) = ln |C| + tr(C^-1 R)
// between the bounds least <= psi <= 1. For a fixed psi the best W is known: with the eigenpairs
// (l, b) of psi^-1/2 R psi^-1/2, W = psi^1/2 B_K (L_K - I)_+^1/2, and
//     f(psi) = sum ln psi + sum_{k<=K} (ln max(l_k, 1) + l_k / max(l_k, 1)) + sum_{k>K} l_k
//     df / d ln psi_i = (C_ii - R_ii) / psi_i
// so that only K eigenpairs are needed. `profile` searches psi by that; `em` makes EM's steps.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <vector>

namespace mercer::detail {

/// The least uniqueness, as a share of the column's variance: as in R's factanal.
constexpr double kLeastUniqueness = 0.005;

struct FactorFit {
  Block loadings;    // W: W' psi^-1 W is diagonal, descending
  Vector psi;        // uniquenesses
  double value = 0;  // f
  Index iterations = 0;
  std::vector<double> path;  // of EM: -f at every point taken, which never falls
  bool converged = false, out_of_time = false;
};

struct FactorRequest {
  Index factors = 1;
  double tolerance = 1e-10;
  Index iterations = 10'000;
};

FactorFit fit_profile(const Block& r, const FactorRequest& request, const Context& context);
FactorFit fit_factors_by_em(const Block& r, const FactorRequest& request, const Context& context);

}  // namespace mercer::detail
