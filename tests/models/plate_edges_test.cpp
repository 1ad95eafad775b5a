// Thin plate splines of tables whose columns are hard to tell apart, constant, far from the origin
// or of extreme scale, dense and sparse: what is stated of a fit, and the scores of new rows,
// against 113-bit arithmetic.
#include "mercer/core/text.h"
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/quad_plate.h"
#include "tests/support/random_points.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

namespace mercer {
namespace plate_edges_test {

using test::plate_residual;
using test::plate_score;
using test::quad_plate;
using test::QuadColumn;

KernelPca fit(DataView x, const std::string& kernel, Components components = 3) {
  return KernelPca::fit(x, {.kernel = kernel, .components = components});
}

/// 24 rows whose third column is the first one, but for a little.
Points nearly_equal(double little) {
  Points x = test::random_points({.n = 24, .dim = 3, .seed = 21});
  x.col(2) = x.col(0) + little * x.col(2);
  return x;
}

Points with_constant(Index n, Index dim, double value) {
  Points x(n, dim + 1);
  x << test::random_points({.n = n, .dim = dim, .seed = 22}), Vector::Constant(n, value);
  return x;
}

QuadColumn coefficients(const KernelPca& model, Index component) {
  const Vector column = model.coefficients().col(component);
  return {column.data(), column.data() + column.size()};
}

TEST(HardPlates, NearlyEqualColumnsHaveTheResidualsThatAreStated) {
  for (const double little : {1e-5, 1e-9, 1e-12, 1e-14})
    for (const bool sparse : {false, true}) {
      const Points x = nearly_equal(little);
      const Dataset rows = test::sparse_rows(x);
      const KernelPca model = fit(sparse ? DataView(rows) : DataView(x), "thin_plate_spline");
      EXPECT_EQ(model.report.n, 24);
      EXPECT_LE(
          plate_residual(x, quad_plate(1, 0), model.report.spectrum->eigenvalues, model.scores()),
          1e-13)
          << little << sparse;
    }
}

TEST(HardPlates, NewRowsBetweenNearlyEqualColumnsKeepTheirDigits) {
  for (const double little : {1e-5, 1e-9, 1e-12}) {
    const Points x = nearly_equal(little);
    Points fresh = x.topRows(4).array() + 0x1p-8;
    const KernelPca model = fit(x, "thin_plate_spline");
    const KernelPca loaded = KernelPca::from(model.state());
    for (const KernelPca* each : {&model, &loaded}) {
      const Block scores = each->transform(fresh, {});
      for (Index i = 0; i < 4; ++i)
        for (Index c = 0; c < 3; ++c)
          EXPECT_NEAR(scores(i, c),
                      plate_score(x, quad_plate(1, 0), coefficients(model, c), fresh.row(i)), 1e-11)
              << little;
    }
  }
}

TEST(HardPlates, ANewRowMayLeaveAColumnThatWasConstant) {
  for (const Index n : {8, 30, 128})
    for (const double value : {3.7, 98.6, -0.3}) {
      const Points x = with_constant(n, 1, value);
      Points fresh(3, 2);
      fresh << 0.5, value, 0.5, value + 0.1, -2, value - 40;
      const KernelPca model = fit(x, "thin_plate_spline", 2);
      EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::dependent_columns));
      const Dataset rows = test::sparse_rows(x);
      const KernelPca sparse = fit(rows, "thin_plate_spline", 2);
      for (const KernelPca* each : {&model, &sparse}) {
        const Block scores = each->transform(fresh, {});
        for (Index i = 0; n < 100 && i < 3; ++i)
          EXPECT_NEAR(scores(i, 0),
                      plate_score(x, quad_plate(1, 0), coefficients(*each, 0), fresh.row(i)),
                      1e-9 * static_cast<double>(n))
              << n << " " << value << " " << i;
        EXPECT_LE(test::max_abs(scores), 1e5);
      }
    }
}

TEST(HardPlates, CopiesOfAColumnCountByTheirMean) {
  const Points base = test::random_points({.n = 30, .dim = 2, .seed = 23});
  Points twice(30, 3);
  twice << base, base.col(0);
  Points fresh(2, 3);
  fresh << 0.5, 0.1, 0.7, 0.7, 0.1, 0.5;
  const KernelPca model = fit(twice, "thin_plate_spline");
  const Block scores = model.transform(fresh, {});
  EXPECT_LE(test::max_abs(scores.row(0) - scores.row(1)), 1e-11);  // neither is the true one
}

TEST(HardPlates, SparseRowsFarFromTheOriginAreAsExactAsDenseOnes) {
  const Points near = test::random_points({.n = 24, .dim = 2, .seed = 24});
  for (const double offset : {1e5, 1e8, 1e10}) {
    const Points x = near.array() + offset;
    const KernelPca model = fit(test::sparse_rows(x), "thin_plate_spline");
    EXPECT_LE(
        plate_residual(x, quad_plate(1, 0), model.report.spectrum->eigenvalues, model.scores()),
        1e-13)
        << offset;
  }
  for (const double constant : {1e4, 1e6, 1e7}) {
    const Points x = with_constant(24, 3, constant);
    const KernelPca shifted = fit(test::sparse_rows(x), "shifted_thin_plate_spline:c=1");
    EXPECT_LE(
        plate_residual(x, quad_plate(1, 1), shifted.report.spectrum->eigenvalues, shifted.scores()),
        1e-12)
        << constant;
    const KernelPca wide = fit(test::sparse_rows(x), "thin_plate_spline:c=4e6");
    EXPECT_LE(
        plate_residual(x, quad_plate(4e6, 0), wide.report.spectrum->eigenvalues, wide.scores()),
        1e-12)
        << constant;
  }
}

TEST(HardPlates, RadialKernelsOfFarSparseRowsAreThoseOfDenseOnes) {
  Points x = test::random_points({.n = 30, .dim = 4, .seed = 25});
  for (Index i = 0; i < 30; i += 2) x(i, 3) = 0;
  x.col(0).array() += 1e7;
  for (const char* spec : {"gaussian:sigma=1", "gaussian:sigma=1e4", "multiquadric:c=2",
                           "power_distance:exponent=1", "log_distance", "matern:length=3"}) {
    const KernelPca dense = fit(x, spec), sparse = fit(test::sparse_rows(x), spec);
    EXPECT_LE(
        test::max_abs(dense.report.spectrum->eigenvalues - sparse.report.spectrum->eigenvalues),
        1e-11 * dense.report.spectrum->eigenvalues[0])
        << spec;
  }
}

TEST(HardPlates, ScalesOfTheRowsAreAFactor) {
  const Points x = nearly_equal(1e-3);
  const Vector here = fit(x, "thin_plate_spline:c=1").report.spectrum->eigenvalues;
  for (const char* solver : {"dense", "block_krylov"})
    for (const double scale : {1e-100, 1e100}) {
      Context context;
      context.budget.solver_name = solver;
      const Points scaled = x * scale;
      const Dataset rows = test::sparse_rows(scaled);
      for (const DataView& view : {DataView(scaled), DataView(rows)}) {
        // (r / c)^2 log(r / c) is homogeneous once affine functions are gone.
        const KernelPca model =
            KernelPca::fit(view, {.kernel = "thin_plate_spline:c=1", .components = 3}, context);
        EXPECT_LE(test::max_abs(model.report.spectrum->eigenvalues / scale / scale - here),
                  1e-12 * here[0])
            << solver << scale << view.sparse();
        EXPECT_TRUE(model.report.converged || std::string_view(solver) != "dense");
        const Block scores = model.transform(view, {});
        EXPECT_LE(test::max_abs(scores - model.scores()) / scale, 1e-8) << solver << scale;
        const KernelPca same = KernelPca::fit(
            view, {.kernel = "thin_plate_spline:c=" + exact(scale), .components = 3}, context);
        EXPECT_LE(test::max_abs(same.report.spectrum->eigenvalues - here), 1e-12 * here[0])
            << solver << scale;
      }
    }
}

TEST(HardPlates, AsManyComponentsAsTheFunctionsOfTheRowsLeave) {
  Points x = test::random_points({.n = 6, .dim = 4, .seed = 26});
  x.col(2) = x.col(0);
  x.col(3).setConstant(2.5);  // 1 and two columns are left
  EXPECT_EQ(test::code_of([&] { fit(x, "thin_plate_spline", 4); }), "M233");
  EXPECT_EQ(fit(x, "thin_plate_spline", 3).report.spectrum->eigenvalues.size(), 3);
  EXPECT_EQ(fit(x, "thin_plate_spline", Components::all()).report.spectrum->eigenvalues.size(), 3);
  EXPECT_EQ(test::code_of([&] { fit(x.topRows(4), "thin_plate_spline", 1); }), "no error");
  EXPECT_EQ(test::code_of([&] { fit(x.topRows(3), "thin_plate_spline", 1); }), "M230");
}

}  // namespace plate_edges_test
}  // namespace mercer
