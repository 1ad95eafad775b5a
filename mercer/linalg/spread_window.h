// The bump that carries a point onto w neighbouring cells of a grid, for nonuniform Fourier
// transforms:   psi(z) = exp(beta (sqrt(1 - z^2) - 1)),  |z| <= 1, half-width w/2 cells,
// as one polynomial per cell. What the grid then sees of a mode is psihat(k) exp(ikx) (1 + e); both
// psihat and the largest |e| are found from the polynomials themselves, over all positions within a
// cell, so rounding of the fit is in them too.
#pragma once

#include "mercer/core/types.h"

namespace mercer {

class SpreadWindow {
 public:
  static constexpr Index kWidest = 16;  // cells: two registers of the widest level, 15 digits

  /// For modes |k| <= `modes` on `size` cells; a single mode needs no bump, and gets width 1.
  SpreadWindow(Index width, Index size, Index modes);

  /// The narrowest whose error is at most `tolerance`, or the best there is.
  static SpreadWindow for_tolerance(double tolerance, Index size, Index modes);

  Index width() const { return width_; }
  /// Largest |e| of a mode.
  double error() const { return error_; }
  /// 1 / psihat(k) for k = 0 ... modes.
  const Vector& inverse() const { return inverse_; }

  /// Weights of cells first ... first + width - 1 for a point at `position` (in cells), room for
  /// kWidest; returns first.
  Index weights(double position, double* out) const;

 private:
  void fit(double beta);
  void measure(Index size, Index modes);

  Index width_;
  double error_ = 0;
  Vector inverse_;
  // Column p holds the coefficients of power p for every cell.
  Eigen::Matrix<double, kWidest, Eigen::Dynamic> powers_;
};

}  // namespace mercer
