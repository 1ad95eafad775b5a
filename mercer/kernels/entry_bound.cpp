#include "mercer/kernels/entry_bound.h"

#include "mercer/kernels/framed_family.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer {
namespace {

constexpr double kUnit = 0x1p-53;  // of rounding to double
// Units of rounding of a family's map, from its argument to its value; tests hold all of them to
// it.
constexpr double kMap = 20;
// Halvings of the argument that are looked at: down to the square of a rounded difference.
constexpr int kHalvings = 112;

// What a family is computed from: the largest size of it, whether it has both signs, and its error
// where its size is t.
struct Argument {
  double most = 0;
  bool both_signs = false;
  std::function<double(double)> error;
};

struct Extent {
  double radius;  // of rows about their mean
  double reach;   // of rows as tiles have them for distances
  double length;  // of rows as they are
  double terms;   // columns
};

Extent extent_of(const Frame& frame) {
  const double centre = frame.centre.size() > 0 ? frame.centre.norm() : 0;
  return {frame.radius, frame.reach, frame.reach + centre, static_cast<double>(frame.dim)};
}

// A sum of d products or terms has an error of d units of the sum of their magnitudes; rows that
// were moved are rounded, by a unit of themselves.
Argument argument_of(Form form, const Frame& frame, double unit, bool direct, bool exact) {
  const auto [radius, reach, length, terms] = extent_of(frame);
  const double root = std::sqrt(terms);
  switch (form) {
    case Form::dot: {
      const double size = frame.centre_products ? radius : length, most = size * size;
      const double error = (exact ? 2 * unit : (terms + 6) * unit + (terms + 4) * kUnit) * most;
      return {most, true, [error](double) { return error; }};
    }
    case Form::angle: {
      const double error = (terms + 4) * unit + 4 * (terms + 4) * kUnit;
      return {1, true, [error](double) { return error; }};
    }
    case Form::radial: {
      // Sparse rows are not moved, and only float tiles round them.
      const bool rounded = frame.centre.size() > 0 || unit > kUnit;
      const double most = 4 * radius * radius, moved = rounded ? 4 * unit * reach : 0;
      if (exact) return {most, false, [unit](double t) { return 4 * unit * t; }};
      if (!direct) {
        const double error = (terms + 8) * unit * 4 * reach * reach;
        return {most, false, [error](double) { return error; }};
      }
      const double relative = (terms + 8) * unit + (terms + 4) * kUnit;
      return {most, false, [relative, moved](double t) {
                return relative * t + 2 * moved * std::sqrt(t) + moved * moved;
              }};
    }
    case Form::differences:
    case Form::sums:
      break;
  }
  // Terms change by at most three times what their two arguments change by.
  const double size = form == Form::differences ? reach : length;
  const double relative = (terms + 8) * unit + (terms + 4) * kUnit, moved = 12 * unit * size * root;
  return {2 * size * root, false, [relative, moved](double t) { return relative * t + moved; }};
}

// What an argument t with its error does to a value, and what the map adds.
template <class Family>
EntryBound at_argument(const Family& family, double t, double error, bool both_signs, double unit) {
  const auto value_at = [&](double argument) {
    const double inside = both_signs ? argument : std::max(0.0, argument);
    return static_cast<double>(family(PairTerms<double>{inside, inside, inside}));
  };
  const double value = value_at(t);
  double spread =
      std::max(std::abs(value_at(t + error) - value), std::abs(value_at(t - error) - value));
  if constexpr (requires { family.steepest(); })
    spread = std::max(spread, family.steepest() * error);
  // q log q vanishes at q = 1, its rounding does not.
  double size = std::max(std::abs(value), std::abs(value_at(t / 2)));
  if constexpr (requires { family.log_factor; })
    size += (t + family.c * family.c) * std::abs(family.factor);
  double made = kMap * unit * size;
  if constexpr (requires { family.exponent; })
    if (t > 0) made += 2 * kUnit * family.exponent * std::abs(std::log(t) * value);
  if constexpr (requires { family.degree; }) made += 2 * family.degree * unit * size;
  return {std::abs(value) + spread, spread + made};
}

// Families are monotone in their argument with a monotone slope, but for single extrema: the
// largest change by a given error is found on a geometric grid and at 0.
EntryBound bound_of(const AnyFamily& family, const Frame& frame, Precision precision, bool exact) {
  const bool single = precision == Precision::single_;
  const double unit = single ? 0x1p-24 : kUnit;
  const bool direct = single ? frame.direct_single : frame.direct_double;
  return visit_family(
      [&](const auto& f) {
        const auto scaled = in_frame(f, frame);
        const Argument argument = argument_of(f.traits.form, frame, unit, direct, exact);
        EntryBound most;
        const auto look = [&](double t) {
          const EntryBound here =
              at_argument(scaled, t, argument.error(std::abs(t)), argument.both_signs, unit);
          most.largest = std::max(most.largest, here.largest);
          most.error = std::max(most.error, here.error);
        };
        look(0);
        double t = argument.most;
        for (int i = 0; i < kHalvings && t > 0; ++i, t /= 2) {
          look(t);
          if (argument.both_signs) look(-t);
        }
        return most;
      },
      family);
}

}  // namespace

EntryBound entry_bound(const Kernel& kernel, const Frame& frame, Precision precision,
                       bool exact_products) {
  const double unit = precision == Precision::single_ ? 0x1p-24 : kUnit;
  EntryBound sum;
  for (const KernelTerm& term : kernel.terms()) {
    EntryBound product{std::abs(term.weight), unit * std::abs(term.weight)};
    for (const AnyFamily& family : term.factors) {
      const EntryBound factor = bound_of(family, frame, precision, exact_products);
      product.error = product.largest * factor.error + factor.largest * product.error +
                      product.error * factor.error;
      product.largest *= factor.largest;
    }
    sum.error += product.error + 2 * unit * product.largest;
    sum.largest += product.largest;
  }
  return sum;
}

}  // namespace mercer
