// A priori bound on the error of one kernel value, from what a family is computed from. With u the
// unit roundoff of the tile, o = 2^-53 that of the scalar formula, and rows already rounded to u:
//   dot          (d + 6) u |x||y|
//   radial       (d + 8) u (|x| + |y|)^2 from products; from summed differences the sum's
//                (d + 8) u |x - y|^2 and what rounding the rows does, 4 u |x - y| (|x| + |y|)
//   angle        (d + 4) u for the product of rows of length 1, 3 (d + 4) o for the two lengths
//   differences, (d + 8) u of the sum, whose terms are >= 0 and at most six operations long, and
//   sums         for each term what moving its two arguments by their rounding does
// each plus (d + 4) o of the same for the formula itself. Families are monotone in their argument,
// but for single extrema, so that moving it by its error bounds the error of the value; the map
// adds at most 20 u of the largest value within a factor two of the argument (q log q vanishes at
// q = 1, its rounding does not; where q = r^2 + c^2 is rounded before its logarithm is taken, 20 u
// q besides), and values below the least normal number may become 0. A power q^(b/2) = exp(b/2 log
// q) of the formula has the rounding of its exponent, 2 o |b log q|; tiles see rows near 1.
#pragma once

#include "mercer/kernels/kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace mercer::test {

using RowSpan = std::span<const double>;

struct EntryBound {
  double value = 0;
  double error = 0;
};

/// Two rows as a tile sees them: as they are, and moved to the centre of the frame.
struct TilePair {
  RowSpan x, y, moved_x, moved_y;
  double unit = 0x1p-53;
  bool direct = false;  // distances are summed differences

  TilePair(RowSpan a, RowSpan b, double u, bool d)
      : x(a), y(b), moved_x(a), moved_y(b), unit(u), direct(d) {}
  TilePair(RowSpan a, RowSpan b, RowSpan moved_a, RowSpan moved_b, double u, bool d)
      : x(a), y(b), moved_x(moved_a), moved_y(moved_b), unit(u), direct(d) {}
};

/// What a family is computed from, and its error.
struct Argument {
  double value = 0, error = 0;
};

inline double length_of(RowSpan x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

inline Argument dot_argument(const TilePair& pair) {
  const auto dim = static_cast<double>(pair.x.size());
  double product = 0;
  for (std::size_t i = 0; i < pair.x.size(); ++i) product += pair.x[i] * pair.y[i];
  const double size = length_of(pair.x) * length_of(pair.y);
  return {product, ((dim + 6) * pair.unit + (dim + 4) * 0x1p-53) * size};
}

inline Argument angle_argument(const TilePair& pair) {
  const auto dim = static_cast<double>(pair.x.size());
  const double lengths = length_of(pair.x) * length_of(pair.y);
  const double cosine = lengths > 0 ? dot_argument(pair).value / lengths : 0;
  return {cosine, (dim + 4) * pair.unit + 4 * (dim + 4) * 0x1p-53};
}

inline Argument radial_argument(const TilePair& pair) {
  const auto dim = static_cast<double>(pair.x.size());
  double squared = 0;
  for (std::size_t i = 0; i < pair.x.size(); ++i)
    squared += (pair.x[i] - pair.y[i]) * (pair.x[i] - pair.y[i]);
  const double sum = length_of(pair.moved_x) + length_of(pair.moved_y);
  const double unit = pair.unit, moved = 2 * unit * sum;
  const double error =
      pair.direct ? (dim + 8) * unit * squared + 2 * moved * std::sqrt(squared) + moved * moved
                  : (dim + 8) * unit * sum * sum;
  return {squared, error + (dim + 4) * 0x1p-53 * squared};
}

/// The largest change of a term when its arguments move by 2 u of themselves.
template <class Family>
double moved_term(double x, double y, double unit) {
  const double value = Family::term(x, y), dx = 2 * unit * std::abs(x), dy = 2 * unit * std::abs(y);
  double most = 0;
  for (const double a : {x - dx, x + dx})
    for (const double b : {y - dy, y + dy})
      most = std::max(most, std::abs(Family::term(a, b) - value));
  return most;
}

template <class Family>
Argument sum_argument(const TilePair& pair) {
  const bool moves = Family::traits.form == Form::differences;
  const RowSpan tile_x = moves ? pair.moved_x : pair.x, tile_y = moves ? pair.moved_y : pair.y;
  const auto dim = static_cast<double>(pair.x.size());
  Argument sum;
  for (std::size_t i = 0; i < pair.x.size(); ++i) {
    sum.value += Family::term(pair.x[i], pair.y[i]);
    sum.error += moved_term<Family>(tile_x[i], tile_y[i], pair.unit);
  }
  sum.error += ((dim + 8) * pair.unit + (dim + 4) * 0x1p-53) * sum.value;
  return sum;
}

template <class Family>
Argument argument_of(const Family&, const TilePair& pair) {
  if constexpr (Family::traits.form == Form::dot)
    return dot_argument(pair);
  else if constexpr (Family::traits.form == Form::angle)
    return angle_argument(pair);
  else if constexpr (Family::traits.form == Form::radial)
    return radial_argument(pair);
  else
    return sum_argument<Family>(pair);
}

inline EntryBound factor_bound(const AnyFamily& family, const TilePair& pair) {
  const auto bound = [&](const auto& f) {
    const Argument argument = argument_of(f, pair);
    const bool any_sign = f.traits.form == Form::dot || f.traits.form == Form::angle;
    const auto at = [&](double t) {
      const double inside = any_sign ? t : std::max(0.0, t);
      return f(PairTerms<double>{inside, inside, inside});
    };
    const double value = at(argument.value);
    const double spread = std::max(std::abs(at(argument.value + argument.error) - value),
                                   std::abs(at(argument.value - argument.error) - value));
    double size = std::abs(value);
    if (f.traits.form == Form::radial)
      size = std::max({size, std::abs(at(argument.value / 2)), std::abs(at(argument.value * 2))});
    if constexpr (requires { f.log_factor; }) size += argument.value + f.c * f.c;
    const double least = pair.unit == 0x1p-53 ? std::numeric_limits<double>::min()
                                              : double{std::numeric_limits<float>::min()};
    double error = spread + 20 * pair.unit * size + least;
    if constexpr (requires { f.exponent; })
      if (argument.value > 0)
        error += 2 * 0x1p-53 * f.exponent * std::abs(std::log(argument.value) * value);
    return EntryBound{value, error};
  };
  return visit_family(bound, family);
}

/// The value and its error.
inline EntryBound entry_bound(const Kernel& kernel, const TilePair& pair) {
  EntryBound sum;
  for (const KernelTerm& term : kernel.terms()) {
    EntryBound product{term.weight, pair.unit * std::abs(term.weight)};
    for (const AnyFamily& family : term.factors) {
      const EntryBound factor = factor_bound(family, pair);
      product.error = std::abs(product.value) * factor.error +
                      std::abs(factor.value) * product.error + product.error * factor.error;
      product.value *= factor.value;
    }
    sum.value += product.value;
    sum.error += product.error + 2 * pair.unit * std::abs(product.value);
  }
  return sum;
}

}  // namespace mercer::test
