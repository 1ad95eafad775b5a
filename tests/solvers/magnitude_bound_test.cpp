// Bounds of eigenvalues by magnitude, where a spectrum has both signs and both its ends are wanted.
#include "mercer/solvers/bounds.h"
#include "tests/support/bound_cases.h"
#include "tests/support/dense.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace mercer {
namespace magnitude_bound_test {

using test::gaussian;
using test::largest_magnitude;
using test::matrix_with;
using test::Rotated;
using test::rotated;
using test::seed_of;
using test::spectrum;
using test::Spectrum;

// Facts with theta by falling magnitude, as a search for both ends keeps them.
BasisFacts by_magnitude(const BasisFacts& facts) {
  std::vector<Index> order(static_cast<std::size_t>(facts.theta.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(
      order, [&](Index a, Index b) { return std::abs(facts.theta[a]) > std::abs(facts.theta[b]); });
  return {facts.theta(order), facts.residual_gram(order, order)};
}

Vector magnitudes(const Block& a) {
  Vector values = test::dense_eigen(a).values.cwiseAbs();
  std::ranges::sort(values, std::greater<>());
  return values;
}

TEST(MagnitudeBound, HoldsForSpectraOfBothSignsAndClaimsNothingFalse) {
  Index complete = 0;
  for (Index trial = 0; trial < 300; ++trial) {
    const Random random(seed_of(trial));
    Vector values = spectrum(static_cast<Spectrum>(trial % 5), 30, random);
    for (Index i = 0; i < 30; ++i)
      if (random.uniform(seed_of(100 + i)) < 0.4) values[i] *= -1;
    const Block a = matrix_with(values, seed_of(trial));
    Block start = gaussian(30, 10, seed_of(1000 + trial));
    for (Index power = 0; power < trial % 9; ++power) start = test::orthonormal(a * start);
    const Rotated basis = rotated(a, test::orthonormal(start));
    const Index wanted = 1 + trial % 5;
    const BasisFacts facts = by_magnitude(basis.facts);
    const BorderedBound bound =
        magnitude_bound(facts, largest_magnitude(basis.complement), wanted, 1e-13);
    const Vector truth = magnitudes(a);
    for (Index i = 0; i <= wanted; ++i) EXPECT_GE(bound.upper[i], truth[i]) << trial << ' ' << i;
    if (!bound.complete) continue;
    ++complete;
    EXPECT_LE((truth.array() >= std::abs(facts.theta[wanted - 1])).count(), wanted) << trial;
  }
  EXPECT_GT(complete, 100);
}

// Residuals of the others do not widen the bound of a component that has none; and the width is
// their square over a distance, not they themselves.
TEST(MagnitudeBound, IsTightForEachComponent) {
  Vector values = Vector::LinSpaced(20, 0.01, -0.01);
  values.head(4) << 5, -4, 3, -2;
  const Block a = matrix_with(values, 3);
  const test::DenseEigen eigen = test::dense_eigen(a);
  Block q(20, 4);  // 5, 3, -2 exact to rounding; -4 off by 1e-3
  q.col(0) = eigen.vectors.col(0);
  q.col(1) = eigen.vectors.col(1);
  q.col(2) = eigen.vectors.col(18);
  q.col(3) = (eigen.vectors.col(19) + 1e-3 * eigen.vectors.col(10)).normalized();
  const Rotated basis = rotated(a, q);
  const BorderedBound bound =
      magnitude_bound(by_magnitude(basis.facts), largest_magnitude(basis.complement), 4, 1e-13);
  EXPECT_TRUE(bound.complete);
  Vector truth(4);
  truth << 5, 4, 3, 2;
  EXPECT_LE(test::max_abs(bound.upper.head(4) - truth), 1e-7);
  for (const Index exact : {0, 2, 3}) EXPECT_LE(bound.upper[exact], truth[exact] + 1e-7);
  EXPECT_LE(bound.upper[0], 5 + 1e-11);
}

// Nothing lies outside, and yet the residual alone makes a second value as large: -1.08
// beside 2.08.
TEST(MagnitudeBound, SeesWhatAResidualMakesOfTheOtherEnd) {
  BasisFacts facts{Vector::Constant(1, 1), Block::Constant(1, 1, 2.25)};
  EXPECT_FALSE(magnitude_bound(facts, 0, 1, 0).complete);
  facts.residual_gram(0, 0) = 0.01;
  EXPECT_TRUE(magnitude_bound(facts, 0, 1, 0).complete);
  EXPECT_FALSE(magnitude_bound(facts, 0, 1, 0.6).complete);  // an error as large as the gap
}

}  // namespace magnitude_bound_test
}  // namespace mercer
