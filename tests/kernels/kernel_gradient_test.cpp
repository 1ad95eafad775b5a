// Derivatives of kernels against differences of the kernel itself in higher precision steps.
#include "mercer/kernels/kernel_gradient.h"

#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace kernel_gradient_test {

// Central differences, extrapolated twice: to about 1e-10.
Vector by_differences(const Kernel& kernel, const Vector& x, const Vector& y) {
  const auto at = [&](const Vector& point) {
    return kernel({point.data(), static_cast<std::size_t>(point.size())},
                  {y.data(), static_cast<std::size_t>(y.size())});
  };
  Vector slopes(x.size());
  for (Index j = 0; j < x.size(); ++j) {
    const auto slope = [&](double step) {
      Vector up = x, down = x;
      up[j] += step;
      down[j] -= step;
      return (at(up) - at(down)) / (2 * step);
    };
    const double h = 2e-3, one = slope(h), two = slope(h / 2), three = slope(h / 4);
    const double first = (4 * two - one) / 3, second = (4 * three - two) / 3;
    slopes[j] = (16 * second - first) / 15;
  }
  return slopes;
}

TEST(KernelGradient, IsTheSlopeOfEveryFamilyAndOfSumsAndProducts) {
  const Points x = test::random_points({.n = 6, .dim = 4, .seed = 1}).cwiseAbs().array() + 0.1;
  std::vector<std::string> specs = {"gaussian:sigma=1*linear", "gaussian:sigma=2+0.5*polynomial",
                                    "-2*sigmoid:scale=0.3*matern:nu=2.5,length=2+cosine",
                                    "gaussian:sigma=1*laplacian:length=2*chi_squared"};
  for (const FamilyInfo& family : kernel_families()) specs.push_back(family.name);
  for (const std::string& spec : specs) {
    const Kernel kernel = Kernel(spec).resolve(x, {});
    for (Index i = 1; i < x.rows(); ++i) {
      const Vector a = x.row(0), b = x.row(i);
      Vector slopes(4);
      kernel_gradient(kernel, {a.data(), 4}, {b.data(), 4}, {slopes.data(), 4});
      const Vector expected = by_differences(kernel, a, b);
      EXPECT_LE((slopes - expected).cwiseAbs().maxCoeff(), 1e-8 * (1 + expected.norm()))
          << spec << ", row " << i;
    }
  }
}

// At y = x smooth kernels of the distance are flat; kinks count as flat.
TEST(KernelGradient, IsZeroWhereTheRowsAreEqual) {
  const Vector x = Vector::LinSpaced(3, 0.5, 2);
  for (const char* spec :
       {"gaussian:sigma=1", "matern:nu=1.5,length=1", "exponential:length=1", "laplacian:length=1",
        "thin_plate_spline", "power_distance", "log_distance:exponent=1", "chi_squared"}) {
    Vector slopes = Vector::Ones(3);
    kernel_gradient(Kernel(spec), {x.data(), 3}, {x.data(), 3}, {slopes.data(), 3});
    EXPECT_EQ(slopes, Vector::Zero(3)) << spec;
  }
}

}  // namespace kernel_gradient_test
}  // namespace mercer
