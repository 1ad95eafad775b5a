// What a kernel family is. A family is a small struct in family/<name>.h with
//   static constexpr Traits traits          name, formula, what it is computed from
//   describe(field)                         its parameters, once (core/describe.h)
//   operator()(PairTerms<T>)                the value; T is double or a whole vector register
//   definite()                              whether its matrices are positive semidefinite
//   rescaled(s)                             the family for rows that were multiplied by s
// and nothing else. The catalogue, the parser, the tiles and the tests find it by its file name.
// Families are compiled once per CPU level: they include this header alone, and no standard header.
#pragma once

#include "mercer/core/describe.h"
#include "mercer/core/vecmath.h"

namespace mercer {

/// What a family is computed from: the dot product of two rows, or their distance.
enum class Form { dot, radial };

/// Whether every kernel matrix of a family is positive semidefinite; `centred`: after centring
/// only.
enum class Definite { always, centred, no };

struct Traits {
  const char* name;
  const char* alias;  // second name, "" for none
  const char* summary;
  const char* formula;  // in x, y and {parameter}
  Form form;
  bool unit_diagonal;  // k(x, x) = 1
};

/// What is known of a pair of rows.
template <class T>
struct PairTerms {
  T product;  // x . y, for Form::dot
  T squared;  // |x - y|^2, for Form::radial
  MERCER_HD T dot() const { return product; }
  MERCER_HD T squared_distance() const { return squared; }
};

}  // namespace mercer
