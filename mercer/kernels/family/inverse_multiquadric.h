// Inverse multiquadric kernel   k(x, y) = (|x - y|^2 + c^2)^(-1/2). Radial, strictly positive
// definite, k(x, x) = 1/c.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct InverseMultiquadric {
  static constexpr Traits traits{.name = "inverse_multiquadric",
                                 .alias = "",
                                 .summary = "local, with heavy tails",
                                 .formula = "(|x-y|^2 + {c}^2)^(-1/2)",
                                 .form = Form::radial,
                                 .unit_diagonal = false};
  double c = 1;
  double factor = 1;  // of rows that were scaled; not an option

  template <class Fields>
  void describe(Fields& field) {
    field("c", c, "distance at which it bends", Limit::positive).or_found("median");
  }
  constexpr Definite definite() const { return Definite::always; }
  // Rows times s: (|x-y|^2 + c^2)^(-1/2) = s (s^2 |x-y|^2 + s^2 c^2)^(-1/2).
  constexpr InverseMultiquadric rescaled(double s) const { return {c * s, factor * s}; }
  constexpr InverseMultiquadric over(double unit) const { return {c, factor / unit}; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return T(factor) / root_of_sum(p.squared_distance(), c);
  }
};

}  // namespace mercer
