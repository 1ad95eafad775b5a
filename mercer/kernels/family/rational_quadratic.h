// Rational quadratic kernel   k(x, y) = (1 + |x - y|^2 / (2 alpha length^2))^-alpha, a mixture of
// Gaussians of many widths; alpha -> infinity gives the Gaussian of sigma = length. Radial,
// strictly positive definite, heavy tails, k(x, x) = 1.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct RationalQuadratic {
  static constexpr Traits traits{.name = "rational_quadratic",
                                 .alias = "",
                                 .summary = "Gaussians of many widths; heavy tails",
                                 .formula = "(1 + |x-y|^2/(2*{alpha}*{length}^2))^-{alpha}",
                                 .form = Form::radial,
                                 .unit_diagonal = true};
  double alpha = 1;
  double length = kFromData;
  bool less_diagonal = false;  // set by the frame of the data, not an option

  template <class Fields>
  void describe(Fields& field) {
    field("alpha", alpha, "how light the tails are", Limit::positive);
    field("length", length, "length scale", Limit::positive).or_found("median");
  }
  constexpr Definite definite() const { return Definite::always; }
  // With a length of 0 every point is alone; equal points must not become 0 * inf.
  constexpr RationalQuadratic rescaled(double s) const {
    return {alpha, length * s > 1e-150 ? length * s : 1e-150, less_diagonal};
  }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T t = p.squared_distance() * T(0.5 / alpha / length / length);
    const T exponent = log1p(t) * T(-alpha);
    if (less_diagonal) return expm1(exponent);
    return alpha == 1 ? T(1) / (T(1) + t) : exp(exponent);
  }
};

}  // namespace mercer
