// Units of the data change nothing but units: rows times a power of two have the same components,
// to the last bit, where the kernel is homogeneous or its width is found from the rows. Eigenvalues
// are multiplied by a power, scores by its root; everything that is stated stays as it is, down to
// the ends of the range of numbers, for float tiles as well.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace mercer {
namespace units_test {

struct Homogeneous {
  std::string kernel;  // {} stands for a length of 3
  double degree;       // the kernel grows with this power of the rows
  bool positive_rows = false;
};

struct Way {
  std::string solver, op;
  Precision precision = Precision::double_;
};

std::string text(const Homogeneous& kernel, const Way& way, int power) {
  return fmt::format("{} {} {} {}, rows times 2^{}", kernel.kernel, way.op, way.solver,
                     way.precision == Precision::single_ ? "single" : "double", power);
}

Points rows_of(const Homogeneous& kernel, Index n, std::uint64_t seed) {
  Points x = test::random_points({.n = n, .dim = 6, .seed = seed});
  for (Index j = 0; j < 6; ++j) x.col(j) *= std::pow(0.7, static_cast<double>(j));
  if (kernel.positive_rows) x = x.cwiseAbs();
  return x;
}

KernelPca fit_at(const Homogeneous& kernel, const Way& way, int power) {
  Context context;
  context.budget.solver_name = way.solver;
  context.budget.operator_name = way.op;
  context.budget.precision = way.precision;
  const double scale = std::ldexp(1.0, power);
  const Points x = rows_of(kernel, 320, 5) * scale;
  const std::string spec =
      fmt::format(fmt::runtime(kernel.kernel), fmt::format("{:.17g}", 3 * scale));
  return KernelPca::fit(x, {.kernel = Kernel(spec), .components = 3}, context);
}

/// Equal but for a factor, to the last bit.
void expect_same(const Vector& a, const Vector& b, double factor, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (Index i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i] * factor) << what << ' ' << i;
}

void expect_same_fit(const KernelPca& moved, const KernelPca& plain, const Homogeneous& kernel,
                     int power, const std::string& what) {
  const double factor = std::exp2(kernel.degree * power),
               root = std::exp2(kernel.degree * power / 2);
  const Report &one = moved.report, &other = plain.report;
  const Spectrum &a = *one.spectrum, &b = *other.spectrum;
  expect_same(a.eigenvalues, b.eigenvalues, factor, what + " eigenvalues");
  expect_same(a.ratios, b.ratios, 1, what + " ratios");
  expect_same(a.certificate.residuals, b.certificate.residuals, 1, what + " residuals");
  expect_same(a.certificate.eigenvalue_upper, b.certificate.eigenvalue_upper, factor,
              what + " upper");
  EXPECT_EQ(a.trace, b.trace * factor) << what;
  EXPECT_EQ(a.certificate.angle, b.certificate.angle) << what;
  EXPECT_EQ(a.certificate.failure, b.certificate.failure) << what;
  EXPECT_EQ(a.certificate.operator_error, b.certificate.operator_error) << what;
  EXPECT_EQ(a.certificate.kind, b.certificate.kind) << what;
  EXPECT_EQ(a.certificate.complete, b.certificate.complete) << what;
  EXPECT_EQ(one.converged, other.converged) << what;
  EXPECT_EQ(one.plan.passes, other.plan.passes) << what;
  EXPECT_EQ(one.plan.precision, other.plan.precision) << what;
  ASSERT_EQ(one.warnings.size(), other.warnings.size()) << what;
  for (std::size_t i = 0; i < one.warnings.size(); ++i)
    EXPECT_EQ(one.warnings[i].code, other.warnings[i].code) << what;
  const Points fresh = rows_of(kernel, 40, 8);
  const Block scores = moved.transform(Points(fresh * std::ldexp(1.0, power)), {}),
              before = plain.transform(fresh, {});
  expect_same(scores.reshaped(), before.reshaped(), root, what + " scores");
}

std::vector<int> powers_for(const Homogeneous& kernel) {
  std::vector<int> powers;
  for (const int power : {-17, -80, 66, -300, 300})
    if (std::abs(kernel.degree * power) <= 900 && std::fmod(kernel.degree * power, 2) == 0)
      powers.push_back(power);
  return powers;
}

void expect_invariance(const Homogeneous& kernel, const Way& way) {
  const KernelPca plain = fit_at(kernel, way, 0);
  EXPECT_TRUE(plain.report.converged) << text(kernel, way, 0);
  for (const int power : powers_for(kernel))
    expect_same_fit(fit_at(kernel, way, power), plain, kernel, power, text(kernel, way, power));
}

const Homogeneous kLinear{"linear", 2};

TEST(Units, ChangeNothingWhateverTheSolver) {
  for (const char* solver : {"dense", "block_krylov", "lanczos", "lanczos:partial", "lobpcg",
                             "subspace", "power", "inverse", "rayleigh_quotient"})
    for (const char* op : {"linear_gram", "blocked_gram"}) expect_invariance(kLinear, {solver, op});
}

TEST(Units, ChangeNothingWhateverTheOperator) {
  for (const char* op : {"covariance", "linear_gram", "dense_gram", "blocked_gram"})
    for (const Precision precision : {Precision::double_, Precision::single_})
      expect_invariance(kLinear, {"block_krylov", op, precision});
  expect_invariance({"polynomial:degree=2,offset=0", 4}, {"block_krylov", "polynomial_features"});
}

TEST(Units, ChangeNothingWhateverTheKernel) {
  const std::vector<Homogeneous> kernels = {{"polynomial:degree=2,offset=0", 4},
                                            {"polynomial:degree=3,scale=0.2,offset=0", 6},
                                            {"cosine", 0},
                                            {"power_distance:exponent=1", 1},
                                            {"power_distance:exponent=2", 2},
                                            {"multiquadric:c={}", 1},
                                            {"inverse_multiquadric:c={}", -1},
                                            {"additive_chi_squared", 1, true},
                                            {"chi_squared_similarity", 1, true},
                                            {"gaussian", 0},
                                            {"laplacian", 0},
                                            {"matern", 0},
                                            {"thin_plate_spline:c={}", 0},
                                            {"linear+polynomial:degree=1,scale=0.5,offset=0", 2}};
  for (const Homogeneous& kernel : kernels) {
    expect_invariance(kernel, {"dense", "dense_gram"});
    expect_invariance(kernel, {"block_krylov", "blocked_gram"});
    if (kernel.kernel.starts_with("thin")) continue;  // float tiles are not for what is left of it
    expect_invariance(kernel, {"block_krylov", "blocked_gram", Precision::single_});
  }
}

TEST(Units, ChangeNothingOfAMatrixThatWasGiven) {
  const Points x = rows_of(kLinear, 200, 5);
  const Points k = x * x.transpose();
  const auto fit = [&](const char* solver, int power) {
    Context context;
    context.budget.solver_name = solver;
    return KernelPca::fit(Points(k * std::ldexp(1.0, power)), {.components = 3, .as = "kernel"},
                          context);
  };
  for (const char* solver : {"dense", "block_krylov", "lanczos"}) {
    const KernelPca plain = fit(solver, 0);
    for (const int power : {-34, -600, 132, 600}) {
      const KernelPca moved = fit(solver, power);
      expect_same(moved.report.spectrum->eigenvalues, plain.report.spectrum->eigenvalues,
                  std::exp2(power), solver);
      expect_same(moved.report.spectrum->certificate.residuals,
                  plain.report.spectrum->certificate.residuals, 1, solver);
      EXPECT_EQ(moved.report.converged, plain.report.converged);
    }
  }
}

// Rows in other units than powers of two are rounded anew, but what can be said of them is the
// same: three equal eigenvalues, four a little smaller, which single vectors find by what a proof
// shows them to have missed.
TEST(Units, AreNoReasonToMissAComponent) {
  const Block q = test::random_orthonormal(600, 120, 1), v = test::random_orthonormal(120, 120, 2);
  Vector s = Vector::LinSpaced(120, 8.4, 1);
  s.head(3).setConstant(10);
  s.segment(3, 4).setConstant(9.5);
  const Points x = q * s.asDiagonal() * v.transpose();
  for (const char* solver : {"lanczos", "lanczos:none", "block_krylov"})
    for (const double scale : {1.0, 1e-5, 0x1p-17, 1e-24, 1e20})
      for (const Precision precision : {Precision::double_, Precision::single_}) {
        Context context;
        context.budget.solver_name = solver;
        context.budget.operator_name = "linear_gram";
        context.budget.precision = precision;
        const Points rows = x * scale;
        const Report report =
            KernelPca::fit(rows, {.kernel = "linear", .components = 3, .center = false}, context)
                .report;
        EXPECT_TRUE(report.converged && report.spectrum->certificate.complete)
            << solver << ' ' << scale;
        for (Index i = 0; i < 3; ++i)
          EXPECT_NEAR(report.spectrum->eigenvalues[i] / scale / scale, 100, 1e-9)
              << solver << ' ' << scale;
      }
}

TEST(Units, OfFloatTilesDoNotMatterToNewRows) {
  // Directions alone count for the cosine, however far away a row is; and a linear model of tiny
  // rows has coefficients that no float could hold.
  Context single;
  single.budget.precision = Precision::single_;
  single.budget.solver_name = "block_krylov";
  single.budget.operator_name = "blocked_gram";
  const Points x = rows_of(kLinear, 320, 5), fresh = rows_of(kLinear, 10, 6);
  const KernelPca cosine = KernelPca::fit(x, {.kernel = "cosine", .components = 3}, single);
  for (const double far : {1e20, 1e60, 1e250})
    EXPECT_LE((cosine.transform(Points(fresh * far), {}) - cosine.transform(fresh, {}))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-5)
        << far;
  const Points small = x * 1e-100;
  const KernelPca linear = KernelPca::fit(small, {.kernel = "linear", .components = 3}, single);
  const Block scores = linear.transform(small, {});
  for (Index j = 0; j < 3; ++j)
    EXPECT_NEAR(scores.col(j).squaredNorm() / linear.report.spectrum->eigenvalues[j], 1, 1e-5);
}

TEST(Units, ThatNoFloatCanHoldMakeTilesDouble) {
  // Squared distances are 1e60 times the square of c.
  const auto fit = [](Index n, Precision precision) {
    Context context;
    context.budget.solver_name = "block_krylov";
    context.budget.operator_name = "blocked_gram";
    context.budget.precision = precision;
    return KernelPca::fit(rows_of(kLinear, n, 5),
                          {.kernel = "thin_plate_spline:c=1e-30",
                           .components = 2,
                           .tolerance = Tolerance(1e-3),
                           .nullspace = "constant",
                           .certify = "none"},
                          context);
  };
  EXPECT_EQ(test::code_of([&] { fit(320, Precision::single_); }), "M221");
  const Report report = fit(3000, Precision::automatic).report;
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.plan.precision, Precision::double_);
}

}  // namespace units_test
}  // namespace mercer
