// One sign per vector, which rounding cannot flip.
#include "mercer/solvers/signs.h"

#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace signs_test {

TEST(FixSigns, TheEntryOfLargestMagnitudeBecomesPositive) {
  Block v(3, 2);
  v << 1, 1,  //
      -2, 3,  //
      0, -2;
  fix_signs(v);
  Block expected(3, 2);
  expected << -1, 1,  //
      2, 3,           //
      0, -2;
  EXPECT_TRUE(v == expected);
}

TEST(FixSigns, TheFirstOfEntriesThatAreEqualToRoundingDecides) {
  Block v(2, 1);
  v << -std::sqrt(0.5), std::nextafter(std::sqrt(0.5), 1);
  fix_signs(v);
  EXPECT_GT(v(0, 0), 0);
  Block turned(2, 1);
  turned << std::sqrt(0.5), -std::nextafter(std::sqrt(0.5), 1);
  fix_signs(turned);
  EXPECT_TRUE(v == turned);
}

TEST(FixSigns, EitherOrientationGivesTheSameVectors) {
  const Block v = test::random_orthonormal(30, 6, 1);
  Block one = v, other = -v;
  fix_signs(one);
  fix_signs(other);
  EXPECT_TRUE(one == other);
}

TEST(FixSigns, LeavesZerosAndEmptyBlocksAlone) {
  Block zero = Block::Zero(3, 2), none(0, 2), no_columns(3, 0);
  fix_signs(zero);
  fix_signs(none);
  fix_signs(no_columns);
  EXPECT_TRUE(zero == Block::Zero(3, 2));
}

}  // namespace signs_test
}  // namespace mercer
