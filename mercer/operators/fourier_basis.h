// The real features of a Fourier series, numbered like its modes: with the constant in the middle
// (z), cosines after it and sines, mirrored, before it:
//   f_z = sqrt(c_0)     f_{z+j} = sqrt(2 c_k) cos(2 pi k.x/P)     f_{z-j} = sqrt(2 c_k) sin(2 pi
//   k.x/P)
// where k is mode number z + j. Then f(x).f(y) is the series at x - y.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/nonuniform_fft.h"
#include "mercer/operators/fourier_series.h"

namespace mercer {

class FourierBasis {
 public:
  FourierBasis(const FourierKernel& kernel, const FourierShape& shape, double tolerance);

  Index width() const { return amplitude_.size(); }
  /// sqrt(c_0) in the middle, sqrt(2 c_k) elsewhere.
  const Vector& amplitude() const { return amplitude_; }
  const NonuniformFft& transform() const { return transform_; }

  /// F'u.
  Block analyse(const SortedRows& rows, ConstBlockRef u, const Context& context) const;
  /// F w.
  Block synthesise(const SortedRows& rows, ConstBlockRef w, const Context& context) const;

  /// Two real columns of the features' space as modes; the second may be null. `place` says where
  /// in `modes` a mode belongs.
  template <class Place>
  void to_modes(const double* first, const double* second, Complex* modes,
                const Place& place) const;
  /// The transpose.
  template <class Place>
  void from_modes(const Complex* modes, const Place& place, double* first, double* second) const;

  /// All columns, pair by pair.
  ModeBlock modes_of(ConstBlockRef w) const;
  Block columns_of(const ModeBlock& modes, Index columns) const;

 private:
  Vector amplitude_;
  NonuniformFft transform_;
};

template <class Place>
void FourierBasis::to_modes(const double* first, const double* second, Complex* modes,
                            const Place& place) const {
  const Index z = width() / 2;
  const auto odd = [&](Index i) { return second == nullptr ? 0.0 : second[i]; };
  modes[place(z)] = amplitude_[z] * Complex(first[z], odd(z));
  for (Index j = 1; j <= z; ++j) {
    const double half = 0.5 * amplitude_[z + j];
    const double cos1 = first[z + j], sin1 = first[z - j], cos2 = odd(z + j), sin2 = odd(z - j);
    modes[place(z + j)] = half * Complex(cos1 + sin2, cos2 - sin1);
    modes[place(z - j)] = half * Complex(cos1 - sin2, cos2 + sin1);
  }
}

template <class Place>
void FourierBasis::from_modes(const Complex* modes, const Place& place, double* first,
                              double* second) const {
  const Index z = width() / 2;
  first[z] = amplitude_[z] * modes[place(z)].real();
  if (second != nullptr) second[z] = amplitude_[z] * modes[place(z)].imag();
  for (Index j = 1; j <= z; ++j) {
    const double half = 0.5 * amplitude_[z + j];
    const Complex plus = modes[place(z + j)], minus = modes[place(z - j)];
    first[z + j] = half * (plus.real() + minus.real());
    first[z - j] = half * (minus.imag() - plus.imag());
    if (second == nullptr) continue;
    second[z + j] = half * (plus.imag() + minus.imag());
    second[z - j] = half * (plus.real() - minus.real());
  }
}

}  // namespace mercer
