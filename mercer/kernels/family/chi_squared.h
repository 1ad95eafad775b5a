// Chi-squared kernel   k(x, y) = exp(-gamma sum_i (x_i - y_i)^2 / (x_i + y_i)), for histograms: all
// values >= 0, and 0/0 counts as 0. Positive semidefinite, k(x, x) = 1.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct ChiSquared {
  static constexpr Traits traits{.name = "chi_squared",
                                 .alias = "",
                                 .summary = "histograms: counts or frequencies >= 0",
                                 .formula = "exp(-{gamma}*sum((x_i-y_i)^2/(x_i+y_i)))",
                                 .form = Form::sums,
                                 .unit_diagonal = true,
                                 .non_negative = true};
  double gamma = 1;
  bool less_diagonal = false;  // set by the frame of the data, not an option

  template <class Fields>
  void describe(Fields& field) {
    field("gamma", gamma, "factor of the chi-squared distance", Limit::positive);
  }
  constexpr Definite definite() const { return Definite::always; }
  constexpr ChiSquared rescaled(double s) const { return {gamma / s, less_diagonal}; }

  template <class T>
  MERCER_HD static T term(T x, T y) {
    const T sum = x + y, difference = x - y;
    return select(sum > T(0), difference * (difference / sum), T(0));
  }
  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    const T exponent = p.sum() * T(-gamma);
    return less_diagonal ? expm1(exponent) : exp(exponent);
  }
};

}  // namespace mercer
