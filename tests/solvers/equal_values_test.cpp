// Which eigenvalues count as equal: by what is known of them, not by the largest alone.
#include "mercer/solvers/equal_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace mercer {
namespace equal_values_test {

Vector of(std::initializer_list<double> values) {
  Vector all(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), all.begin());
  return all;
}

std::vector<Range> runs(std::initializer_list<double> values, double unknown) {
  const Vector all = of(values);
  return runs_of_equals(all, Vector::Constant(all.size(), unknown), all.size() > 0 ? all[0] : 0);
}

TEST(EqualValues, SmallOnesThatAreApartAreNoCluster) {
  // 1e-11 of the largest apart, and known to 1e-15 of it.
  EXPECT_TRUE(runs({1, 3e-11, 2e-11, 1e-11}, 1e-15).empty());
  // A tenth of a millionth of their own size, known to a thousandth of that.
  EXPECT_TRUE(runs({1, 1e-5 * (1 + 1e-7), 1e-5}, 1e-15).empty());
}

TEST(EqualValues, SmallOnesThatAreEqualAreOne) {
  EXPECT_EQ(runs({1, 3e-11, 3e-11 + 1e-16, 1e-11}, 1e-15), (std::vector<Range>{{1, 3}}));
  EXPECT_EQ(runs({1, 1e-5, 1e-5, 1e-5 * (1 - 1e-11)}, 0), (std::vector<Range>{{1, 4}}));
}

TEST(EqualValues, WhatIsNotKnownWellIsNotTakenForApart) {
  EXPECT_EQ(runs({1, 3e-11, 2e-11, 1e-11}, 1e-9), (std::vector<Range>{{1, 4}}));
  // But never farther than 1e-10 of the largest.
  EXPECT_TRUE(runs({1, 5e-10, 3e-10, 1e-10}, 1e-3).empty());
}

TEST(EqualValues, LargeOnesAreComparedWithTheirOwnSize) {
  EXPECT_EQ(runs({2, 2 * (1 - 0.9e-10), 1, 1 - 1.2e-10}, 0), (std::vector<Range>{{0, 2}}));
  EXPECT_TRUE(runs({}, 0).empty() && runs({1}, 0).empty());
}

TEST(EqualValues, SignsDoNotMatterToTheSize) {
  const Vector values = of({2, -2 + 1e-12, -1e-8, -1e-8});
  EXPECT_EQ(runs_of_equals(values, Vector::Zero(4), 2), (std::vector<Range>{{2, 4}}));
}

}  // namespace equal_values_test
}  // namespace mercer
