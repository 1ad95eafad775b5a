// The ways to keep a Lanczos basis orthogonal, on matrices whose spectra were put in: what each of
// them keeps, what it saves, and the ghosts that come without any.
#include "mercer/solvers/reorthogonalise.h"

#include "mercer/solvers/krylov_basis.h"
#include "mercer/solvers/lanczos_process.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace mercer {
namespace reorthogonalise_test {

using test::kRatio;
using test::kUnit;

Block with_spectrum(const Vector& values, std::uint64_t seed) {
  const Block q = test::random_orthonormal(values.size(), values.size(), seed);
  const Block a = q * values.asDiagonal() * q.transpose();
  return 0.5 * (a + a.transpose());
}

Vector spectrum(const std::string& kind, Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(i);
    if (kind == "geometric") values[i] = std::pow(0.7, x);
    if (kind == "slow") values[i] = std::pow(0.9, x);
    if (kind == "algebraic") values[i] = 1 / (1 + x);
    if (kind == "multiple") values[i] = std::pow(0.4, std::floor(x / 4));
  }
  return values;
}

// A process of so many steps without restart.
struct Steps {
  Block vectors;
  Vector values;
  Index inner_products;
};

Steps run_steps(const Block& matrix, std::string_view variant, Index steps, std::uint64_t seed) {
  const test::MatrixOperator a(matrix);
  const EigenRequest request = EigenRequest{.search = {.seed = seed}};
  const Context context;
  Passes passes(a, request, 10 * steps, context);
  LanczosProcess process(gaussian_block(a.size(), 1, seed, 1, context), steps,
                         parse_reorthogonalise(variant), request, context);
  while (!process.full() && !process.exhausted()) process.step(passes);
  return {process.vectors(), process.pairs().values, process.work().inner_products};
}

double from_orthonormal(const Block& v) {
  return test::max_abs(v.transpose() * v - Block::Identity(v.cols(), v.cols()));
}

TEST(Reorthogonalise, PartialAndSelectiveKeepTheBasisSemiOrthogonalWithFewerInnerProducts) {
  for (const std::string kind : {"geometric", "slow", "algebraic", "multiple"})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Block matrix = with_spectrum(spectrum(kind, 160), seed);
      const Steps full = run_steps(matrix, "full", 60, seed);
      EXPECT_LE(from_orthonormal(full.vectors), 60 * kUnit) << kind;
      for (const std::string_view variant : {"partial", "selective"}) {
        SCOPED_TRACE(kind + " " + std::string(variant) + " seed " + std::to_string(seed));
        const Steps run = run_steps(matrix, variant, 60, seed);
        EXPECT_LE(from_orthonormal(run.vectors), std::sqrt(kUnit));
        EXPECT_GT(from_orthonormal(run.vectors), from_orthonormal(full.vectors));
        EXPECT_LE(test::max_abs(run.values.head(8) - full.values.head(8)), kRatio * 60 * kUnit);
        EXPECT_LT(run.inner_products, full.inner_products * 3 / 4);
      }
    }
}

// Ritz values that repeat one of the first three, which are simple.
Index ghosts(const Vector& ritz, const Vector& truth) {
  Index copies = 0;
  for (Index i = 0; i < 3; ++i) copies += ((ritz.array() - truth[i]).abs() < 1e-10).count() - 1;
  return copies;
}

TEST(Reorthogonalise, WithoutReorthogonalisationGhostsAppearAndOtherwiseNot) {
  for (const std::string kind : {"slow", "algebraic"}) {
    const Vector truth = spectrum(kind, 160);
    const Block matrix = with_spectrum(truth, 5);
    for (const std::string_view variant : {"full", "partial", "selective"})
      EXPECT_EQ(ghosts(run_steps(matrix, variant, 80, 2).values, truth), 0) << variant;
    const Steps none = run_steps(matrix, "none", 80, 2);
    EXPECT_GT(ghosts(none.values, truth), 3);
    EXPECT_GT(from_orthonormal(none.vectors), 0.5);
    EXPECT_EQ(none.inner_products, 0);
  }
}

TEST(Reorthogonalise, ASemiOrthogonalBasisIsStraightenedToRoundingAndItsProjectionStays) {
  const Block matrix = with_spectrum(spectrum("slow", 160), 7);
  for (const std::string_view variant : {"partial", "selective"}) {
    const test::MatrixOperator a(matrix);
    const EigenRequest request;
    const Context context;
    Passes passes(a, request, 100, context);
    LanczosProcess process(gaussian_block(160, 1, 4, 1, context), 60,
                           parse_reorthogonalise(variant), request, context);
    while (!process.full()) process.step(passes);
    ASSERT_TRUE(process.straighten());
    const Block v = process.vectors(), h = process.projected();
    EXPECT_LE(from_orthonormal(v), 60 * kUnit) << variant;
    EXPECT_LE(test::max_abs(v.transpose() * matrix * v - h), kRatio * 60 * kUnit) << variant;
    Block rest = matrix * v - v * h;  // A V = V H + f e_j'
    rest.col(59) -= process.tail();
    EXPECT_LE(test::max_abs(rest), kRatio * 60 * kUnit) << variant;
  }
}

}  // namespace reorthogonalise_test
}  // namespace mercer
