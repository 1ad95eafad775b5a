// The model x = m + W u + e, u ~ N(0, I), e ~ N(0, s2 I), fitted by EM to rows that may have gaps
// (NaN). With o the columns of a row that are there:
//     M = W_o'W_o + s2 I,   E = M^-1 W_o'(x_o - m_o),   C = s2 M^-1
//     (w_d, m_d): least squares of column d on (E, 1), with sums of E E' + C in place of E E'
//     s2 = mean over all cells there of (x_d - m_d - w_d E)^2 + w_d C w_d'
// Both come from matrix products: the sums over the columns that are there are products with the
// matrix of ones where something is there. A column with few values is held near its mean by a
// prior on w_d, and what never falls is then the likelihood times that prior.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/observed.h"
#include "mercer/data/view.h"

#include <vector>

namespace mercer::detail {

struct IsotropicFit {
  Block loadings;  // W: orthogonal columns, the longest first
  Vector mean;
  double noise = 0;           // s2
  double log_likelihood = 0;  // of the cells that are there
  std::vector<double> path;   // of what never falls, in units of the fit
  Index iterations = 0;
  bool converged = false, out_of_time = false;
  std::vector<Index> held;  // columns with so few values that the prior holds them
};

struct IsotropicRequest {
  Index components = 1;
  double tolerance = 1e-6;
  Index iterations = 10'000;
  std::uint64_t seed = 0;  // of the start
};

/// `known`: of the same rows. Throws M233 where no noise is left.
IsotropicFit fit_isotropic(DataView rows, const Observed& known, const IsotropicRequest& request,
                           const Context& context);

}  // namespace mercer::detail
