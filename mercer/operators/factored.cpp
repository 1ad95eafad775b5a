#include "mercer/operators/factored.h"

#include <cmath>

namespace mercer {

Vector FactoredOperator::row_residuals(ConstBlockRef u, const Vector& values,
                                       const Context& context) const {
  Block rest = lift(restrict(u, context), context);
  rest -= u * values.asDiagonal();
  const double largest = values.cwiseAbs().maxCoeff();
  rest /= largest;  // squares of a matrix near the ends of the range would not be numbers
  return rest.colwise().norm().transpose() * largest;
}

Vector FactoredOperator::small_residuals(ConstBlockRef w, const Vector& values,
                                         const Context& context) const {
  const double factor = gram_factor();
  Block rest(size(), w.cols()), image(size(), w.cols());
  apply(w, rest, nullptr, context);
  rest -= w * (values / factor).asDiagonal();
  // Near 1: products of three numbers of a small matrix would vanish.
  const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() / factor : 0;
  const double unit = largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1;
  rest /= unit;
  apply(rest, image, nullptr, context);
  Vector norms(w.cols());
  for (Index j = 0; j < w.cols(); ++j)
    norms[j] = factor * unit * std::sqrt(factor * std::max(0.0, rest.col(j).dot(image.col(j))));
  return norms;
}

}  // namespace mercer
