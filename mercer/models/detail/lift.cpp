#include "mercer/models/detail/lift.h"

#include "mercer/linalg/lapack.h"
#include "mercer/solvers/signs.h"

#include <cmath>

namespace mercer::detail {

void lift(GramFit& fit, const FactoredOperator& factor, const Context& context) {
  const double to_gram = factor.gram_factor();
  fit.eigen.values *= to_gram;
  fit.eigen.all_values *= to_gram;
  fit.eigen.trace *= to_gram;
  fit.eigen.next_value *= to_gram;
  fit.eigen.lowest_value *= to_gram;
  fit.eigen.certificate.eigenvalue_upper *= to_gram;
  fit.primal = std::move(fit.eigen.vectors);
  Block& u = fit.eigen.vectors;
  u = factor.lift(fit.primal);
  for (Index j = 0; j < u.cols(); ++j) u.col(j) /= std::sqrt(fit.eigen.values[j]);
  polish_orthonormal(u, context);
  for (Index j = 0; j < u.cols(); ++j) {
    Index largest = 0;
    u.col(j).cwiseAbs().maxCoeff(&largest);
    const double before = u(largest, j);
    fix_signs(u.col(j));
    if (u(largest, j) != before) fit.primal.col(j) *= -1;
  }
  fit.scorer = factor.scorer(fit.primal, u, fit.eigen.values);
  if (!fit.scorer) fit.means = factor.row_means();
}

}  // namespace mercer::detail
