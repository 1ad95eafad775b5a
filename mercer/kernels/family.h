// What a kernel family is. A family is a small struct in family/<name>.h with
//   static constexpr Traits traits          name, formula, what it is computed from
//   describe(field)                         its parameters, once (core/describe.h)
//   operator()(PairTerms<T>)                the value; T is double or a whole vector register
//   static term(x, y)                       one coordinate's part, for the forms that sum parts
//   definite()                              whether its matrices are positive semidefinite
//   rescaled(s)                             the family for rows that were multiplied by s
//   over(unit)                              where values may be of any size: the same values over a
//                                           power of two (a polynomial: over its degree-th power)
// and nothing else. The catalogue, the parser, the tiles and the tests find it by its file name.
// Families are compiled once per CPU level: they include this header alone, and no standard header.
#pragma once

#include "mercer/core/describe.h"
#include "mercer/core/vecmath.h"

namespace mercer {

/// What a family is computed from: the dot product of two rows, their squared distance, the dot
/// product of the rows brought to length 1, or a sum of term(x_i, y_i) over the coordinates. Terms
/// of `differences` depend on x_i - y_i alone, so that rows may be moved; those of `sums` do not.
enum class Form { dot, radial, angle, differences, sums };

/// Whether every kernel matrix of a family is positive semidefinite: always, after centring only
/// (conditionally of order 1), once affine functions of the rows are removed (of order 2), or not.
enum class Definite { always, centred, affine, no };

struct Traits {
  const char* name;
  const char* alias;  // second name, "" for none
  const char* summary;
  const char* formula;  // in x, y and {parameter}
  Form form;
  bool unit_diagonal;         // k(x, x) = 1
  bool non_negative = false;  // only for rows without negative values
};

/// What is known of a pair of rows.
template <class T>
struct PairTerms {
  T product;  // x . y, for Form::dot
  T squared;  // |x - y|^2, for Form::radial
  T summed;   // sum_i term(x_i, y_i), for Form::differences and Form::sums
  MERCER_HD T dot() const { return product; }
  MERCER_HD T squared_distance() const { return squared; }
  MERCER_HD T sum() const { return summed; }
};

/// A length whose square neither overflows nor vanishes.
constexpr double within_squares(double length) {
  return length < 1e-150 ? 1e-150 : length > 1e150 ? 1e150 : length;
}

/// (|x - y|^2 + c^2)^(1/2), also where c^2 overflows or vanishes.
template <class T>
MERCER_INLINE MERCER_HD T root_of_sum(T squared, double c) {
  const double square = c * c < 1e-300 ? 0 : c * c > 1e300 ? 1e300 : c * c;
  return max(sqrt(squared + T(square)), T(c));
}

/// |x - y|^exponent from the squared distance; 0 for equal rows.
template <class T>
MERCER_INLINE MERCER_HD T power_of_distance(T squared, double exponent) {
  if (exponent == 2) return squared;
  if (exponent == 1) return sqrt(squared);
  return select(squared > T(0), exp(log(squared) * T(exponent / 2)), T(0));
}

}  // namespace mercer
