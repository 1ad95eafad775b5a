// Cosine kernel   k(x, y) = x.y / (|x| |y|), and 0 where a row is zero. Rows are brought to length
// 1 once, in double precision; then it is the linear kernel on the sphere. Positive semidefinite.
#pragma once

#include "mercer/kernels/family.h"

namespace mercer {

struct Cosine {
  static constexpr Traits traits{.name = "cosine",
                                 .alias = "",
                                 .summary = "the angle between rows, whatever their lengths",
                                 .formula = "x.y/(|x||y|)",
                                 .form = Form::angle,
                                 .unit_diagonal = false};

  template <class Fields>
  void describe(Fields&) {}
  constexpr Definite definite() const { return Definite::always; }
  constexpr Cosine rescaled(double) const { return {}; }

  template <class T>
  MERCER_HD T operator()(PairTerms<T> p) const {
    return p.dot();
  }
};

}  // namespace mercer
