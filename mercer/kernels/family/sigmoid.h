// Sigmoid kernel   k(x, y) = tanh(scale x.y + offset). Not positive semidefinite in general:
// negative eigenvalues are met by the policy of --indefinite and reported.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Sigmoid {
  static constexpr Traits traits{.name = "sigmoid",
                                 .alias = "tanh",
                                 .summary = "saturating; not positive semidefinite",
                                 .formula = "tanh({scale}*x.y + {offset})",
                                 .form = Form::dot,
                                 .unit_diagonal = false};
  double scale = 1;
  double offset = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("scale", scale, "factor of x.y", Limit::any).or_spelt("gamma");
    field("offset", offset, "constant term", Limit::any).or_spelt("coef0");
  }
  constexpr Definite definite() const { return Definite::no; }
  constexpr Sigmoid rescaled(double s) const { return {scale / s / s, offset}; }

  /// |dk / d(x.y)| at most: the steep place may be anywhere.
  constexpr double steepest() const { return scale < 0 ? -scale : scale; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return tanh(p.dot() * T(scale) + T(offset));
  }
};

}  // namespace mercer
