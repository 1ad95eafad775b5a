// Log distance kernel   k(x, y) = -log(1 + |x - y|^exponent), 0 < exponent <= 2. Conditionally
// positive definite: positive semidefinite after centring.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct LogDistance {
  static constexpr Traits traits{.name = "log_distance",
                                 .alias = "",
                                 .summary = "a slowly growing distance; needs centring",
                                 .formula = "-log(1 + |x-y|^{exponent})",
                                 .form = Form::radial,
                                 .unit_diagonal = false};
  double exponent = 2;
  double factor = 1;  // of rows that were scaled; not an option

  template <class Fields>
  void describe(Fields& field) {
    field("exponent", exponent, "power, at most 2", Limit::up_to_two);
  }
  constexpr Definite definite() const { return Definite::centred; }
  LogDistance rescaled(double s) const { return {exponent, factor * ::pow(s, -exponent)}; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return T(0) - log1p(power_of_distance(p.squared_distance(), exponent) * T(factor));
  }
};

}  // namespace mercer
