#include "mercer/models/detail/plate_squares.h"

#include "mercer/kernels/framed_family.h"

namespace mercer::detail {
namespace {

// The multiple of squared distances that values in the frame lack.
double left_out(const Kernel& kernel, const Frame& frame) {
  Frame whole = frame;
  whole.less_squares = false;
  const double squared = 4 * frame.radius * frame.radius;
  double multiple = 0;
  for (const KernelTerm& term : kernel.terms()) {
    if (term.factors.size() != 1) continue;
    multiple += term.weight * visit_family(
                                  [&](const auto& f) {
                                    const auto lacking = [&](double t) {
                                      const PairTerms<double> pair{0, t, 0};
                                      return in_frame(f, whole)(pair) - in_frame(f, frame)(pair);
                                    };
                                    return (lacking(squared) - lacking(0)) / squared;
                                  },
                                  term.factors[0]);
  }
  return multiple;
}

// |x|^2 of rows about their mean, in the coordinates of the frame.
Vector squared_lengths(DataView rows, const Frame& frame) {
  Vector row(rows.dim()), mean = frame.centre, squares(rows.n());
  const auto framed = [&](Index i) -> const Vector& {
    rows.copy_row(i, row.data());
    row *= frame.scale;
    return row;
  };
  if (mean.size() == 0) {
    mean = Vector::Zero(rows.dim());
    for (Index i = 0; i < rows.n(); ++i) mean += framed(i) / static_cast<double>(rows.n());
  }
  for (Index i = 0; i < rows.n(); ++i) squares[i] = (framed(i) - mean).squaredNorm();
  return squares;
}

}  // namespace

Vector constants_of_squares(const Kernel& kernel, const Frame& frame, DataView rows,
                            const Block& coefficients) {
  if (!frame.less_squares || !(frame.radius > 0)) return Vector::Zero(coefficients.cols());
  return left_out(kernel, frame) * (coefficients.transpose() * squared_lengths(rows, frame));
}

}  // namespace mercer::detail
