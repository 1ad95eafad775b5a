// Linear kernel   k(x, y) = x.y + offset. With centring, kernel PCA with it is PCA and the offset
// is irrelevant.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Linear {
  static constexpr Traits traits{.name = "linear",
                                 .alias = "",
                                 .summary = "ordinary PCA",
                                 .formula = "x.y + {offset}",
                                 .form = Form::dot,
                                 .unit_diagonal = false};
  double offset = 0;
  double slope = 1;  // 1/s^2 for rows multiplied by s; not an option

  template <class Fields>
  void describe(Fields& field) {
    field("offset", offset, "constant term", Limit::any);
  }
  constexpr Definite definite() const { return offset >= 0 ? Definite::always : Definite::centred; }
  constexpr Linear rescaled(double s) const { return {offset, slope / s / s}; }
  constexpr Linear less_offset() const { return {0, slope}; }
  constexpr Linear over(double unit) const { return {offset / unit, slope / unit}; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return p.dot() * T(slope) + T(offset);
  }
};

}  // namespace mercer
