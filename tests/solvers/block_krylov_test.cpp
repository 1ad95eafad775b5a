// block_krylov on matrices whose spectra are known by construction, and on point sets whose
// symmetry makes eigenvalues repeat: no copy may be missed, every enclosure must hold the true
// value, and what cannot be proven must be said.
#include "mercer/core/random.h"
#include "mercer/linalg/lapack.h"
#include "mercer/operators/centered.h"
#include "mercer/solvers/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/inertia.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace mercer {
namespace block_krylov_test {

// A symmetric matrix as an operator that also gives its sums, as real ones do.
class Known final : public SymmetricOperator {
 public:
  explicit Known(Block matrix) : matrix_(std::move(matrix)) {}
  Index size() const override { return matrix_.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return matrix_.diagonal(); }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context&) const override {
    y = matrix_ * x;
    ++passes;
    if (sums == nullptr) return;
    sums->row_sums = matrix_.rowwise().sum();
    sums->trace = matrix_.trace();
    sums->frobenius_squared = matrix_.squaredNorm();
    sums->frobenius_error = 0x1p-50;
  }
  mutable Index passes = 0;

 private:
  Block matrix_;
};

Block gaussian(Index rows, Index cols, std::uint64_t seed) {
  Block block(rows, cols);
  const Random random(seed, 77);
  for (Index i = 0; i < block.size(); ++i)
    block.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return block;
}

Block symmetrised(const Block& a) { return 0.5 * (a + a.transpose()); }

Block with_spectrum(const Vector& values, std::uint64_t seed) {
  const Block q = test::orthonormal(gaussian(values.size(), values.size(), seed));
  return symmetrised(q * values.asDiagonal() * q.transpose());
}

Vector spectrum(const std::string& kind, Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(i);
    if (kind == "geometric") values[i] = std::pow(0.8, x);
    if (kind == "algebraic") values[i] = 1 / ((x + 1) * (x + 1));
    if (kind == "clustered") values[i] = std::pow(0.5, std::floor(x / 5)) * (1 - 1e-9 * x);
    if (kind == "multiple") values[i] = std::pow(0.4, std::floor(x / 4));
    if (kind == "slow") values[i] = 1 / (1 + x);
  }
  return values;
}

EigenRequest asked(Index count, double tolerance, std::uint64_t seed) {
  EigenRequest request;
  request.count = count;
  request.tolerance = tolerance;
  request.search.seed = seed;
  request.matrix.positive = true;
  request.matrix.rank_tolerance = 1e-13;
  return request;
}

EigenResult solve(const SymmetricOperator& a, const EigenRequest& request) {
  return solver_recipe("block_krylov").run(a, request, Context{});
}

// What the result says must be true of the matrix.
void expect_true(const EigenResult& result, const Vector& truth, const std::string& what) {
  const double largest = truth.cwiseAbs().maxCoeff();
  for (Index i = 0; i < result.values.size(); ++i) {
    EXPECT_LE(result.values[i], truth[i] + 1e-13 * largest) << what << " lower bound " << i;
    if (!result.certificate.complete) continue;
    EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i] - 1e-14 * largest)
        << what << " upper bound " << i;
  }
}

// Vertices of the cube {0,1}^dim, one per row.
Points cube(Index dim) {
  Points points(Index{1} << dim, dim);
  for (Index i = 0; i < points.rows(); ++i)
    for (Index j = 0; j < dim; ++j) points(i, j) = static_cast<double>((i >> j) & 1);
  return points;
}

Points polygon(Index corners) {
  Points points(corners, 2);
  for (Index i = 0; i < corners; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / static_cast<double>(corners);
    points.row(i) << std::cos(angle), std::sin(angle);
  }
  return points;
}

Points simplex(Index corners) { return Points::Identity(corners, corners); }

struct Symmetric {
  std::string name;
  Block matrix;
  Vector truth;
};

Symmetric symmetric_case(const std::string& name, const Points& points, const char* kernel) {
  Block matrix = test::double_centred(test::dense_kernel(Kernel(kernel), points));
  Vector truth = test::dense_eigen(matrix).values;
  return {name, std::move(matrix), std::move(truth)};
}

// A few seeds in every run of the tests, many in the slow one.
std::uint64_t seeds() {
  const char* asked = std::getenv("MERCER_SEEDS");
  return asked == nullptr ? 4 : std::strtoull(asked, nullptr, 10);
}

TEST(BlockKrylov, AgreesWithTheKnownSpectrumWithinItsCertificate) {
  for (const std::string kind : {"geometric", "algebraic", "clustered", "multiple", "slow"})
    for (const Index n : {40, 200})
      for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        const Vector truth = spectrum(kind, n);
        const Known a(with_spectrum(truth, 3));
        const EigenResult result = solve(a, asked(8, tolerance, 1));
        const std::string what = kind + " " + std::to_string(n) + " " + std::to_string(tolerance);
        ASSERT_EQ(result.values.size(), 8) << what;
        EXPECT_TRUE(result.converged) << what << result.stop.words();
        EXPECT_LE(result.certificate.residuals.maxCoeff(), tolerance) << what;
        expect_true(result, truth, what);
        for (Index i = 0; i < 8; ++i)
          EXPECT_NEAR(result.values[i], truth[i], 2 * tolerance) << what << " value " << i;
        EXPECT_LE(
            test::max_abs(result.vectors.transpose() * result.vectors - Block::Identity(8, 8)),
            1e-12)
            << what;
        EXPECT_EQ(a.passes, result.applications) << what;
      }
}

TEST(BlockKrylov, MissesNoCopyOfRepeatedEigenvalues) {
  const std::vector<Symmetric> cases = {
      symmetric_case("8-cube", cube(8), "gaussian:gamma=0.3"),
      symmetric_case("60-gon", polygon(60), "gaussian:sigma=0.7"),
      symmetric_case("30-simplex", simplex(30), "gaussian:sigma=1")};
  const std::vector<std::vector<Index>> counts = {{8, 9, 12}, {2, 3, 10}, {5, 14}};
  Index runs = 0, proven = 0, wrong = 0;
  for (std::size_t c = 0; c < cases.size(); ++c)
    for (const Index k : counts[c])
      for (const double tolerance : {1e-3, 1e-6, 1e-12})
        for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
          const EigenResult result = solve(Known(cases[c].matrix), asked(k, tolerance, seed));
          ++runs;
          const double slack = 2 * tolerance * cases[c].truth[0];
          bool right = result.values.size() == k;
          for (Index i = 0; right && i < k; ++i)
            right = std::abs(result.values[i] - cases[c].truth[i]) <= slack;
          if (result.certificate.complete) {
            ++proven;
            EXPECT_TRUE(right) << cases[c].name << " k=" << k << " tol=" << tolerance
                               << " seed=" << seed;
          }
          wrong += right ? 0 : 1;
          expect_true(result, cases[c].truth, cases[c].name);
        }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(proven, runs * 8 / 10) << "of " << runs;
}

TEST(BlockKrylov, EnclosesTheTruthInAThousandRandomCases) {
  const std::vector<std::string> kinds = {"geometric", "algebraic", "clustered", "multiple",
                                          "slow"};
  Index proven = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::string& kind = kinds[seed % kinds.size()];
    const auto n = static_cast<Index>(20 + seed * 7 % 41);
    const auto count = static_cast<Index>(1 + seed % 6);
    const double tolerance = std::pow(10.0, -static_cast<double>(2 + seed % 9));
    const Vector truth = spectrum(kind, n);
    EigenRequest request = asked(count, tolerance, seed);
    request.search.block = static_cast<Index>(2 + seed % 4);  // narrower than some multiplicities
    request.certify = seed % 3 == 0 ? Certify::deterministic : Certify::automatic;
    const EigenResult result = solve(Known(with_spectrum(truth, seed)), request);
    proven += result.certificate.complete ? 1 : 0;
    expect_true(result, truth, kind + " seed " + std::to_string(seed));
  }
  EXPECT_GT(proven, 700);
}

TEST(BlockKrylov, DetectsAStartThatIsOrthogonalToTheTopVector) {
  Index detected = 0, cases = 0;
  for (const std::string kind : {"geometric", "algebraic", "multiple"})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Index n = 80;
      const Vector truth = spectrum(kind, n);
      const Block q = test::orthonormal(gaussian(n, n, seed + 100));
      const Known a(symmetrised(q * truth.asDiagonal() * q.transpose()));
      // Exact eigenvectors 2..7: residuals are perfect and the first one is invisible to them.
      const Block start = q.middleCols(1, 6);
      EigenRequest request = asked(5, 1e-8, seed);
      request.start = &start;
      const EigenResult result = solve(a, request);
      ++cases;
      if (!result.certificate.complete) continue;
      EXPECT_NEAR(result.values[0], truth[0], 1e-7) << kind << seed;
      detected += std::abs(result.values[0] - truth[0]) < 1e-7 ? 1 : 0;
    }
  EXPECT_GT(detected, cases / 2);
}

// Pairs of a matrix near a = q diag(values) q', from its vector `from` on: 0 for all of them.
LowRank near_pairs(const Block& q, const Vector& values, Index from, std::uint64_t seed) {
  const Block noise = 1e-3 * gaussian(q.rows(), q.cols(), seed);
  return {test::orthonormal(q + noise).middleCols(from, 40), values.segment(from, 40)};
}

// Signs of a QR's columns are its own; only their span matters to a start.
TEST(BlockKrylov, StartsNarrowWhereColumnsAreExpensiveAndMissesNothing) {
  Index narrower = 0, proven = 0, cases = 0;
  for (const std::string kind : {"geometric", "algebraic", "clustered", "multiple", "slow"})
    for (const Index missed : {0, 1})  // the matrix nearby may not know the top vector at all
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Index n = 200;
        const Vector truth = spectrum(kind, n);
        const Block q = test::orthonormal(gaussian(n, n, seed + 300));
        const Known a(symmetrised(q * truth.asDiagonal() * q.transpose()));
        const LowRank near = near_pairs(q, truth, missed, seed);
        EigenRequest request = asked(6, 1e-7, seed);
        request.matrix.costly_passes = true;
        request.search.near = &near;
        request.search.first = 50;
        const Index wide = solve(a, request).history.front().columns;
        request.search.narrow = true;
        const EigenResult result = solve(a, request);
        const std::string what = kind + " " + std::to_string(missed) + " " + std::to_string(seed);
        narrower += result.history.front().columns < wide ? 1 : 0;
        ++cases;
        expect_true(result, truth, what);
        if (!result.certificate.complete) continue;
        ++proven;
        for (Index i = 0; i < 6; ++i) EXPECT_NEAR(result.values[i], truth[i], 2e-7) << what << i;
      }
  EXPECT_GT(narrower, cases / 4);
  EXPECT_GT(proven, cases * 8 / 10);
}

TEST(BlockKrylov, SaysThatAFlatSpectrumCannotBeProvenWithoutACount) {
  const Known a(Block::Identity(400, 400));
  EigenRequest request = asked(5, 1e-6, 1);
  EXPECT_TRUE(solve(a, request).certificate.complete);
  request.search.proof_bytes = 0;
  const EigenResult result = solve(a, request);
  EXPECT_FALSE(result.certificate.complete);
  EXPECT_FALSE(result.stop.words().empty());
}

TEST(BlockKrylov, CountsAsManyEigenvaluesAsInertiaDoes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Block matrix = with_spectrum(spectrum("algebraic", 90), seed);
    const EigenResult result = solve(Known(matrix), asked(6, 1e-9, seed));
    ASSERT_TRUE(result.certificate.complete);
    const double below = 0.5 * (result.values[5] + spectrum("algebraic", 90)[6]);
    EXPECT_EQ(test::count_above(matrix, below), 6);
  }
}

TEST(BlockKrylov, RestartsWhenTheBasisIsFull) {
  const Vector truth = spectrum("slow", 300);
  EigenRequest request = asked(4, 1e-7, 5);
  request.search.block = 8;
  request.search.basis = 48;
  const EigenResult result = solve(Known(with_spectrum(truth, 9)), request);
  EXPECT_TRUE(result.converged) << result.stop.words();
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-7);
}

TEST(BlockKrylov, FindsBothEndsByMagnitude) {
  Vector truth = spectrum("geometric", 120);
  for (Index i = 1; i < truth.size(); i += 3) truth[i] = -truth[i];
  EigenRequest request = asked(6, 1e-9, 2);
  request.order = Order::magnitude;
  request.matrix.positive = false;
  const EigenResult result = solve(Known(with_spectrum(truth, 4)), request);
  ASSERT_TRUE(result.certificate.complete) << result.stop.words();
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(result.values[i], truth[i], 1e-9);
}

TEST(BlockKrylov, EnclosesEigenvaluesWhenOnlyTheyAreAsked) {
  const Vector truth = spectrum("geometric", 250);
  EigenRequest request = asked(10, 1e-6, 1);
  request.eigenvalues_only = true;
  request.tolerance = 1e-6;
  const Known a(with_spectrum(truth, 8));
  const EigenResult result = solve(a, request);
  ASSERT_TRUE(result.certificate.complete) << result.stop.words();
  for (Index i = 0; i < 10; ++i) {
    EXPECT_LE(result.certificate.eigenvalue_upper[i] - result.values[i], 1e-6 * result.values[i]);
    EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i]);
  }
  const EigenResult full = solve(Known(with_spectrum(truth, 8)), asked(10, 1e-6, 1));
  EXPECT_LE(result.applications, full.applications);
}

TEST(BlockKrylov, GivesTheSameBytesForAnyNumberOfThreads) {
  const Known a(with_spectrum(spectrum("algebraic", 300), 6));
  Context context;
  context.budget.threads = 1;
  const auto& recipe = solver_recipe("block_krylov");
  const EigenResult one = recipe.run(a, asked(5, 1e-8, 3), context);
  for (const Index threads : {2, 3, 4, 8}) {
    context.budget.threads = threads;
    const EigenResult more = recipe.run(a, asked(5, 1e-8, 3), context);
    EXPECT_EQ(one.values, more.values) << threads;
    EXPECT_EQ(one.vectors, more.vectors) << threads;
  }
}

TEST(BlockKrylov, StopsWhenCancelled) {
  const Known a(with_spectrum(spectrum("slow", 200), 6));
  Context context;
  context.observer.cancelled = [&] { return a.passes >= 2; };
  EXPECT_THROW(solver_recipe("block_krylov").run(a, asked(5, 1e-12, 3), context), Error);
}

}  // namespace block_krylov_test
}  // namespace mercer
