#include "mercer/operators/fourier_series.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kMostModes = 1e9;  // along a dimension: such a shape is refused anyway

Index whole(double modes) { return static_cast<Index>(std::clamp(modes, 0.0, kMostModes)); }

// Smallest distance in [0, far] at which a falling function is at most `value`.
template <class F>
double falls_to(const F& f, double value, double far) {
  double low = 0, high = far;
  for (int step = 0; step < 24; ++step) {
    const double middle = 0.5 * (low + high);
    (f(middle) > value ? low : high) = middle;
  }
  return high;
}

// One dimension of a Gaussian of width l: P, then m, each for half of e.
//   aliasing    2 exp(-(P-L)^2/(2 l^2)) / (1 - exp(-P (P-L)/l^2))
//   truncation  2 c_{m+1} / (1 - exp(-4 pi^2 l^2 (m+1)/P^2))
struct GaussianAxis {
  double l, period, modes, error;

  GaussianAxis(double width, double extent, double e) : l(width) {
    double gap = l * std::sqrt(2 * std::log(4 / e));
    while (aliasing(extent, gap) > 0.5 * e) gap += 1e-3 * l;
    period = extent + gap;
    modes = std::ceil(period / (kPi * l) * std::sqrt(0.5 * std::log(4 / e)));
    while (modes < kMostModes && truncation(modes) > 0.5 * e) ++modes;
    while (modes > 1 && modes < kMostModes && truncation(modes - 1) <= 0.5 * e) --modes;
    error = aliasing(extent, gap) + truncation(modes);
  }
  double aliasing(double extent, double gap) const {
    const double s = gap / l;
    return 2 * std::exp(-0.5 * s * s) / -std::expm1(-(extent / l + s) * s);
  }
  double truncation(double m) const {
    const double w = 2 * kPi * l / period;
    const double next =
        std::sqrt(2 * kPi) * l / period * std::exp(-0.5 * w * w * (m + 1) * (m + 1));
    return 2 * next / -std::expm1(-w * w * (m + 1));
  }
};

// Matern kernels: S(w) ~ (a^2 + w^2)^-(nu + d/2) with a = sqrt(2 nu)/l. What modes beyond m along
// one dimension hold, summed over all modes of the others, is the tail of the one-dimensional S:
//   int_theta^inf (1 + u^2)^-p du / I_p <= phi^(2p-1) / ((2p-1) I_p),  phi = atan(1/theta),
// I_p the integral from 0, p = nu + 1/2, theta = 2 pi (m + 1/2)/(a P): S is convex there, so its
// values are below its means.
struct MaternTail {
  double p, whole_integral;

  explicit MaternTail(double nu) : p(nu + 0.5), whole_integral(nu < 2 ? kPi / 4 : 3 * kPi / 16) {}
  double at(double theta) const {
    return std::pow(std::atan(1 / theta), 2 * p - 1) / ((2 * p - 1) * whole_integral);
  }
  double theta(double tail) const {
    const double phi = std::pow((2 * p - 1) * whole_integral * tail, 1 / (2 * p - 1));
    return 1 / std::tan(std::min(phi, kPi / 3));
  }
};

// sum over n != 0 of f(|distance to the copy n|), where copies are at least `gap` away and, layer
// after layer, another `period` each: f of a copy that is off in t dimensions is f(sqrt(t) gap).
template <class F>
double copies(const F& f, double dim, double gap, double period) {
  double sum = 2 * dim * f(gap);
  if (dim > 1) sum += 2 * dim * (dim - 1) * f(std::sqrt(2.0) * gap);
  if (dim > 2) sum += 8 * f(std::sqrt(3.0) * gap);
  for (double layer = 2; layer < 50; ++layer) {
    const double term = (std::pow(2 * layer + 1, dim) - std::pow(2 * layer - 1, dim)) *
                        f(gap + (layer - 1) * period);
    sum += term;
    if (term < 1e-3 * sum) break;
  }
  return sum;
}

// The kernel of the next smoothness but the same a: no smaller, and it bounds how the copies of a
// mode's share along the other dimensions add to it.
double smoother(double nu, double s) {
  return nu < 2 ? (1 + s + s * s / 3) * std::exp(-s)
                : (1 + s + 0.4 * s * s + s * s * s / 15) * std::exp(-s);
}

FourierShape matern_shape(const FourierKernel& kernel, const Vector& extent, double eps) {
  FourierShape shape{.dim = extent.size()};
  const auto active = static_cast<double>((extent.array() > 0).count());
  if (active == 0) return shape;
  const double least = (extent.array() > 0).select(extent, extent.maxCoeff()).minCoeff();
  const auto alias = [&](double gap) { return copies(kernel, active, gap, least + gap); };
  const double far = kernel.cutoff(1e-3 * eps);
  const double gap = falls_to(alias, 0.5 * eps * (1 - 1e-6), far);
  const double a = std::sqrt(2 * kernel.nu) / kernel.width;
  const double others = 1 + copies([&](double r) { return smoother(kernel.nu, a * r); },
                                   std::max(1.0, active - 1), least + gap, least + gap);
  const MaternTail tail(kernel.nu);
  const double theta = tail.theta(0.5 * eps / active / others);
  shape.error = alias(gap);
  for (Index i = 0; i < extent.size(); ++i) {
    if (!(extent[i] > 0)) continue;
    const auto axis = static_cast<std::size_t>(i);
    shape.period[axis] = extent[i] + gap;
    const double per_mode = 2 * kPi / (a * shape.period[axis]);
    shape.modes[axis] = std::max<Index>(1, whole(std::ceil(theta / per_mode - 0.5)));
    shape.error += others * tail.at(per_mode * (static_cast<double>(shape.modes[axis]) + 0.5));
  }
  return shape;
}

FourierShape gaussian_shape(const FourierKernel& kernel, const Vector& extent, double eps) {
  FourierShape shape{.dim = extent.size()};
  const auto active = static_cast<double>((extent.array() > 0).count());
  double grown = 1;
  for (Index i = 0; i < extent.size(); ++i) {
    if (!(extent[i] > 0)) continue;
    const auto axis = static_cast<std::size_t>(i);
    const GaussianAxis chosen(kernel.width, extent[i], eps / active / (1 + eps));
    shape.period[axis] = chosen.period;
    shape.modes[axis] = whole(chosen.modes);
    grown += grown * chosen.error;  // |prod(g + e) - prod(g)| <= prod(1 + e) - 1
  }
  shape.error = grown - 1;
  return shape;
}

}  // namespace

double FourierKernel::operator()(double distance) const {
  if (nu == 0) return std::exp(-0.5 * distance * distance / (width * width));
  const double s = std::min(1000.0, std::sqrt(2 * nu) * distance / width);
  return (1 + s + (nu > 2 ? s * s / 3 : 0)) * std::exp(-s);
}

double FourierKernel::cutoff(double eps) const {
  if (nu == 0) return width * std::sqrt(2 * std::log(1 / eps));
  const double s = 2 * std::log(1 / eps) + 8;  // (1 + s + s^2/3) exp(-s) <= exp(-s/2 + 4)
  return falls_to(*this, eps, s * width / std::sqrt(2 * nu));
}

std::optional<FourierKernel> fourier_kernel(const Kernel& kernel, double width) {
  if (!(width > 0)) return std::nullopt;
  if (kernel.only<Gaussian>() != nullptr) return FourierKernel{0, width};
  const Matern* matern = kernel.only<Matern>();
  if (matern == nullptr || matern->nu < 1) return std::nullopt;
  return FourierKernel{matern->nu, width};
}

double FourierShape::count() const {
  double product = 1;
  for (const Index m : modes) product *= 2 * static_cast<double>(m) + 1;
  return product;
}

FourierShape fourier_shape(const FourierKernel& kernel, const Vector& extent, double eps) {
  return kernel.nu == 0 ? gaussian_shape(kernel, extent, eps) : matern_shape(kernel, extent, eps);
}

Vector fourier_coefficients(const FourierKernel& kernel, const FourierShape& shape) {
  Vector coefficients(static_cast<Index>(shape.count()));
  std::array<Vector, 3> along;  // squares of the frequencies
  double active = 0, cell = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const Index m = shape.modes[i];
    const double w = m == 0 ? 0 : 2 * kPi / shape.period[i];
    along[i] = Vector::LinSpaced(2 * m + 1, -static_cast<double>(m), static_cast<double>(m)) * w;
    along[i] = along[i].array().square().matrix().eval();
    if (m == 0) continue;
    ++active;
    cell *= shape.period[i];
  }
  const double l = kernel.width, nu = kernel.nu, a2 = 2 * nu / (l * l), power = nu + 0.5 * active;
  // S(0) / P^d; for Matern kernels S(w) = S(0) (a^2 / (a^2 + w^2))^power.
  const double first =
      nu == 0 ? std::pow(std::sqrt(2 * kPi) * l, active) / cell
              : std::pow(4 * kPi / a2, 0.5 * active) * std::tgamma(power) / std::tgamma(nu) / cell;
  Index at = 0;
  for (const double w0 : along[0])
    for (const double w1 : along[1])
      for (const double w2 : along[2]) {
        const double w = w0 + w1 + w2;
        coefficients[at++] =
            first * (nu == 0 ? std::exp(-0.5 * l * l * w) : std::pow(a2 / (a2 + w), power));
      }
  return coefficients;
}

}  // namespace mercer
