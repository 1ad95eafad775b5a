// Additive chi-squared kernel, the negative distance   k(x, y) = -sum_i (x_i - y_i)^2 / (x_i +
// y_i), for values >= 0, with 0/0 = 0. Conditionally positive definite: after centring it is twice
// `chi_squared_similarity`.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct AdditiveChiSquared {
  static constexpr Traits traits{.name = "additive_chi_squared",
                                 .alias = "",
                                 .summary = "histograms, as a negative distance; needs centring",
                                 .formula = "-sum((x_i-y_i)^2/(x_i+y_i))",
                                 .form = Form::sums,
                                 .unit_diagonal = false,
                                 .non_negative = true};
  double factor = 1;  // of rows that were scaled; not an option

  template <class Fields>
  void describe(Fields&) {}
  constexpr Definite definite() const { return Definite::centred; }
  constexpr AdditiveChiSquared rescaled(double s) const { return {factor / s}; }
  constexpr AdditiveChiSquared over(double unit) const { return {factor / unit}; }

  template <class T>
  MERCER_HD static T term(T x, T y) {
    const T sum = x + y, difference = x - y;
    return select(sum > T(0), difference * (difference / sum), T(0));
  }
  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return p.sum() * T(-factor);
  }
};

}  // namespace mercer
