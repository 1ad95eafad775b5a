// Shifted thin plate spline   k(x, y) = q log(q) / 2,   q = |x - y|^2 + c^2. Smooth at 0, and
// conditionally positive definite of order 2 like the plain one; here c matters.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct ShiftedThinPlateSpline {
  static constexpr Traits traits{.name = "shifted_thin_plate_spline",
                                 .alias = "",
                                 .summary = "a thin plate that is smooth at its points",
                                 .formula = "(|x-y|^2 + {c}^2)*log((|x-y|^2 + {c}^2)^(1/2))",
                                 .form = Form::radial,
                                 .unit_diagonal = false};
  double c = 1;
  double factor = 1;  // of squares of rows that were scaled, and its logarithm; not options
  double log_factor = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("c", c, "distance below which it is flat", Limit::positive).or_found("median");
  }
  constexpr Definite definite() const { return Definite::affine; }
  ShiftedThinPlateSpline rescaled(double s) const {
    return {within_squares(c * s), factor / s / s, log_factor - 2 * ::log(s)};
  }
  constexpr ShiftedThinPlateSpline over(double unit) const {
    return {c, factor / unit, log_factor};
  }
  /// With another unit of distance, and the same once affine functions are removed.
  ShiftedThinPlateSpline less_squares(double unit) const {
    return {c, factor, -::log(unit * unit + c * c)};
  }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T q = p.squared_distance() + T(c * c);
    return q * T(0.5 * factor) * (log(q) + T(log_factor));
  }
};

}  // namespace mercer
