// Gaussian kernel   k(x, y) = exp(-|x - y|^2 / (2 sigma^2)),   gamma = 1/(2 sigma^2).
// Radial, strictly positive definite, k(x, x) = 1. For a width far above the spread of the data all
// entries are 1 - tiny: less_diagonal then gives k - 1 through expm1, which centring cannot tell
// from k and which has no cancellation.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Gaussian {
  static constexpr Traits traits{.name = "gaussian",
                                 .alias = "rbf",
                                 .summary = "smooth, local; the default",
                                 .formula = "exp(-|x-y|^2/(2*{sigma}^2))",
                                 .form = Form::radial,
                                 .unit_diagonal = true};
  double sigma = kFromData;
  bool less_diagonal = false;  // set by the frame of the data, not an option

  static constexpr double gamma_of_sigma(double s) { return 1 / (2 * s * s); }
  static double sigma_of_gamma(double gamma) { return ::sqrt(0.5 / gamma); }

  template <class Fields>
  void describe(Fields& field) {
    field("sigma", sigma, "length scale", Limit::positive)
        .or_found("median")
        .or_spelt("gamma", gamma_of_sigma, sigma_of_gamma);
  }
  constexpr Definite definite() const { return Definite::always; }
  // With a width of 0 every point is alone; equal points must not become 0 * inf.
  constexpr Gaussian rescaled(double s) const {
    return {sigma * s > 1e-150 ? sigma * s : 1e-150, less_diagonal};
  }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T exponent = p.squared_distance() * T(-0.5 / (sigma * sigma));
    return less_diagonal ? expm1(exponent) : exp(exponent);
  }
};

}  // namespace mercer
