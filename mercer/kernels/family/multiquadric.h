// Multiquadric kernel   k(x, y) = -(|x - y|^2 + c^2)^(1/2). Conditionally positive definite:
// positive semidefinite after centring. What the diagonal holds, -c, is then a constant that nobody
// can see; less_diagonal leaves it out, which saves the digits that a large c would cost:
//   c - sqrt(r2 + c^2) = -r2 / (sqrt(r2 + c^2) + c).
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Multiquadric {
  static constexpr Traits traits{.name = "multiquadric",
                                 .alias = "",
                                 .summary = "grows with distance; needs centring",
                                 .formula = "-(|x-y|^2 + {c}^2)^(1/2)",
                                 .form = Form::radial,
                                 .unit_diagonal = false};
  double c = 1;
  double factor = 1;           // of rows that were scaled; not an option
  bool less_diagonal = false;  // set by the frame of the data, not an option

  template <class Fields>
  void describe(Fields& field) {
    field("c", c, "distance at which it bends", Limit::positive).or_found("median");
  }
  constexpr Definite definite() const { return Definite::centred; }
  constexpr Multiquadric rescaled(double s) const { return {c * s, factor / s, less_diagonal}; }
  constexpr Multiquadric over(double unit) const { return {c, factor / unit, less_diagonal}; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T root = root_of_sum(p.squared_distance(), c);
    if (less_diagonal) return p.squared_distance() / (root + T(c)) * T(-factor);
    return root * T(-factor);
  }
};

}  // namespace mercer
