// Power distance kernel   k(x, y) = -|x - y|^exponent, 0 < exponent <= 2. Conditionally positive
// definite: after centring, exponent = 2 is classical scaling (twice the linear kernel).
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct PowerDistance {
  static constexpr Traits traits{.name = "power_distance",
                                 .alias = "",
                                 .summary = "a negative power of the distance; needs centring",
                                 .formula = "-|x-y|^{exponent}",
                                 .form = Form::radial,
                                 .unit_diagonal = false};
  double exponent = 1;
  double factor = 1;  // of rows that were scaled; not an option

  template <class Fields>
  void describe(Fields& field) {
    field("exponent", exponent, "power, at most 2", Limit::up_to_two);
  }
  constexpr Definite definite() const { return Definite::centred; }
  PowerDistance rescaled(double s) const { return {exponent, factor * ::pow(s, -exponent)}; }
  constexpr PowerDistance over(double unit) const { return {exponent, factor / unit}; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return power_of_distance(p.squared_distance(), exponent) * T(-factor);
  }
};

}  // namespace mercer
