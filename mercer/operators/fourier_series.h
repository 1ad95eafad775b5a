// A stationary kernel over a box as a Fourier series with positive coefficients:
//   k(x - y) = sum over |k_i| <= m_i of c_k exp(2 pi i k.(x - y) / P) + error,  c_k = S(2 pi
//   k/P)/P^d
// with S the kernel's transform. The periods P exceed the box so far that the kernel's copies stay
// small inside it (aliasing), the modes m reach as far as S is not negligible (truncation). Both
// parts of the error are bounded by closed formulas; the planner asks for them often.
#pragma once

#include "mercer/core/types.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/grid_fft.h"

#include <array>
#include <optional>

namespace mercer {

/// The kernels whose series are short: k(0) = 1, k and S both fall off fast.
struct FourierKernel {
  double nu = 0;  // of a Matern kernel, 1.5 or 2.5; 0 for a Gaussian
  double width = 1;

  double operator()(double distance) const;
  /// Beyond this distance the kernel is below `eps`.
  double cutoff(double eps) const;
};

/// The kernel as a series knows it, with the width that it has in the frame; nothing for others.
std::optional<FourierKernel> fourier_kernel(const Kernel& kernel, double width);

struct FourierShape {
  Index dim = 1;
  Extents modes = {0, 0, 0};
  std::array<double, 3> period = {1, 1, 1};
  double error = 0;  // of an entry, at most

  /// Modes, prod(2 m_i + 1): too many for an Index, perhaps.
  double count() const;
};

/// The fewest modes for |error| <= eps wherever |x_i - y_i| <= extent_i. Dimensions without extent
/// get one mode, and period 1.
FourierShape fourier_shape(const FourierKernel& kernel, const Vector& extent, double eps);

/// c_k, row-major with k = -m ... m along every dimension.
Vector fourier_coefficients(const FourierKernel& kernel, const FourierShape& shape);

}  // namespace mercer
