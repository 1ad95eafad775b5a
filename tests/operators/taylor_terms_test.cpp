// Oracles: the multinomial theorem, powers by std::pow, Pascal's triangle.
#include "mercer/operators/taylor_terms.h"

#include "mercer/core/error.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace mercer {
namespace taylor_terms_test {

TEST(MonomialCount, FollowsPascalsTriangle) {
  for (Index dim = 1; dim < 26; ++dim)
    for (Index degree = 1; degree < 26; ++degree)
      EXPECT_EQ(monomial_count(dim, degree),
                monomial_count(dim - 1, degree) + monomial_count(dim, degree - 1));
  EXPECT_EQ(monomial_count(0, 5), 1);
  EXPECT_EQ(monomial_count(5, 0), 1);
  EXPECT_EQ(monomial_count(1000000, 1), 1000001);
  EXPECT_EQ(monomial_count(100000, 100000), std::numeric_limits<double>::infinity());
}

TEST(Monomials, AreAllOfThemOnceInGradedOrder) {
  for (Index dim = 0; dim <= 6; ++dim)
    for (Index degree = 0; degree <= 5; ++degree) {
      const Monomials terms(dim, degree);
      ASSERT_EQ(static_cast<double>(terms.count()), monomial_count(dim, degree));
      std::set<std::vector<Index>> seen;
      Index before = 0;
      for (Index t = 0; t < terms.count(); ++t) {
        const std::vector<Index> alpha = terms.exponents(t);
        Index total = 0;
        double log_factorial = 0;
        for (const Index a : alpha) {
          total += a;
          log_factorial += std::lgamma(static_cast<double>(a) + 1);
        }
        EXPECT_EQ(terms.degree_of(t), total);
        EXPECT_GE(total, before);
        EXPECT_LE(total, degree);
        EXPECT_NEAR(terms.log_factorial(t), log_factorial, 1e-13);
        EXPECT_TRUE(seen.insert(alpha).second);
        before = total;
      }
      for (Index k = 0; k <= degree; ++k)
        EXPECT_EQ(static_cast<double>(terms.count_up_to(k)), monomial_count(dim, k));
      EXPECT_EQ(terms.degree(), degree);
    }
}

TEST(Monomials, FillsPowersOfTheRows) {
  const Points x = test::random_points({.n = 13, .dim = 3, .seed = 3});
  const Monomials terms(3, 6);
  Block out = Block::Constant(20, terms.count(), -7);
  terms.fill(x, out.data(), out.rows());
  for (Index t = 0; t < terms.count(); ++t) {
    const std::vector<Index> alpha = terms.exponents(t);
    for (Index i = 0; i < x.rows(); ++i) {
      double power = 1;
      for (Index j = 0; j < 3; ++j)
        power *= std::pow(x(i, j), static_cast<double>(alpha[static_cast<std::size_t>(j)]));
      EXPECT_NEAR(out(i, t), power, 1e-14 * std::max(1.0, std::abs(power)));
    }
  }
  EXPECT_TRUE((out.bottomRows(7).array() == -7).all());  // beyond the rows nothing is written
}

TEST(Monomials, WithTheirWeightsAreThePolynomialKernel) {
  // (x.y + c)^p = sum p! / (alpha! (p - |alpha|)!) c^(p - |alpha|) x^alpha y^alpha
  const double c = 0.7;
  for (const Index dim : {1, 2, 5})
    for (const Index p : {1, 2, 3, 7}) {
      const Points x = test::random_points({.n = 9, .dim = dim, .seed = 4});
      const Monomials terms(dim, p);
      Block f(9, terms.count());
      terms.fill(x, f.data(), 9);
      for (Index t = 0; t < terms.count(); ++t) {
        const auto rest = static_cast<double>(p - terms.degree_of(t));
        f.col(t) *=
            std::exp(0.5 * (std::lgamma(static_cast<double>(p) + 1) - terms.log_factorial(t) -
                            std::lgamma(rest + 1) + rest * std::log(c)));
      }
      const Block dots = x * x.transpose();
      const Block expected = (dots.array() + c).pow(static_cast<double>(p));
      const double largest = expected.cwiseAbs().maxCoeff();
      EXPECT_LE((f * f.transpose() - expected).cwiseAbs().maxCoeff(), 1e-13 * largest);
    }
}

TEST(Monomials, TakeAFirstColumnAndStopWhereTold) {
  const Points x = test::random_points({.n = 8, .dim = 2, .seed = 5});
  const Monomials terms(2, 4);
  Block plain(8, terms.count());
  terms.fill(x, plain.data(), 8);
  const Block columns = x;
  const Vector first = Vector::LinSpaced(8, 1, 2);
  const Index some = terms.count_up_to(2);
  Block out = Block::Constant(8, terms.count(), -7);
  terms.fill(columns.data(), 8, 8, first.data(), some, out.data(), 8);
  const Block expected = first.asDiagonal() * plain.leftCols(some);
  EXPECT_LE((out.leftCols(some) - expected).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_TRUE((out.rightCols(terms.count() - some).array() == -7).all());
  Block in_place(8, some);
  in_place.col(0) = first;
  terms.fill(columns.data(), 8, 8, in_place.data(), some, in_place.data(), 8);
  EXPECT_TRUE(in_place == out.leftCols(some));
}

TEST(Monomials, RefuseToBeTooMany) { EXPECT_THROW(Monomials(60, 60), Error); }

}  // namespace taylor_terms_test
}  // namespace mercer
