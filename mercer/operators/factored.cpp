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

namespace {

// |F r| of the columns of `rest` = F'F w - mu w, in units of K: its square is r'(F'F) r.
Vector lifted_norms(const FactoredOperator& f, Block& rest, const Vector& values,
                    const Context& context) {
  const double factor = f.gram_factor();
  Block image(f.size(), rest.cols());
  // Near 1: products of three numbers of a small matrix would vanish.
  const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() / factor : 0;
  const double unit = largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1;
  rest /= unit;
  f.apply(rest, image, nullptr, context);
  Vector norms(rest.cols());
  for (Index j = 0; j < rest.cols(); ++j)
    norms[j] = factor * unit * std::sqrt(factor * std::max(0.0, rest.col(j).dot(image.col(j))));
  return norms;
}

}  // namespace

Vector FactoredOperator::small_residuals(ConstBlockRef w, const Vector& values,
                                         const Context& context) const {
  Block rest(size(), w.cols());
  apply(w, rest, nullptr, context);
  rest -= w * (values / gram_factor()).asDiagonal();
  return lifted_norms(*this, rest, values, context);
}

Vector FactoredOperator::image_residuals(ConstBlockRef w, const Vector& values,
                                         const Context& context) const {
  Block rest = image(w, context) / gram_factor();
  rest -= w * (values / gram_factor()).asDiagonal();
  return lifted_norms(*this, rest, values, context);
}

}  // namespace mercer
