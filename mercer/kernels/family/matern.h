// Matern kernels, with s = sqrt(2 nu) |x - y| / length:
//   nu = 0.5   exp(-s)      nu = 1.5   (1 + s) exp(-s)      nu = 2.5   (1 + s + s^2/3) exp(-s)
// Radial, strictly positive definite, k(x, x) = 1; between `exponential` and `gaussian` in
// smoothness.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Matern {
  static constexpr Traits traits{.name = "matern",
                                 .alias = "",
                                 .summary = "local, of chosen smoothness",
                                 .formula = "(1 + s)*exp(-s), s = 3^(1/2)*|x-y|/{length}",
                                 .form = Form::radial,
                                 .unit_diagonal = true};
  double nu = 1.5;
  double length = kFromData;

  /// The formula of this smoothness; the one above is that of the default.
  constexpr const char* formula() const {
    if (nu < 1) return "exp(-|x-y|/{length})";
    if (nu < 2) return traits.formula;
    return "(1 + s + s^2/3)*exp(-s), s = 5^(1/2)*|x-y|/{length}";
  }

  template <class Fields>
  void describe(Fields& field) {
    field("nu", nu, "smoothness: 0.5, 1.5 or 2.5", Limit::matern);
    field("length", length, "length scale", Limit::positive).or_found("median");
  }
  constexpr Definite definite() const { return Definite::always; }
  // With a length of 0 every point is alone; equal points must not become 0 * inf.
  constexpr Matern rescaled(double s) const {
    return {nu, length * s > 1e-150 ? length * s : 1e-150};
  }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    // Beyond 1000 the value is 0, and s^2 must not become infinite.
    const T s = min(sqrt(p.squared_distance()) * T(::sqrt(2 * nu) / length), T(1000));
    const T linear = nu > 1 ? s : T(0);
    const T square = nu > 2 ? s * s * T(1.0 / 3) : T(0);
    return (T(1) + linear + square) * exp(T(0) - s);
  }
};

}  // namespace mercer
