#include "mercer/operators/affine.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/safe_norm.h"

#include <algorithm>
#include <cmath>

namespace mercer {

void remove_span(const Block& q, BlockRef block) {
  const Block inside = q.transpose() * block;
  block.noalias() -= q * inside;
}

Vector AffineCentered::diagonal(const Context& context) const {
  const Block aq = image(context);
  const Block core = basis_.q.transpose() * aq;
  const Vector crossed = aq.cwiseProduct(basis_.q).rowwise().sum();
  const Vector square = (basis_.q * core).cwiseProduct(basis_.q).rowwise().sum();
  return inner_.diagonal(context) - 2 * crossed + square;
}

void AffineCentered::apply(ConstBlockRef x, BlockRef y, PassSums* sums,
                           const Context& context) const {
  Block inside = x;
  remove_span(basis_.q, inside);
  inner_.apply(inside, y, sums, context);
  remove_span(basis_.q, y);
  if (sums == nullptr) return;
  // |P A P|^2 = |A|^2 - 2 |A Q|^2 + |Q' A Q|^2 in the Frobenius norm.
  const Block aq = image(context);
  const Block core = basis_.q.transpose() * aq;
  const double before = sums->frobenius_squared;
  sums->frobenius_squared = std::max(0.0, before - 2 * aq.squaredNorm() + core.squaredNorm());
  sums->frobenius_error =
      sums->frobenius_squared > 0 ? sums->frobenius_error * before / sums->frobenius_squared : 1;
  sums->trace -= core.trace();
  sums->row_sums = Vector::Zero(size());
  const std::lock_guard lock(mutex_);
  growth_ =
      sums->frobenius_squared > 0 ? std::max(1.0, std::sqrt(before / sums->frobenius_squared)) : 1;
}

void AffineCentered::form(BlockRef out, const Context& context) const {
  inner_.form(out, context);
  const BlasThreadGuard guard;
  const double before = safe_norm(out);
  Block aq = out * basis_.q;
  // P A P = A - W Q' - Q W' with W = A Q - Q (Q' A Q) / 2.
  const Block core = basis_.q.transpose() * aq;
  const Block w = aq - 0.5 * basis_.q * core;
  out.noalias() -= w * basis_.q.transpose();
  out.noalias() -= basis_.q * w.transpose();
  for (Index j = 0; j < out.cols(); ++j)  // exactly symmetric again
    for (Index i = 0; i < j; ++i) out(i, j) = out(j, i) = 0.5 * (out(i, j) + out(j, i));
  const double after = safe_norm(out);
  const std::lock_guard lock(mutex_);
  image_ = std::move(aq);
  growth_ = after > 0 ? std::max(1.0, before / after) : 1;
}

// For a basis turned by an angle e, P changes by Q d' + d Q' with d in the range of P, |d| <= e:
// P A P by at most 2 e (|P A Q| + |P A P|).
double AffineCentered::span_error(double largest, const Context& context) const {
  return 2 * basis_.error * (safe_norm(image(context)) + largest);
}

double AffineCentered::growth() const {
  const std::lock_guard lock(mutex_);
  return growth_;
}

// The pass runs outside the lock, as in Centered::means.
Block AffineCentered::image(const Context& context) const {
  {
    const std::lock_guard lock(mutex_);
    if (image_.rows() == size()) return image_;
  }
  Block image(size(), basis_.q.cols());
  inner_.apply(basis_.q, image, nullptr, context);
  const std::lock_guard lock(mutex_);
  if (image_.rows() != size()) image_ = std::move(image);
  return image_;
}

}  // namespace mercer
