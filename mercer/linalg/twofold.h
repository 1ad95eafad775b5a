// Numbers of twice the precision: the sum of two doubles, 106 bits together. Sums and products of
// doubles are exact in them (Knuth, Dekker), so that differences of nearly equal columns keep all
// digits the data have. Each operation costs ten to twenty of those of doubles.
#pragma once

#include "mercer/core/types.h"

#include <cmath>

namespace mercer {

struct Twofold {
  double high = 0, low = 0;  // |low| is at most half a unit of high
  double value() const { return high + low; }
};

/// a + b without rounding.
inline Twofold exact_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
/// a b without rounding, but for what underflows.
inline Twofold exact_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline Twofold operator-(Twofold a) { return {-a.high, -a.low}; }
inline Twofold operator+(Twofold a, Twofold b) {
  const Twofold high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const Twofold first = exact_sum(high.high, high.low + low.high);
  return exact_sum(first.high, first.low + low.low);
}
inline Twofold operator-(Twofold a, Twofold b) { return a + -b; }
inline Twofold operator*(Twofold a, Twofold b) {
  const Twofold product = exact_product(a.high, b.high);
  return exact_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
inline Twofold operator*(Twofold a, double b) { return a * Twofold{b, 0}; }
inline Twofold operator/(Twofold a, double b) {
  const double quotient = a.high / b;
  const Twofold rest = a - Twofold{quotient, 0} * b;
  return exact_sum(quotient, rest.value() / b);
}

/// A matrix of such numbers.
struct TwofoldBlock {
  Block high, low;

  TwofoldBlock() = default;
  TwofoldBlock(Index rows, Index cols) : high(Block::Zero(rows, cols)), low(high) {}
  Index rows() const { return high.rows(); }
  Index cols() const { return high.cols(); }
  Twofold at(Index i, Index j) const { return {high(i, j), low(i, j)}; }
  void set(Index i, Index j, Twofold value) {
    high(i, j) = value.high;
    low(i, j) = value.low;
  }
  /// Column j of this one, plus a times column k of another one of as many rows.
  void add(Index j, double a, const TwofoldBlock& other, Index k) {
    for (Index i = 0; i < rows(); ++i) set(i, j, at(i, j) + other.at(i, k) * a);
  }
};

}  // namespace mercer
