// Chi-squared similarity   k(x, y) = sum_i 2 x_i y_i / (x_i + y_i), for values >= 0, with 0/0 = 0:
// the harmonic mean of every pair of entries. Positive semidefinite.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct ChiSquaredSimilarity {
  static constexpr Traits traits{.name = "chi_squared_similarity",
                                 .alias = "",
                                 .summary = "histograms, as a similarity",
                                 .formula = "sum(2*x_i*y_i/(x_i+y_i))",
                                 .form = Form::sums,
                                 .unit_diagonal = false,
                                 .non_negative = true};
  double factor = 1;  // of rows that were scaled; not an option

  template <class Fields>
  void describe(Fields&) {}
  constexpr Definite definite() const { return Definite::always; }
  constexpr ChiSquaredSimilarity rescaled(double s) const { return {factor / s}; }
  constexpr ChiSquaredSimilarity over(double unit) const { return {factor / unit}; }

  template <class T>
  MERCER_HD static T term(T x, T y) {
    // The larger one over the sum is between 1/2 and 1: no overflow, and the same both ways.
    const T sum = x + y, least = min(x, y);
    return select(sum > T(0), (least + least) * (max(x, y) / sum), T(0));
  }
  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return p.sum() * T(factor);
  }
};

}  // namespace mercer
