// What every eigensolver must satisfy, found through the catalogue, on matrices Q diag(l) Q' whose
// spectrum is known because it was put in: well spread, clustered, multiple, zero, of both signs,
// near the limits of the range. Ratios as in LAPACK's tests, below 30.
#include "mercer/solvers/certificate.h"
#include "mercer/solvers/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

namespace mercer {
namespace every_solver_test {

using test::kRatio;
using test::kUnit;

struct SpectrumKind {
  const char* name;
  std::function<double(Index i, Index n)> value;  // descending in i
};

const std::vector<SpectrumKind>& spectra() {
  static const std::vector<SpectrumKind> kinds = {
      {"geometric", [](Index i, Index) { return std::pow(0.7, static_cast<double>(i)); }},
      {"algebraic", [](Index i, Index) { return 1 / (1 + static_cast<double>(i)); }},
      {"clustered", [](Index i, Index) { return 1 - 1e-14 * static_cast<double>(i); }},
      {"multiple", [](Index i, Index n) { return i < (n + 1) / 2 ? 2.0 : 1.0; }},
      {"both signs",
       [](Index i, Index n) { return static_cast<double>(n - 1) / 2 - static_cast<double>(i); }},
      {"one large", [](Index i, Index) { return i == 0 ? 1e10 : 1.0; }},
      {"near overflow", [](Index i, Index) { return 1e150 / (1 + static_cast<double>(i)); }},
      {"near underflow", [](Index i, Index) { return 1e-150 / (1 + static_cast<double>(i)); }},
      {"identity", [](Index, Index) { return 1.0; }},
      {"zero", [](Index, Index) { return 0.0; }},
  };
  return kinds;
}

Vector values_of(const SpectrumKind& kind, Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = kind.value(i, n);
  return values;
}

Block matrix_with(const Vector& values, std::uint64_t seed) {
  const Index n = values.size();
  const Block q = test::random_orthonormal(n, n, seed);
  const Block a = q * values.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

/// Worst r1 and r2 over a run of cases.
struct Worst {
  double residual = 0, orthogonality = 0, value = 0;
};

// A slow method may end early, but it must say so, with its true residuals.
bool ended_early(const Block& a, const EigenResult& result) {
  if (result.converged || result.stop.words().starts_with("rounding")) return false;
  EXPECT_FALSE(result.stop.words().empty());
  const Block misses = a * result.vectors - result.vectors * result.values.asDiagonal();
  for (Index j = 0; j < misses.cols(); ++j)
    EXPECT_NEAR(result.certificate.residuals[j],
                misses.col(j).norm() / result.values.cwiseAbs().maxCoeff(), 1e-12);
  return true;
}

void expect_pairs(const Block& a, const EigenResult& result, const Vector& known, Worst& worst) {
  const Index n = a.rows();
  if (ended_early(a, result)) return;
  ASSERT_EQ(result.vectors.rows(), n);
  ASSERT_EQ(result.vectors.cols(), result.values.size());
  const double r1 = test::residual_ratio(a, result.vectors, result.values);
  const double r2 = test::orthogonality_ratio(result.vectors);
  const double scale = test::max_abs(known);
  // Forming Q diag Q' itself moves the eigenvalues by a few n u |A|.
  const double r3 =
      scale > 0 ? test::value_ratio(result.values, known.head(result.values.size()), n, scale)
                : test::max_abs(result.values);
  EXPECT_LE(r1, kRatio);
  EXPECT_LE(r2, kRatio);
  EXPECT_LE(r3, kRatio);
  worst.residual = std::max(worst.residual, r1);
  worst.orthogonality = std::max(worst.orthogonality, r2);
  worst.value = std::max(worst.value, r3);
}

class EverySolver : public testing::TestWithParam<const SolverRecipe*> {
 protected:
  // Iterative solvers are asked for all that rounding allows.
  EigenResult solve(const Block& a, EigenRequest request) const {
    request.tolerance = 1e-14;
    EigenResult result = GetParam()->run(test::MatrixOperator(a), request, context);
    if (GetParam()->name != "power") {  // the one that may run out of passes
      EXPECT_TRUE(result.converged || result.stop.words().starts_with("rounding"))
          << result.stop.words();
    }
    return result;
  }
  Context context;
};
INSTANTIATE_TEST_SUITE_P(Catalogue, EverySolver, testing::ValuesIn(solver_recipes()),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST_P(EverySolver, FindsEveryKnownSpectrumToRounding) {
  Worst worst;
  for (const SpectrumKind& kind : spectra())
    for (const Index n : {1, 2, 3, 5, 20, 200}) {
      SCOPED_TRACE(std::string(kind.name) + " n=" + std::to_string(n));
      const Vector known = values_of(kind, n);
      const Block a = matrix_with(known, static_cast<std::uint64_t>(n));
      // A negative tolerance lets zero pairs through: all n are wanted here.
      const EigenResult result =
          solve(a, {.count = n, .order = Order::value, .matrix = {.rank_tolerance = -2}});
      if (test::max_abs(known) == 0) {  // nothing is significant in a matrix of zeros
        EXPECT_EQ(result.values.size(), 0);
        continue;
      }
      ASSERT_EQ(result.values.size(), n);
      expect_pairs(a, result, known, worst);
      EXPECT_NEAR(result.spectrum.trace, a.trace(),
                  static_cast<double>(n) * kUnit * known.cwiseAbs().sum());
    }
  RecordProperty("r1", std::to_string(worst.residual));
  RecordProperty("r2", std::to_string(worst.orthogonality));
  RecordProperty("r3", std::to_string(worst.value));
}

TEST_P(EverySolver, FindsTheLeadingPairsAlone) {
  Worst worst;
  for (const SpectrumKind& kind : spectra()) {
    SCOPED_TRACE(kind.name);
    const Vector known = values_of(kind, 60);
    if (test::max_abs(known) == 0) continue;
    const Block a = matrix_with(known, 3);
    const EigenResult result = solve(a, {.count = 4, .matrix = {.rank_tolerance = -2}});
    ASSERT_EQ(result.values.size(), 4);
    expect_pairs(a, result, known, worst);
    if (!GetParam()->whole_spectrum) continue;  // the next one is a Ritz value, not yet converged
    EXPECT_LE(std::abs(result.spectrum.next_value - known[4]),
              kRatio * 60 * kUnit * test::max_abs(known));
  }
}

TEST_P(EverySolver, FindsBothEndsByMagnitude) {
  Vector known(50);
  for (Index i = 0; i < 50; ++i)  // 1, -0.8, 0.64, -0.512, ...
    known[i] = std::pow(-0.8, static_cast<double>(i));
  const Block a = matrix_with(known, 4);
  Worst worst;
  for (const Index count : {1, 2, 5, 50}) {
    const EigenResult result =
        solve(a, {.count = count, .order = Order::magnitude, .matrix = {.rank_tolerance = -2}});
    ASSERT_EQ(result.values.size(), count);
    expect_pairs(a, result, known, worst);
  }
}

TEST_P(EverySolver, KeepsWhatIsSignificantAndSaysWhatWasWanted) {
  Vector known = Vector::Zero(30);
  known.head(3) << 5, 2, 1;
  const Block a = matrix_with(known, 5);
  const EigenResult result = solve(a, {.count = 10, .matrix = {.rank_tolerance = 300 * kUnit}});
  EXPECT_EQ(result.values.size(), 3);
  EXPECT_EQ(result.wanted, 10);
  if (!GetParam()->whole_spectrum) return;  // the rest needs the whole spectrum
  EXPECT_EQ(result.spectrum.next_value, 0);
  const EigenResult all = solve(a, {.all = true, .matrix = {.rank_tolerance = 300 * kUnit}});
  EXPECT_EQ(all.values.size(), 3);
  const EigenResult share = solve(a, {.share = 0.8, .matrix = {.rank_tolerance = 300 * kUnit}});
  EXPECT_EQ(share.values.size(), 2);  // 5/8 < 0.8 <= 7/8
}

TEST_P(EverySolver, TheEntryOfLargestMagnitudeIsPositive) {
  const Block a = matrix_with(values_of(spectra()[1], 40), 6);
  const EigenResult result = solve(a, {.count = 8});
  for (Index j = 0; j < 8; ++j) {
    Index at = 0;
    result.vectors.col(j).cwiseAbs().maxCoeff(&at);
    EXPECT_GT(result.vectors(at, j), 0);
  }
}

TEST_P(EverySolver, StopsWhenTheCallerCancels) {
  context.observer.cancelled = [] { return true; };
  const Block a = Block::Identity(10, 10);
  EXPECT_EQ(test::code_of([&] { solve(a, {.count = 2}); }), "M001");
}

TEST_P(EverySolver, TellsHowManyPairsHaveConvergedAndHowGoodTheWorstOneIs) {
  if (GetParam()->whole_spectrum) return;  // it has no passes
  const Block a = matrix_with(values_of(spectra()[1], 200), 9);
  std::vector<SearchProgress> told;
  context.observer.progress = [&](const Progress& progress) {
    if (progress.phase == "solve" && progress.search) told.push_back(*progress.search);
  };
  const EigenResult result = GetParam()->run(test::MatrixOperator(a), {.count = 4}, context);
  ASSERT_TRUE(result.converged);
  ASSERT_GE(told.size(), 2U);
  Index before = 0;
  for (const SearchProgress& now : told) {
    EXPECT_EQ(now.wanted, 4);
    EXPECT_GE(now.pass, before);
    EXPECT_LE(now.converged, 4);
    EXPECT_TRUE(std::isfinite(now.worst_residual));
    before = now.pass;
  }
  EXPECT_LT(told.front().converged, 4);
  EXPECT_GE(told.front().pass, 1);
  EXPECT_EQ(told.back().converged, 4);
  EXPECT_LE(told.back().worst_residual, 1e-6);
  EXPECT_LE(told.back().pass, result.applications);
}

TEST_P(EverySolver, ManyRowsAndFewPairsAgreeWithAllPairs) {
  // n = 1100 with 5 pairs takes the path of chosen vectors, half of all pairs the other one. Those
  // that iterate need long for so many: MERCER_ROWS asks it of them, too.
  constexpr Index n = 1100;
  const bool half = GetParam()->whole_spectrum || std::getenv("MERCER_ROWS") != nullptr;
  Vector known(n);
  for (Index i = 0; i < n; ++i)
    known[i] = std::pow(0.97, static_cast<double>(i)) * (i % 3 ? 1 : -1);
  const Block a = matrix_with(known, 7);
  const EigenResult many = solve(a, {.count = half ? n / 2 : 24, .order = Order::value});
  for (const Order order : {Order::value, Order::magnitude}) {
    const EigenResult few = solve(a, {.count = 5, .order = order});
    ASSERT_EQ(few.values.size(), 5);
    EXPECT_LE(test::orthogonality_ratio(few.vectors), kRatio);
    if (ended_early(a, few)) continue;
    EXPECT_LE(test::residual_ratio(a, few.vectors, few.values), kRatio);
    if (order == Order::magnitude) continue;
    EXPECT_LE(test::value_ratio(few.values, many.values.head(5), n, 1.0), kRatio);
    const double gap = few.values[4] - many.values[5];
    EXPECT_LE(test::subspace_angle(many.vectors.leftCols(5), few.vectors) * gap,
              kRatio * n * kUnit);
  }
}

TEST_P(EverySolver, AThousandRowsOfOneMultipleEigenvalueAreSolvedToo) {
  constexpr Index n = 1050;
  Vector known = Vector::Constant(n, 1.0);
  known.head(6).setConstant(3);
  const Block a = matrix_with(known, 8);
  const EigenResult result = solve(a, {.count = 8, .order = Order::value});
  Worst worst;
  ASSERT_EQ(result.values.size(), 8);
  expect_pairs(a, result, known, worst);
}

TEST_P(EverySolver, IsFoundByItsName) {
  EXPECT_EQ(&solver_recipe(GetParam()->name), GetParam());
  EXPECT_FALSE(GetParam()->summary.empty());
  EXPECT_EQ(test::code_of([] { solver_recipe("denes"); }), "M112");
  const SolverTask task{.size = 1000, .request = {.count = 5}};
  EXPECT_FALSE(GetParam()->refuse(task).has_value());
  EXPECT_FALSE(GetParam()->schedule(task).empty());
  const Cost cost = GetParam()->cost(task, Machine{});
  EXPECT_GE(cost.bytes, GetParam()->needs_matrix ? 8'000'000U : 0U);
}

TEST(Certificate, ContainsTheTruthOnThousandRandomMatrices) {
  const SolverRecipe& dense = solver_recipe("dense");
  Index checked = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Index n = 2 + static_cast<Index>(seed % 11);
    Vector known(n);
    const Random random(seed, 1);
    for (Index i = 0; i < n; ++i) known[i] = random.normal(static_cast<std::uint64_t>(i));
    std::sort(known.begin(), known.end(), std::greater<>());
    const Block a = matrix_with(known, seed);
    const test::MatrixOperator op(a);
    const EigenResult result = dense.run(op, {.count = (n + 1) / 2}, {});
    const Certificate certificate = certify_dense(op, result, 0, {});
    EXPECT_TRUE(certificate.complete);
    for (Index i = 0; i < result.values.size(); ++i, ++checked) {
      EXPECT_GE(certificate.eigenvalue_upper[i], known[i]);
      EXPECT_LE(certificate.residuals[i], kRatio * static_cast<double>(n) * kUnit);
    }
  }
  EXPECT_GT(checked, 2000);
}

}  // namespace every_solver_test
}  // namespace mercer
