// New rows far outside the training rows: with kernels that grow, their scores lose digits, and
// that is said; near rows, and kernels that fade, are never doubted.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/quad_plate.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace far_rows_test {

RowCount doubtful(const KernelPca& model, DataView rows) {
  RowCount found;
  model.transform_blocks(
      rows, {}, [](DataView) {}, &found);
  return found;
}

TEST(FarRows, AreToldWhereTheKernelGrows) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 1});
  Points fresh = test::random_points({.n = 4, .dim = 3, .seed = 2});
  fresh.row(2) *= 1e15;
  for (const char* spec : {"power_distance:exponent=1", "multiquadric:c=1", "log_distance",
                           "thin_plate_spline", "polynomial:degree=3"}) {
    const KernelPca model = KernelPca::fit(x, {.kernel = spec, .components = 3});
    EXPECT_EQ(doubtful(model, x).count, 0) << spec;
    const RowCount found = doubtful(model, fresh);
    if (std::string_view(spec) == "log_distance" || std::string_view(spec).starts_with("poly"))
      continue;  // log(1e15) is no large number, and powers do not cancel
    EXPECT_EQ(found.count, 1) << spec;
    EXPECT_EQ(found.first, 2) << spec;
  }
  for (const char* spec : {"gaussian", "exponential", "rational_quadratic", "cosine"})
    EXPECT_EQ(doubtful(KernelPca::fit(x, {.kernel = spec, .components = 3}), fresh).count, 0)
        << spec;
}

TEST(FarRows, AreNotDoubtedWhereTheirScoresAreRight) {
  // Scores of -|x - y| by 113-bit sums: whatever is more wrong than 1e-5 is told.
  const Points x = test::random_points({.n = 30, .dim = 2, .seed = 3});
  const KernelPca model =
      KernelPca::fit(x, {.kernel = "power_distance:exponent=1", .components = 2});
  const auto distance = [](const oracle::Quad* a, const oracle::Quad* b, Index dim) {
    return -sqrtq(oracle::quad_squared(a, b, dim));
  };
  const oracle::QuadMatrix k = oracle::quad_gram(x, distance);
  for (const double factor : {1.0, 1e2, 1e5, 1e8, 1e11, 1e14}) {
    Points fresh(1, 2);
    fresh << 0.6 * factor, 0.8 * factor;
    const Block found = model.transform(fresh, {});
    const bool told = doubtful(model, fresh).count > 0;
    const std::vector<oracle::Quad> row = {fresh(0, 0), fresh(0, 1)};
    for (Index c = 0; c < 2; ++c) {
      oracle::Quad expected = 0, part = 0;
      for (Index i = 0; i < 30; ++i) part += oracle::Quad(model.coefficients()(i, c)) / 30;
      for (Index i = 0; i < 30; ++i) {
        const std::vector<oracle::Quad> known = {x(i, 0), x(i, 1)};
        oracle::Quad mean = 0;
        for (Index j = 0; j < 30; ++j) mean += k(i, j) / 30;
        expected += (oracle::Quad(model.coefficients()(i, c)) - part) *
                    (distance(known.data(), row.data(), 2) - mean);
      }
      const double error = std::abs(found(0, c) - static_cast<double>(expected));
      const double size = std::abs(static_cast<double>(expected));
      EXPECT_TRUE(told || error <= 1e-5 * size) << factor;
      EXPECT_FALSE(told && factor < 1e4) << factor;
    }
  }
}

}  // namespace far_rows_test
}  // namespace mercer
