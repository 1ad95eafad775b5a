// The loops that independent components are found by, against their definitions in long double.
#include "mercer/models/detail/ica/fixed_point.h"
#include "mercer/models/detail/ica/likelihood.h"
#include "mercer/models/detail/ica/passes.h"
#include "tests/support/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mercer {
namespace ica_loops_test {

using test::kUnit;

// 5003 numbers do not fill registers, make several sums, and reach from
// tiny to huge.
TEST(IcaLoops, AddUpWhatTheirDefinitionsSay) {
  using Long = long double;
  Block z(5003, 1);
  for (Index i = 0; i < 5003; ++i)
    z(i, 0) = (i % 2 == 0 ? 1 : -1) * std::pow(10.0, -6 + 8.0 * static_cast<double>(i) / 5002);
  const Block w = Block::Ones(1, 1);
  Long slope[3] = {}, product[3] = {}, tanh_product = 0, cosh = 0, sech = 0, curve = 0, size = 0,
       value[3] = {};
  for (Index i = 0; i < 5003; ++i) {
    const Long y = z(i, 0), t = std::tanh(y), bell = std::exp(-y * y / 2);
    const Long g[3] = {t, y * bell, y * y * y}, d[3] = {1 - t * t, (1 - y * y) * bell, 3 * y * y};
    const Long values[3] = {
        std::abs(y) + std::log1p(std::exp(-2 * std::abs(y))) - std::numbers::ln2_v<Long>, -bell,
        y * y * y * y / 4};
    for (int c = 0; c < 3; ++c) {
      value[c] += values[c];
      slope[c] += d[c];
      product[c] += g[c] * y;
    }
    tanh_product += t * y;
    cosh += std::abs(y) + std::log1p(std::exp(-2 * std::abs(y))) - std::numbers::ln2_v<Long>;
    sech += 1 - t * t;
    curve += (1 - t * t) * y * y;
    size += std::abs(y);
  }
  for (int c = 0; c < 3; ++c) {
    const detail::ContrastSums sums =
        detail::contrast_sums(z, w, static_cast<detail::Contrast>(c), {});
    // Terms of the bell have both signs; they are smaller than 1.
    const double allowed = 5003 * 4 * kUnit;
    EXPECT_NEAR(sums.slopes[0], static_cast<double>(slope[c]),
                allowed * std::max(1.0, std::abs(static_cast<double>(slope[c]))));
    EXPECT_NEAR(sums.products(0, 0), static_cast<double>(product[c]),
                allowed * std::max(1.0, std::abs(static_cast<double>(product[c]))));
  }
  for (int c = 0; c < 3; ++c) {
    const auto contrast = static_cast<detail::Contrast>(c);
    const detail::ClimbPass pass = detail::climb_pass(z, w, contrast, {});
    const auto expect_near = [](double got, Long wanted, double unit) {
      const auto truth = static_cast<double>(wanted);
      EXPECT_NEAR(got, truth, 5003 * 4 * unit * std::max(1.0, std::abs(truth)));
    };
    expect_near(pass.values[0], value[c], kUnit);
    expect_near(pass.sums.slopes[0], slope[c], kUnit);
    expect_near(pass.sums.products(0, 0), product[c], kUnit);
    // In float every number has a rounding of its own; tiles are summed in double.
    const detail::ClimbPass rough =
        detail::rough_climb_pass(detail::FloatBlock(z.cast<float>()), w, contrast, {});
    expect_near(rough.values[0], value[c], 0x1p-24);
    expect_near(rough.sums.slopes[0], slope[c], 0x1p-24);
    expect_near(rough.sums.products(0, 0), product[c], 0x1p-24);
  }
  const detail::TanhSums sums = detail::tanh_sums(z, w, {});
  EXPECT_NEAR(sums.products(0, 0), static_cast<double>(tanh_product),
              5003 * 4 * kUnit * static_cast<double>(size));
  EXPECT_NEAR(sums.log_cosh[0], static_cast<double>(cosh),
              5003 * 4 * kUnit * static_cast<double>(size));
  EXPECT_NEAR(sums.slopes[0], static_cast<double>(sech), 5003 * 8 * kUnit);
  EXPECT_NEAR(sums.curves[0], static_cast<double>(curve), 5003 * 8 * kUnit);
}

}  // namespace ica_loops_test
}  // namespace mercer
