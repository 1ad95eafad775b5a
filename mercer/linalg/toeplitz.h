// Products with a Hermitian block-Toeplitz matrix T_jk = s(j - k), |j_i|, |k_i| <= modes_i: as a
// convolution, through a grid on which s just fits. M log M instead of M^2.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/grid_fft.h"

#include <vector>

namespace mercer {

class Toeplitz {
 public:
  /// `s` holds all |q_i| <= 2 modes_i, row-major, s(-q) = conj s(q).
  Toeplitz(Extents modes, const Eigen::VectorXcd& s, const Context& context);

  /// One dimension of the grid for modes -m ... m.
  static Index size_for(Index modes) { return next_smooth(4 * modes + 1, false); }
  Index cells() const { return shape_.cells(); }
  /// Where mode number k (row-major) stands on the grid.
  Index cell(Index mode) const { return cell_[static_cast<std::size_t>(mode)]; }

  /// grid <- T times what stands on the grid at the cells of the modes; zero elsewhere before,
  /// undefined elsewhere after.
  void multiply(Complex* grid, const Context& context) const;

  /// R(q) = sum_k c(k + q) c(k) for all |q_i| <= 2 modes_i, row-major.
  Vector autocorrelation(const Vector& c, const Context& context) const;

 private:
  GridShape shape_;
  Extents modes_;
  std::vector<Index> cell_;
  std::vector<double> transform_;  // of s: real, divided by the cells
};

}  // namespace mercer
