// Laplacian kernel   k(x, y) = exp(-gamma sum_i |x_i - y_i|),   gamma = 1/length. The distance is
// the sum of the coordinates' distances (scikit-learn's meaning; kernlab's laplacedot is
// `exponential`). Strictly positive definite, k(x, x) = 1.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Laplacian {
  static constexpr Traits traits{.name = "laplacian",
                                 .alias = "",
                                 .summary = "local and rough; sum of coordinate distances",
                                 .formula = "exp(-sum|x_i-y_i|/{length})",
                                 .form = Form::differences,
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
  constexpr Laplacian rescaled(double s) const {
    return {length * s > 1e-150 ? length * s : 1e-150, less_diagonal};
  }

  template <class T>
  MERCER_HD static T term(T x, T y) {
    return abs(x - y);
  }
  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T exponent = p.sum() * T(-1 / length);
    return less_diagonal ? expm1(exponent) : exp(exponent);
  }
};

}  // namespace mercer
