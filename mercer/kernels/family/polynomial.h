// Polynomial kernel   k(x, y) = (scale x.y + offset)^degree. Its features are all monomials of that
// degree, and of lower ones where offset > 0. The power is made by multiplications: the base may be
// negative.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Polynomial {
  static constexpr Traits traits{.name = "polynomial",
                                 .alias = "poly",
                                 .summary = "all monomials up to a degree",
                                 .formula = "({scale}*x.y + {offset})^{degree}",
                                 .form = Form::dot,
                                 .unit_diagonal = false};
  double degree = 3;
  double scale = 1;
  double offset = 1;

  template <class Fields>
  void describe(Fields& field) {
    field("degree", degree, "power, a whole number", Limit::whole_positive);
    field("scale", scale, "factor of x.y", Limit::positive).or_spelt("gamma");
    field("offset", offset, "constant term", Limit::any).or_spelt("coef0");
  }
  constexpr Definite definite() const { return offset >= 0 ? Definite::always : Definite::no; }
  constexpr Polynomial rescaled(double s) const { return {degree, scale / s / s, offset}; }
  // Over the unit to the power of the degree.
  constexpr Polynomial over(double unit) const { return {degree, scale / unit, offset / unit}; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return pow_int(p.dot() * T(scale) + T(offset), static_cast<int>(degree));
  }
};

}  // namespace mercer
