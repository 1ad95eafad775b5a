// A priori bound on the error of one kernel value. Tiles know a pair by its dot product, wrong by
// at most (d + 6) u |x||y|, or its squared distance, wrong by (d + 8) u (|x| + |y|)^2 when formed
// from products (rounding of the rows, of the sum and of the constants included) and (d + 8) u |x -
// y|^2 when differences are summed. Families are monotone in these, so moving the argument by its
// error bounds the error of the value; the map's own rounding adds at most 20 u of the value, and
// values below the least normal number may become 0.
#pragma once

#include "mercer/kernels/kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace mercer::test {

struct EntryBound {
  double value = 0;
  double error = 0;
};

struct PairErrors {
  PairTerms<double> terms;
  double product = 0, squared = 0;  // of the terms
};

inline PairErrors pair_errors(std::span<const double> x, std::span<const double> y, double unit,
                              bool direct) {
  PairErrors pair{{0, 0}, 0, 0};
  double xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    pair.terms.product += x[i] * y[i];
    pair.terms.squared += (x[i] - y[i]) * (x[i] - y[i]);
    xx += x[i] * x[i];
    yy += y[i] * y[i];
  }
  const auto dim = static_cast<double>(x.size());
  const double sum = std::sqrt(xx) + std::sqrt(yy);
  pair.product = (dim + 6) * unit * std::sqrt(xx * yy);
  pair.squared = (dim + 8) * unit * (direct ? pair.terms.squared : sum * sum);
  return pair;
}

inline double value_at(const AnyFamily& family, PairTerms<double> terms) {
  return visit_family([&](const auto& f) { return f(terms); }, family);
}

inline EntryBound factor_bound(const AnyFamily& family, const PairErrors& pair, double unit) {
  const auto at = [&](double sign) {
    return value_at(family, {pair.terms.product + sign * pair.product,
                             std::max(0.0, pair.terms.squared + sign * pair.squared)});
  };
  const double value = at(0);
  const double spread = std::max(std::abs(at(1) - value), std::abs(at(-1) - value));
  const double least = unit == 0x1p-53 ? std::numeric_limits<double>::min()
                                       : double{std::numeric_limits<float>::min()};
  return {value, spread + 20 * unit * std::abs(value) + least};
}

/// The value and its error for rows x, y that were already moved as the tile moves them.
inline EntryBound entry_bound(const Kernel& kernel, const PairErrors& radial, const PairErrors& dot,
                              double unit) {
  EntryBound sum;
  for (const KernelTerm& term : kernel.terms()) {
    EntryBound product{term.weight, unit * std::abs(term.weight)};
    for (const AnyFamily& family : term.factors) {
      const Form form = visit_family([](const auto& f) { return f.traits.form; }, family);
      const EntryBound factor = factor_bound(family, form == Form::radial ? radial : dot, unit);
      product.error = std::abs(product.value) * factor.error +
                      std::abs(factor.value) * product.error + product.error * factor.error;
      product.value *= factor.value;
    }
    sum.value += product.value;
    sum.error += product.error + 2 * unit * std::abs(product.value);
  }
  return sum;
}

}  // namespace mercer::test
