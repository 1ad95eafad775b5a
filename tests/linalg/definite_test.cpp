// Cholesky as a test: what it says of matrices whose eigenvalues were put in, the error it claims,
// and the directions in which a matrix is not positive.
#include "mercer/linalg/definite.h"

#include "tests/support/errors.h"
#include "tests/support/spectra.h"

#include <gtest/gtest.h>

namespace mercer {
namespace definite_test {

constexpr Index kSizes[] = {1, 2, 3, 40, 255, 256, 257, 530};

Vector positive_spectrum(Index n) { return Vector::LinSpaced(n, 2, 0.5); }

TEST(Definite, AcceptsPositiveMatricesOfEverySize) {
  for (const Index n : kSizes) {
    Block a = test::matrix_with(positive_spectrum(n), 3);
    const DefiniteTest result = test_definite(a, 4, {});
    EXPECT_TRUE(result.definite) << n;
    EXPECT_EQ(result.directions.size(), 0) << n;
    // No more than the theorem's n u, times row sums of |L||L'|.
    EXPECT_LE(result.error,
              8 * static_cast<double>(n + 16) * test::kUnit * std::sqrt(static_cast<double>(n)) * 2)
        << n;
    EXPECT_GT(result.error, 0) << n;
  }
  Block nothing(0, 0);
  EXPECT_TRUE(test_definite(nothing, 1, {}).definite);
}

TEST(Definite, ItsFactorSolvesSystems) {
  for (const Index n : kSizes) {
    const Block a = test::matrix_with(positive_spectrum(n), 7), wanted = Block::Random(n, 9);
    Block factor = a, x = a * wanted;
    factor.triangularView<Eigen::StrictlyUpper>().setConstant(1e300);  // is not looked at
    ASSERT_TRUE(test_definite(factor, 1, {}).definite);
    solve_definite(factor, x, {});
    EXPECT_LE((x - wanted).cwiseAbs().maxCoeff(), 1e-12) << n;
  }
}

TEST(Definite, ShowsDirectionsInWhichAMatrixIsNotPositive) {
  for (const Index n : kSizes)
    for (const Index negative : {1, 3, 20}) {
      if (negative > n) continue;
      Vector values = positive_spectrum(n);
      values.tail(negative).setConstant(-0.1);
      const Block a = test::matrix_with(values, 4);
      Block work = a;
      const DefiniteTest result = test_definite(work, 8, {});
      ASSERT_FALSE(result.definite) << n;
      ASSERT_GE(result.directions.cols(), 1);
      EXPECT_LE(result.directions.cols(), 8);
      for (Index j = 0; j < result.directions.cols(); ++j) {
        const Vector x = result.directions.col(j);
        EXPECT_NEAR(x.norm(), 1, 1e-12);
        EXPECT_LE(x.dot(a * x), 1e-12) << n << " " << j;
      }
      EXPECT_GT(test::singular_values(result.directions).minCoeff(), 1e-6) << "independent";
    }
}

TEST(Definite, ItsErrorCoversWhatItAccepts) {
  // Lowest eigenvalues around zero, by less than rounding: whatever is accepted is above -error.
  Index accepted = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index n = 60;
    Vector values = positive_spectrum(n);
    values[n - 1] = 1e-17 * (static_cast<double>(seed) - 30);
    Block a = test::matrix_with(values, seed);
    const double least = test::dense_eigen(a).values[n - 1];
    const DefiniteTest result = test_definite(a, 1, {});
    if (!result.definite) continue;
    ++accepted;
    EXPECT_GE(least, -result.error);
    EXPECT_LE(result.error, 1e-12);
  }
  EXPECT_GT(accepted, 0);
}

TEST(Definite, LeavesTheUpperTriangleAlone) {
  const Index n = 300;
  const Block a = test::matrix_with(positive_spectrum(n), 5);
  Block work = a;
  work.triangularView<Eigen::StrictlyUpper>().setConstant(7);
  EXPECT_TRUE(test_definite(work, 1, {}).definite);
  for (Index j = 1; j < n; ++j) EXPECT_TRUE((work.col(j).head(j).array() == 7).all()) << j;
  const Block l = work.triangularView<Eigen::Lower>();
  EXPECT_LE(test::max_abs(l * l.transpose() - a), 1e-13);
}

TEST(Definite, GivesTheSameBytesForAnyNumberOfThreads) {
  const Block a = test::matrix_with(positive_spectrum(700), 6);
  Context context;
  context.budget.threads = 1;
  Block one = a;
  const double error = test_definite(one, 1, context).error;
  for (const Index threads : {2, 3, 8}) {
    context.budget.threads = threads;
    Block more = a;
    EXPECT_EQ(test_definite(more, 1, context).error, error);
    EXPECT_EQ(more, one) << threads;
  }
}

TEST(Definite, RefusesWhatIsNoNumberAndStopsWhenAsked) {
  Block a = test::matrix_with(positive_spectrum(300), 7);
  a(280, 3) = std::nan("");
  EXPECT_FALSE(test_definite(a, 4, {}).definite);
  Block b = test::matrix_with(positive_spectrum(600), 7);
  Context context;
  Index asked = 0;
  context.observer.out_of_time = [&] { return ++asked > 3; };
  context.budget.threads = 1;
  EXPECT_EQ(test::code_of([&] { test_definite(b, 1, context); }), "M303");
}

}  // namespace definite_test
}  // namespace mercer
