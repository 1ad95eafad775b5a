#include "mercer/linalg/spread_window.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace mercer {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Index kNodes = 40;    // log psihat is smooth: a polynomial of this many terms has it all
constexpr Index kOffsets = 32;  // positions within a cell

// Measured to be best where the grid has twice as many cells as modes.
double beta_of(Index width) {
  const double per_cell = width == 2 ? 2.20 : width == 3 ? 2.26 : width == 4 ? 2.38 : 2.30;
  return per_cell * static_cast<double>(width);
}

double bump(double z, double beta) {
  return std::exp(beta * (std::sqrt(std::max(0.0, 1 - z * z)) - 1));
}

double node(Index i, Index count) {
  return std::cos(kPi * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
}

// Coefficients of the Chebyshev series through values at the nodes.
Vector chebyshev(const Vector& values) {
  const Index n = values.size();
  Vector series = Vector::Zero(n);
  for (Index p = 0; p < n; ++p) {
    for (Index i = 0; i < n; ++i)
      series[p] += values[i] * std::cos(kPi * static_cast<double>(p) *
                                        (static_cast<double>(i) + 0.5) / static_cast<double>(n));
    series[p] *= (p == 0 ? 1.0 : 2.0) / static_cast<double>(n);
  }
  return series;
}

double chebyshev_at(const Vector& series, double s) {
  double last = 0, before = 0;
  for (Index p = series.size() - 1; p > 0; --p) {
    const double next = series[p] + 2 * s * last - before;
    before = last;
    last = next;
  }
  return series[0] + s * last - before;
}

// The same polynomial by powers of s.
Vector powers_of(const Vector& series) {
  const Index n = series.size();
  Vector before = Vector::Zero(n), now = Vector::Zero(n), sum = Vector::Zero(n);
  before[0] = 1;
  sum[0] = series[0];
  if (n > 1) now[1] = 1;
  for (Index p = 1; p < n; ++p) {
    sum += series[p] * now;
    Vector next = -before;
    next.tail(n - 1) += 2 * now.head(n - 1);
    before = now;
    now = next;
  }
  return sum;
}

}  // namespace

SpreadWindow::SpreadWindow(Index width, Index size, Index modes)
    : width_(modes == 0 ? 1 : width), inverse_(Vector::Ones(modes + 1)) {
  if (modes == 0) return;
  fit(beta_of(width_));
  measure(size, modes);
}

SpreadWindow SpreadWindow::for_tolerance(double tolerance, Index size, Index modes) {
  const double digits = -std::log10(std::clamp(tolerance, 1e-15, 0.1));
  Index width = std::clamp<Index>(static_cast<Index>(digits) - 1, 2, kWidest);
  SpreadWindow best(width, size, modes);
  while (best.error() > tolerance && ++width <= kWidest) {
    SpreadWindow wider(width, size, modes);
    if (wider.error() < best.error()) best = std::move(wider);
  }
  return best;
}

// The end of the bump is a square root, which no polynomial follows; there it is e^-beta high.
void SpreadWindow::fit(double beta) {
  const Index terms = width_ + 4;
  powers_.setZero(kWidest, terms);
  const double half = 0.5 * static_cast<double>(width_);
  for (Index cell = 0; cell < width_; ++cell) {
    Vector values(terms);
    for (Index i = 0; i < terms; ++i) {
      const double within = 0.5 + 0.5 * node(i, terms);
      values[i] = bump((static_cast<double>(cell) + within - half) / half, beta);
    }
    powers_.row(cell) = powers_of(chebyshev(values)).transpose();
  }
}

Index SpreadWindow::weights(double position, double* out) const {
  if (width_ == 1) {
    out[0] = 1;
    return 0;
  }
  const double left = position - 0.5 * static_cast<double>(width_), first = std::ceil(left);
  const double s = 2 * (first - left) - 1;
  // Eight cells at a time: as many sums as registers hold.
  const Index last = powers_.cols() - 1;
  for (Index part = 0; part < width_; part += 8) {
    Eigen::Array<double, 8, 1> sum = powers_.col(last).segment<8>(part);
    for (Index p = last - 1; p >= 0; --p) sum = sum * s + powers_.col(p).segment<8>(part).array();
    Eigen::Map<Eigen::Array<double, 8, 1>>(out + part) = sum;
  }
  return static_cast<Index>(first);
}

void SpreadWindow::measure(Index size, Index modes) {
  const double most = 2 * kPi * static_cast<double>(modes) / static_cast<double>(size);
  Points weight(kOffsets, kWidest), distance(kOffsets, width_);
  for (Index r = 0; r < kOffsets; ++r) {
    const double position = (static_cast<double>(r) + 0.5) / static_cast<double>(kOffsets);
    const Index first = weights(position, weight.row(r).data());
    for (Index j = 0; j < width_; ++j) distance(r, j) = static_cast<double>(first + j) - position;
  }
  Vector logs(kNodes);
  for (Index i = 0; i <= kNodes; ++i) {
    const double mode = i == kNodes ? most : most * (0.5 + 0.5 * node(i, kNodes));
    Eigen::ArrayXcd seen = Eigen::ArrayXcd::Zero(kOffsets);
    for (Index r = 0; r < kOffsets; ++r)
      for (Index j = 0; j < width_; ++j)
        seen[r] += weight(r, j) * std::polar(1.0, mode * distance(r, j));
    const double mean = seen.real().mean();
    if (i < kNodes) logs[i] = std::log(mean);
    error_ = std::max(error_, (seen / mean - 1.0).abs().maxCoeff());
  }
  const Vector series = chebyshev(logs);
  for (Index k = 0; k <= modes; ++k)
    inverse_[k] = std::exp(
        -chebyshev_at(series, 2 * static_cast<double>(k) / static_cast<double>(modes) - 1));
}

}  // namespace mercer
