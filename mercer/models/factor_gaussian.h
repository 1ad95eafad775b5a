// A Gaussian whose covariance is W W' + diag(psi): x = m + W u + e with u ~ N(0, I), e ~ N(0,
// psi). With A = psi^-1/2 W, z = psi^-1/2 (x - m) and M = I + A'A:
//     u given x           mean E = M^-1 A'z, covariance M^-1
//     log density         -1/2 [dim ln 2 pi + sum ln psi + ln |M| + |z - A E|^2 + |E|^2]
// Of a row with gaps (NaN) the same with the rows of A and z that are there; a gap is filled in by
// its mean given the others, m_d + w_d E. What comes out for a row depends on that row alone.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

namespace mercer {

struct FactorGaussian {
  Block loadings;  // W: a row for each column of the table
  Vector mean, noise;

  Index dim() const { return loadings.rows(); }
  Index factors() const { return loadings.cols(); }

  /// E of each row.
  Block posterior_means(DataView rows, const Context& context) const;
  Vector log_density(DataView rows, const Context& context) const;
  /// The rows with their gaps filled in.
  Points filled(DataView rows, const Context& context) const;
  /// n new rows. A row is a function of the seed and its number alone.
  Points drawn(Index n, std::uint64_t seed, const Context& context) const;
  /// (W' psi^-1 W)^-1 M: what turns E into the point of the factors' plane nearest to the row, in
  /// units of the noise (Bartlett's scores). A factor that explains nothing stays at 0.
  Block unshrunk() const;
};

}  // namespace mercer
