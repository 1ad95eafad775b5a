// Dual numbers v + d e with e^2 = 0: a function of v + e has the derivative as its second part.
// They have the functions that kernel families are written with.
#pragma once

#include <cmath>

namespace mercer {

struct Dual {
  double v = 0, d = 0;
  Dual() = default;
  explicit Dual(double value) : v(value) {}
  Dual(double value, double derivative) : v(value), d(derivative) {}

  friend Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
  friend Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
  friend Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
  friend bool operator>(Dual a, Dual b) { return a.v > b.v; }
  friend bool operator<(Dual a, Dual b) { return a.v < b.v; }
};

inline Dual exp(Dual x) { return {std::exp(x.v), std::exp(x.v) * x.d}; }
inline Dual expm1(Dual x) { return {std::expm1(x.v), std::exp(x.v) * x.d}; }
inline Dual log(Dual x) { return {std::log(x.v), x.d / x.v}; }
inline Dual log1p(Dual x) { return {std::log1p(x.v), x.d / (1 + x.v)}; }
inline Dual tanh(Dual x) {
  const double t = std::tanh(x.v);
  return {t, (1 - t * t) * x.d};
}
/// At 0, where the root has no slope, that of what is squared inside counts: none.
inline Dual sqrt(Dual x) {
  const double root = std::sqrt(x.v);
  return {root, root > 0 ? x.d / (2 * root) : 0};
}
inline Dual abs(Dual x) { return {std::abs(x.v), x.v > 0 ? x.d : x.v < 0 ? -x.d : 0}; }
inline Dual min(Dual a, Dual b) { return a.v < b.v ? a : b; }
inline Dual max(Dual a, Dual b) { return a.v > b.v ? a : b; }
inline Dual select(bool condition, Dual a, Dual b) { return condition ? a : b; }

}  // namespace mercer
