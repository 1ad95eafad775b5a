#include "mercer/kernels/kernel_gradient.h"

#include "mercer/core/check.h"
#include "mercer/core/dual.h"

#include <vector>

namespace mercer {
namespace {

double product_of(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// One factor of a kernel at a pair: its value, and its derivative, which is added to `out` times
// `weight` in a second step.
class FactorSlope {
 public:
  template <class Family>
  FactorSlope(const Family& family, std::span<const double> x, std::span<const double> y)
      : form_(Family::traits.form), x_(x), y_(y) {
    if (form_ == Form::angle) lengths_ = std::sqrt(product_of(x, x) * product_of(y, y));
    PairTerms<Dual> pair{};
    const double products = product_of(x, y);
    pair.product = Dual(form_ == Form::angle ? (lengths_ > 0 ? products / lengths_ : 0) : products);
    for (std::size_t i = 0; i < x.size(); ++i) {
      pair.squared.v += (x[i] - y[i]) * (x[i] - y[i]);
      if constexpr (requires { Family::term(Dual(0), Dual(0)); }) {
        const Dual part = Family::term(Dual(x[i], 1), Dual(y[i]));
        pair.summed.v += part.v;
        terms_.push_back(part.d);
      }
    }
    // A family uses one of the three.
    pair.product.d = pair.squared.d = pair.summed.d = 1;
    cosine_ = pair.product.v;
    const Dual result = family(pair);
    value_ = result.v;
    // Families of the distance have a slope in |x - y|^2 that may be infinite at 0, where x - y is.
    slope_ = form_ == Form::radial && pair.squared.v == 0 ? 0 : result.d;
  }

  double value() const { return value_; }

  void add(double weight, std::span<double> out) const {
    const double s = weight * slope_;
    const double squared_length = form_ == Form::angle ? product_of(x_, x_) : 0;
    if (form_ == Form::angle && !(lengths_ > 0)) return;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (form_ == Form::dot)
        out[i] += s * y_[i];
      else if (form_ == Form::radial)
        out[i] += s * 2 * (x_[i] - y_[i]);
      else if (form_ == Form::angle)
        out[i] += s * (y_[i] / lengths_ - cosine_ * x_[i] / squared_length);
      else
        out[i] += s * terms_[i];
    }
  }

 private:
  Form form_;
  std::span<const double> x_, y_;
  double value_ = 0, slope_ = 0, lengths_ = 0, cosine_ = 0;
  std::vector<double> terms_;
};

double product_without(const std::vector<FactorSlope>& factors, std::size_t left_out) {
  double product = 1;
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (i != left_out) product *= factors[i].value();
  return product;
}

}  // namespace

void kernel_gradient(const Kernel& kernel, std::span<const double> x, std::span<const double> y,
                     std::span<double> out) {
  MERCER_ASSERT(x.size() == y.size() && out.size() == x.size());
  for (double& value : out) value = 0;
  for (const KernelTerm& term : kernel.terms()) {
    std::vector<FactorSlope> factors;
    for (const AnyFamily& family : term.factors)
      visit_family([&](const auto& f) { factors.emplace_back(f, x, y); }, family);
    for (std::size_t i = 0; i < factors.size(); ++i)
      factors[i].add(term.weight * product_without(factors, i), out);
  }
}

}  // namespace mercer
