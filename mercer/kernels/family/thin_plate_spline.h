// Thin plate spline   k(x, y) = t^2 log t,   t = |x - y| / c. Conditionally positive definite of
// order 2: positive semidefinite once all affine functions of the rows are removed, not the
// constant alone. After that c is only a factor: (r/c)^2 log(r/c) differs from r^2 log(r) / c^2 by
// a multiple of r^2. Found from the squared distance q = t^2 as q log(q) / 2.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct ThinPlateSpline {
  static constexpr Traits traits{.name = "thin_plate_spline",
                                 .alias = "tps",
                                 .summary = "the smoothest surface; affine functions are removed",
                                 .formula = "(|x-y|/{c})^2*log(|x-y|/{c})",
                                 .form = Form::radial,
                                 .unit_diagonal = false};
  static constexpr bool steep_at_zero = true;  // the slope over squared distances has no bound
  double c = 1;
  double factor = 1;  // of values in other units; not an option

  template <class Fields>
  void describe(Fields& field) {
    field("c", c, "unit of distance", Limit::positive).or_found("median");
  }
  constexpr Definite definite() const { return Definite::affine; }
  constexpr ThinPlateSpline rescaled(double s) const { return {within_squares(c * s), factor}; }
  constexpr ThinPlateSpline over(double unit) const { return {c, factor / unit}; }
  /// With another unit of distance, and the same once affine functions are removed.
  constexpr ThinPlateSpline less_squares(double unit) const {
    return {unit, factor * (unit / c) * (unit / c)};
  }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T q = p.squared_distance() * T(1 / c / c);
    return select(q > T(0), q * log(q) * T(0.5 * factor), T(0));
  }
};

}  // namespace mercer
