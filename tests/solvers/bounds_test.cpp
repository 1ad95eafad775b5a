// What is certified must be true: bounds against dense eigenvalues, claims of completeness against
// Sylvester's law of inertia.
#include "mercer/solvers/bounds.h"

#include "tests/support/bound_cases.h"
#include "tests/support/dense.h"
#include "tests/support/inertia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace mercer {
namespace bounds_test {

using test::gaussian;
using test::kUnit;
using test::largest_magnitude;
using test::matrix_with;
using test::Rotated;
using test::rotated;
using test::seed_of;
using test::spectrum;
using test::Spectrum;

// Columns made orthonormal one after the other, twice; those that vanish are left out.
Block orthonormal(const Block& columns) {
  Block q(columns.rows(), std::min(columns.rows(), columns.cols()));
  Index count = 0;
  for (Index j = 0; j < columns.cols() && count < columns.rows(); ++j) {
    Vector x = columns.col(j).normalized();
    double left = 1;
    for (int again = 0; again < 3; ++again) {
      const Vector inside = q.leftCols(count).transpose() * x;
      x -= q.leftCols(count) * inside;
      left *= x.norm();
      x.normalize();
    }
    if (left > 1e-10) q.col(count++) = x;
  }
  return q.leftCols(count);
}

// Krylov basis of `passes` products; the start has no part in the first `hidden` eigenvectors.
Block krylov(const Block& a, const Block& hidden, Index block, Index passes, std::uint64_t seed) {
  const Index n = a.rows();
  Block start = gaussian(n, block, seed);
  for (int again = 0; again < 2; ++again) start -= (hidden * (hidden.transpose() * start)).eval();
  Block basis(n, block * (passes + 1));
  for (Index p = 0; p <= passes; ++p) {
    basis.middleCols(p * block, block) = start;
    start = (a * start).eval();
    start.colwise().normalize();
  }
  return orthonormal(basis);
}

// Every promise of a bound, held against all eigenpairs of the matrix.
void expect_true(const Block& a, const test::DenseEigen& truth, const Rotated& basis, Index wanted,
                 const BorderedBound& bound, double slack) {
  const Vector& theta = basis.facts.theta;
  const Index n = a.rows();
  ASSERT_EQ(bound.upper.size(), wanted + 1);
  for (Index i = 0; i < wanted; ++i) EXPECT_LE(theta[i], truth.values[i] + slack);
  for (Index i = 0; i < std::min(wanted + 1, n); ++i)
    EXPECT_GE(bound.upper[i], truth.values[i]) << "eigenvalue " << i;
  EXPECT_EQ(bound.next_upper, bound.upper[wanted]);
  EXPECT_LE(test::count_above(a, bound.next_upper), wanted);
  if (!bound.complete) return;
  // Between the bound and theta_wanted there is nothing, and above as many as were found.
  const double between = (bound.next_upper + theta[wanted - 1]) / 2;
  EXPECT_EQ(test::count_above(a, between), wanted);
  if (wanted < n) {
    EXPECT_LT(truth.values[wanted], theta[wanted - 1]);
  }
  const Block found = basis.basis.leftCols(wanted);
  EXPECT_LE(test::subspace_angle(truth.vectors.leftCols(wanted), found), bound.angle);
}

struct Tally {
  Index complete = 0, incomplete = 0, deceived = 0, angles = 0;
};

double complement_of_kind(Index kind, const Block& a, const Rotated& basis) {
  if (kind == 0) return frobenius_complement(a.squaredNorm(), basis.facts, 16 * kUnit);
  if (kind == 1) return trace_complement(a.trace(), basis.facts);
  return largest_magnitude(basis.complement);  // the smallest there is
}

void try_one(Index number, Tally& tally) {
  const Random random(seed_of(number), 7);
  const auto draw = [&](std::uint64_t n, std::uint64_t index) {
    return static_cast<Index>(random.below(n, index));
  };
  const Index n = 20 + draw(41, 10), block = 1 + draw(6, 11), passes = 1 + draw(3, 12);
  const Index hidden = draw(2, 13) == 0 ? 0 : 1 + draw(4, 14);
  const Block a =
      matrix_with(spectrum(static_cast<Spectrum>(number % 5), n, random), seed_of(2 * number + 1));
  const test::DenseEigen truth = test::dense_eigen(a);
  const Block q = krylov(a, truth.vectors.leftCols(hidden), block, passes, seed_of(2 * number + 2));
  const Rotated basis = rotated(a, q);
  const double slack = test::kRatio * static_cast<double>(n) * kUnit * truth.values[0];
  const double complement = complement_of_kind(number % 3, a, basis);
  EXPECT_GE(complement, largest_magnitude(basis.complement) * (1 - 1e-12));
  const Index m = q.cols();
  for (const Index wanted : {Index{1}, (m + 2) / 3, m}) {
    const BorderedBound bound = bordered_bound(basis.facts, complement, wanted, slack);
    expect_true(a, truth, basis, wanted, bound, slack);
    (bound.complete ? tally.complete : tally.incomplete) += 1;
    tally.angles += bound.angle < 0.1 ? 1 : 0;
    const double theta = basis.facts.theta[wanted - 1];
    const bool missing = wanted < n && truth.values[wanted] > theta + slack;
    const double residual =
        std::sqrt(basis.facts.residual_gram.topLeftCorner(wanted, wanted).trace());
    tally.deceived += missing && residual < 1e-3 * theta ? 1 : 0;
  }
}

TEST(BorderedBound, HoldsForAThousandMatricesAndNeverMissesWhatABasisCannotSee) {
  Tally tally;
  for (Index number = 0; number < 1000; ++number) {
    SCOPED_TRACE("matrix " + std::to_string(number));
    try_one(number, tally);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tally.complete, 200);
  EXPECT_GT(tally.incomplete, 1000);
  EXPECT_GT(tally.deceived, 50);  // small residuals although eigenvalues above are missing
  EXPECT_GT(tally.angles, 100);
}

// [diag(theta) R'; R b I]: of this matrix the bound is the eigenvalue itself.
struct Extreme {
  Block matrix;
  BasisFacts facts;
  double complement;
};

Extreme extreme(const Vector& theta, const Block& r, double complement) {
  const Index m = theta.size(), n = m + r.rows();
  Block a = complement * Block::Identity(n, n);
  a.topLeftCorner(m, m) = theta.asDiagonal();
  a.bottomLeftCorner(n - m, m) = r;
  a.topRightCorner(m, n - m) = r.transpose();
  return {a, {theta, r.transpose() * r}, complement};
}

TEST(BorderedBound, IsTheEigenvalueWhereTheComplementIsAMultipleOfTheIdentity) {
  const BasisFacts facts{Vector::Constant(1, 2), Block::Constant(1, 1, 1)};
  const BorderedBound bound = bordered_bound(facts, 1, 1, 0);  // of [2 1; 1 1]
  EXPECT_NEAR(bound.upper[0], (3 + std::sqrt(5.0)) / 2, 2e-6);
  EXPECT_NEAR(bound.next_upper, 1, 1e-5);
  EXPECT_TRUE(bound.complete);
  EXPECT_NEAR(bound.angle, 1, 1e-5);  // 1 / (2 - 1), the largest sine
}

TEST(BorderedBound, KeepsResidualsOfVeryDifferentSizeAndOfNearlyOneDirection) {
  const Vector theta{{1.0, 0.9, 0.9, 0.5, 0.1}};
  for (const double apart : {0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-2}) {
    const Vector sizes{{1e-12, 1e-9, 1e-5, 1e-2, 0.3}};
    const Vector common = gaussian(8, 1, 3).normalized();
    const Block spread = apart * gaussian(8, 5, 4);
    const Block r = (spread.colwise() + common) * sizes.asDiagonal();
    const Extreme e = extreme(theta, r, 0.05);
    const Vector mu = test::dense_eigen(e.matrix).values;
    const double rounding = 1e-14;
    const BorderedBound bound = bordered_bound(e.facts, e.complement, 3, rounding);
    for (Index i = 0; i < 4; ++i) {
      EXPECT_GE(bound.upper[i], mu[i]) << i << ", " << apart;
      EXPECT_LE(bound.upper[i], mu[i] + 1e-6) << i << ", " << apart;
    }
    EXPECT_LE(bound.upper[0], mu[0] + 1e-13);  // the residuals of the others do not spoil it
    EXPECT_TRUE(bound.complete);
    EXPECT_LE(bound.angle, 1e-4);
  }
}

TEST(BorderedBound, CoversDirectionsThatTheGramMatrixCannotTellFromRounding) {
  // Columns c + t z and c - t z: their difference couples to the complement with sqrt(2) t, most
  // where its theta is that of the complement or nearly so. t^2 = 2^-41 and less is left out of L.
  const double b = 0.01;
  for (const double t : {0.0, 1e-9, 1e-8, 2e-7, 6.5e-7, 1e-6, 1e-4, 1e-2})
    for (const double apart : {-2e-6, 0.0, 2e-6}) {
      const Block r{{1.0, 1.0}, {t, -t}, {0.0, 0.0}};
      const Extreme e = extreme(Vector::Constant(2, b + apart), r, b);
      const Vector mu = test::dense_eigen(e.matrix).values;
      const BorderedBound bound = bordered_bound(e.facts, b, 1, 1e-14);
      EXPECT_GE(bound.upper[1], mu[1]) << t << ", " << apart;
      EXPECT_LE(bound.upper[1], mu[1] + 5e-6) << t << ", " << apart;
    }
}

TEST(BorderedBound, ScalesWithTheMatrixToTheEndsOfTheRange) {
  const Block a = matrix_with(spectrum(Spectrum::geometric, 30, Random(5)), 6);
  const Rotated plain = rotated(a, krylov(a, Block(30, 0), 4, 2, 8));
  const double complement = frobenius_complement(a.squaredNorm(), plain.facts, 16 * kUnit);
  const BorderedBound expected = bordered_bound(plain.facts, complement, 3, 1e-14);
  EXPECT_TRUE(expected.complete);
  for (const double scale : {0x1p+498, 0x1p-200, 0x1p-498}) {
    const Rotated moved = rotated(scale * a, plain.basis);
    const double b = frobenius_complement((scale * a).squaredNorm(), moved.facts, 16 * kUnit);
    EXPECT_NEAR(b / scale, complement, 1e-6);
    const BorderedBound bound = bordered_bound(moved.facts, b, 3, scale * 1e-14);
    EXPECT_TRUE(bound.complete);
    // Squares of 1e-150 keep few digits: a residual below 1e-156 is not told from that.
    const double allowed = scale < 0x1p-400 ? 1e-6 : 1e-13;
    EXPECT_LE(test::max_abs(bound.upper / scale - expected.upper), allowed) << scale;
    EXPECT_NEAR(bound.angle, expected.angle, 1e-6);
    const Vector mu = scale * test::dense_eigen(a).values;
    for (Index i = 0; i < 4; ++i) EXPECT_GE(bound.upper[i], mu[i]);
  }
}

TEST(BorderedBound, HasAnAnswerForWholeBasesOneColumnAndZero) {
  const Block a = matrix_with(spectrum(Spectrum::algebraic, 6, Random(1)), 2);
  const test::DenseEigen truth = test::dense_eigen(a);
  const Rotated whole = rotated(a, test::random_orthonormal(6, 6, 3));
  const double floor = frobenius_complement(a.squaredNorm(), whole.facts, 16 * kUnit);
  EXPECT_LT(floor, 1e-6);
  EXPECT_LT(trace_complement(a.trace(), whole.facts), 1e-13);
  for (const Index wanted : {1, 3, 6}) {
    const BorderedBound bound = bordered_bound(whole.facts, floor, wanted, 1e-13);
    expect_true(a, truth, whole, wanted, bound, 1e-13);
    EXPECT_TRUE(bound.complete);
    EXPECT_TRUE(enclosed(bound, whole.facts.theta, wanted, 1e-12));
  }
  const Rotated one = rotated(a, test::random_orthonormal(6, 1, 4));
  const double rest = largest_magnitude(one.complement);
  expect_true(a, truth, one, 1, bordered_bound(one.facts, rest, 1, 1e-13), 1e-13);

  const BasisFacts zero{Vector::Zero(3), Block::Zero(3, 3)};
  const BorderedBound nothing = bordered_bound(zero, frobenius_complement(0, zero, kUnit), 2, 0);
  EXPECT_LT(nothing.upper.maxCoeff(), 1e-150);
  EXPECT_FALSE(nothing.complete);  // 0 is not above 0
  EXPECT_EQ(nothing.angle, std::numeric_limits<double>::infinity());

  const BasisFacts half{Vector{{1.0, 0.0}}, Block::Zero(2, 2)};
  EXPECT_TRUE(bordered_bound(half, 0, 1, 0).complete);
  EXPECT_FALSE(bordered_bound(half, 0, 2, 0).complete);
}

TEST(BorderedBound, PromisesNothingFromWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const BasisFacts facts{Vector{{1.0, 0.5}}, Block::Zero(2, 2)};
  const BorderedBound bound = bordered_bound(facts, infinity, 1, 0);
  EXPECT_FALSE(bound.complete);
  EXPECT_EQ(bound.upper[0], infinity);
  EXPECT_EQ(bound.angle, infinity);
  EXPECT_EQ(frobenius_complement(infinity, facts, kUnit), infinity);
  EXPECT_EQ(frobenius_complement(std::nan(""), facts, kUnit), infinity);
  EXPECT_EQ(trace_complement(infinity, facts), infinity);
}

TEST(BorderedBound, EnclosesAMultipletThatItCannotSeparate) {
  Vector values = Vector::Constant(40, 1e-3);
  values.head(7).setOnes();
  const Block a = matrix_with(values, 11);
  const Rotated basis = rotated(a, krylov(a, Block(40, 0), 4, 2, 12));
  const BorderedBound bound =
      bordered_bound(basis.facts, largest_magnitude(basis.complement), 4, 1e-12);
  EXPECT_FALSE(bound.complete);
  EXPECT_TRUE(enclosed(bound, basis.facts.theta, 4, 2e-6));
}

TEST(Enclosed, LooksAtEveryWantedOneAndAtNoOther) {
  const BorderedBound bound{Vector{{1.5, 1.25, 1.25}}, false, 1, 1.25};
  const Vector theta{{1.5, 1.0, 0.0}};
  EXPECT_TRUE(enclosed(bound, theta, 1, 0));
  EXPECT_FALSE(enclosed(bound, theta, 2, 0.2));
  EXPECT_TRUE(enclosed(bound, theta, 2, 0.25));
}

TEST(Complements, OfIndefiniteMatricesBoundBothEndsOfTheSpectrum) {
  const double quantile = chi_square_quantile(1e-9, 32);
  for (Index number = 0; number < 60; ++number) {
    const Index n = 25 + number % 20;
    const Random random(seed_of(number), 3);
    Vector values = spectrum(static_cast<Spectrum>(number % 5), n, random);
    for (Index i = 0; i < n; ++i)
      if (random.uniform(50 + seed_of(i)) < 0.4) values[i] = -values[i];
    const Block a = matrix_with(values, seed_of(number + 500));
    const Rotated basis = rotated(a, krylov(a, Block(n, 0), 3, number % 3, seed_of(number + 900)));
    const double size = largest_magnitude(basis.complement);
    const Block y = basis.complement * gaussian(n, 32, seed_of(number + 4000));
    const Block z = basis.complement * y;
    const double by_norm = frobenius_complement(a.squaredNorm(), basis.facts, 16 * kUnit);
    const double by_probe = probe_complement(y.transpose() * y, 1, quantile);
    const double by_two = probe_complement(z.transpose() * z, 2, quantile);
    const double slack = 1e-12;
    for (const double complement : {by_norm, by_probe, by_two}) {
      EXPECT_GE(complement, size * (1 - 1e-12));
      const BorderedBound bound = bordered_bound(basis.facts, complement, 2, slack);
      expect_true(a, test::dense_eigen(a), basis, 2, bound, slack);
    }
    EXPECT_NEAR(by_norm, basis.complement.norm(), 1e-6);
  }
}

TEST(Inertia, CountsWhatTheDenseEigenvaluesSay) {
  for (Index n = 1; n <= 40; ++n) {
    const Block g = gaussian(n, n, seed_of(n));
    const Block a = g + g.transpose();
    const Vector mu = test::dense_eigen(a).values;
    for (Index i = 0; i + 1 < n; ++i)
      EXPECT_EQ(test::count_above(a, (mu[i] + mu[i + 1]) / 2), i + 1);
    EXPECT_EQ(test::count_above(a, mu[0] + 1), 0);
    EXPECT_EQ(test::count_above(a, mu[n - 1] - 1), n);
  }
  const Block exchange{{0.0, 1.0}, {1.0, 0.0}};  // needs a pivot of order 2
  EXPECT_EQ(test::count_above(exchange, 0), 1);
}

}  // namespace bounds_test
}  // namespace mercer
