// Exponential kernel   k(x, y) = exp(-|x - y| / length), the Euclidean sibling of `laplacian`, also
// known as Matern 1/2. Radial, strictly positive definite, k(x, x) = 1; rough: the square root
// makes it steep at 0, where tiles sum differences instead of taking |x|^2 + |y|^2 - 2 x.y.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Exponential {
  static constexpr Traits traits{.name = "exponential",
                                 .alias = "",
                                 .summary = "local and rough; Euclidean distance",
                                 .formula = "exp(-|x-y|/{length})",
                                 .form = Form::radial,
                                 .unit_diagonal = true};
  double length = kFromData;
  bool less_diagonal = false;  // set by the frame of the data, not an option

  static constexpr double inverse(double value) { return 1 / value; }

  template <class Fields>
  void describe(Fields& field) {
    field("length", length, "length scale", Limit::positive)
        .or_found("median")
        .or_spelt("gamma", inverse, inverse);
  }
  constexpr Definite definite() const { return Definite::always; }
  // With a length of 0 every point is alone; equal points must not become 0 * inf.
  constexpr Exponential rescaled(double s) const {
    return {length * s > 1e-150 ? length * s : 1e-150, less_diagonal};
  }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T exponent = sqrt(p.squared_distance()) * T(-1 / length);
    return less_diagonal ? expm1(exponent) : exp(exponent);
  }
};

}  // namespace mercer
