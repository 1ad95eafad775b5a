#include "mercer/operators/fourier_basis.h"

#include <cmath>

namespace mercer {
namespace {

Vector amplitudes(const FourierKernel& kernel, const FourierShape& shape) {
  Vector c = fourier_coefficients(kernel, shape);
  const double middle = c[c.size() / 2];
  c = (2 * c).cwiseSqrt();
  c[c.size() / 2] = std::sqrt(middle);
  return c;
}

}  // namespace

FourierBasis::FourierBasis(const FourierKernel& kernel, const FourierShape& shape, double tolerance)
    : amplitude_(amplitudes(kernel, shape)),
      transform_(shape.dim, shape.period, shape.modes, tolerance) {}

ModeBlock FourierBasis::modes_of(ConstBlockRef w) const {
  ModeBlock modes(width(), (w.cols() + 1) / 2);
  for (Index p = 0; p < modes.cols(); ++p) {
    const double* second = 2 * p + 1 < w.cols() ? w.col(2 * p + 1).data() : nullptr;
    to_modes(w.col(2 * p).data(), second, modes.col(p).data(), [](Index mode) { return mode; });
  }
  return modes;
}

Block FourierBasis::columns_of(const ModeBlock& modes, Index columns) const {
  Block w(width(), columns);
  for (Index p = 0; p < modes.cols(); ++p) {
    double* second = 2 * p + 1 < columns ? w.col(2 * p + 1).data() : nullptr;
    from_modes(
        modes.col(p).data(), [](Index mode) { return mode; }, w.col(2 * p).data(), second);
  }
  return w;
}

Block FourierBasis::analyse(const SortedRows& rows, ConstBlockRef u, const Context& context) const {
  return columns_of(transform_.analyse(rows, u, context), u.cols());
}

Block FourierBasis::synthesise(const SortedRows& rows, ConstBlockRef w,
                               const Context& context) const {
  return transform_.synthesise(rows, modes_of(w), w.cols(), context);
}

}  // namespace mercer
