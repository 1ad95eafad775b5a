// Sums, products and quotients of twofold numbers against 113-bit arithmetic.
#include "mercer/linalg/twofold.h"

#include "tests/oracle/quad_reference.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace twofold_test {

using oracle::Quad;

Quad quad(Twofold x) { return Quad(x.high) + x.low; }
double relative(Twofold found, Quad expected) {
  return static_cast<double>(fabsq(quad(found) - expected) / fabsq(expected));
}

TEST(Twofold, SumsAndProductsOfDoublesAreExact) {
  const Points x = test::random_points({.n = 500, .dim = 2, .seed = 1});
  for (Index i = 0; i < x.rows(); ++i) {
    const double a = x(i, 0), b = x(i, 1) * 1e-9;
    EXPECT_TRUE(quad(exact_sum(a, b)) == Quad(a) + b);
    EXPECT_TRUE(quad(exact_product(a, b)) == Quad(a) * b);
  }
}

TEST(Twofold, HasTwiceTheDigitsOfADouble) {
  const Points x = test::random_points({.n = 500, .dim = 4, .seed = 2});
  for (Index i = 0; i < x.rows(); ++i) {
    const Twofold a = exact_sum(x(i, 0), 1e-17 * x(i, 1)), b = exact_sum(x(i, 2), 1e-17 * x(i, 3));
    EXPECT_LE(relative(a * b, quad(a) * quad(b)), 1e-30);
    EXPECT_LE(relative(a / b.high, quad(a) / b.high), 1e-30);
    EXPECT_LE(static_cast<double>(fabsq(quad(a - b) - (quad(a) - quad(b)))), 1e-31);
    EXPECT_LE(static_cast<double>(fabsq(quad(a + b) - (quad(a) + quad(b)))), 1e-31);
  }
}

}  // namespace twofold_test
}  // namespace mercer
