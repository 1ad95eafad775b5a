// Which eigenpairs a request means.
#include "mercer/solvers/spectrum.h"

#include "tests/support/dense.h"

#include <gtest/gtest.h>

namespace mercer {
namespace spectrum_test {

Vector ascending(std::initializer_list<double> values) {
  Vector v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

TEST(SelectPairs, TakesTheLargestByValueInFallingOrder) {
  const Vector values = ascending({-9, 1, 2, 5});
  const Selection chosen = select_pairs(values, values.sum(), {.count = 2});
  EXPECT_EQ(chosen.positions, (std::vector<Index>{3, 2}));
  EXPECT_EQ(chosen.next_value, 1);
  EXPECT_EQ(chosen.wanted, 2);
}

TEST(SelectPairs, ByMagnitudeTakesNegativeOnesToo) {
  const Vector values = ascending({-9, -1, 2, 5});
  const Selection chosen =
      select_pairs(values, values.sum(), {.count = 3, .order = Order::magnitude});
  EXPECT_EQ(chosen.positions, (std::vector<Index>{0, 3, 2}));
  EXPECT_EQ(chosen.next_value, -1);
  const Vector tied = ascending({-3, 3});
  EXPECT_EQ(select_pairs(tied, 0, {.count = 1, .order = Order::magnitude}).positions,
            (std::vector<Index>{1}));
}

TEST(SelectPairs, DropsWhatIsInsignificantBesideTheLargestMagnitude) {
  const Vector values = ascending({-1e-20, 0, 1e-12, 1e-3, 1});
  const Selection chosen =
      select_pairs(values, 1, {.count = 4, .matrix = {.rank_tolerance = 1e-10}});
  EXPECT_EQ(chosen.positions, (std::vector<Index>{4, 3}));
  EXPECT_EQ(chosen.wanted, 4);
  EXPECT_EQ(chosen.next_value, 0);
}

TEST(SelectPairs, AShareTakesTheFewestThatReachIt) {
  const Vector values = ascending({0.5, 0.5, 1, 2, 4});  // trace 8: shares 1/2, 3/4, 7/8, ...
  const auto count = [&](double share) {
    return select_pairs(values, 8, {.share = share, .matrix = {.rank_tolerance = 1e-10}})
        .positions.size();
  };
  EXPECT_EQ(count(0.01), 1U);
  EXPECT_EQ(count(0.5), 1U);  // reached exactly
  EXPECT_EQ(count(0.51), 2U);
  EXPECT_EQ(count(0.75), 2U);
  EXPECT_EQ(count(0.99), 5U);
}

TEST(SelectPairs, AShareThatRoundingPutsOutOfReachEndsAtTheRank) {
  const Vector values = ascending({0, 0, 1, 1});
  const Selection chosen =
      select_pairs(values, 2.1, {.share = 0.999, .matrix = {.rank_tolerance = 1e-10}});
  EXPECT_EQ(chosen.positions.size(), 2U);
}

TEST(SelectPairs, AShareOfAnIndefiniteSpectrumIsOfTheSumOfMagnitudes) {
  const Vector values =
      ascending({-6, -1, 1, 2, 4});  // the trace is 0, the magnitudes add up to 14
  const auto count = [&](double share) {
    return select_pairs(values, 0, {.share = share, .matrix = {.rank_tolerance = 1e-10}})
        .positions.size();
  };
  EXPECT_EQ(count(0.1), 1U);
  EXPECT_EQ(count(0.4), 2U);
  EXPECT_EQ(count(0.9), 3U);  // out of reach: all positive ones
}

TEST(SelectPairs, AShareThatIsMetButForRoundingIsMet) {
  // Ten equal values: 9 of them are 0.9 of the whole, whatever the last digits say.
  for (const double off : {-4 * test::kUnit, 0.0, 4 * test::kUnit}) {
    Vector values = Vector::Constant(11, 1 + off);
    values[0] = 0;
    EXPECT_EQ(select_pairs(values, 10, {.share = 0.9, .matrix = {.rank_tolerance = 1e-10}})
                  .positions.size(),
              9U);
  }
  Vector values = Vector::Constant(11, 1);
  values[0] = 0;
  EXPECT_EQ(select_pairs(values, 10, {.share = 0.9001, .matrix = {.rank_tolerance = 1e-10}})
                .positions.size(),
            10U);
}

TEST(SelectPairs, AShareOutOfReachSaysHowMuchThereIs) {
  const Vector values = ascending({-6, -1, 1, 2, 4});  // magnitudes 14, positive ones 7
  const auto reachable = [&](EigenRequest request) {
    request.matrix.rank_tolerance = 1e-10;
    return select_pairs(values, 0, request).reachable;
  };
  EXPECT_EQ(reachable({.share = 0.9}), 0.5);
  EXPECT_EQ(reachable({.share = 0.5}), 1);  // all of it is there
  EXPECT_EQ(reachable({.share = 0.9999, .order = Order::magnitude}), 1);
  EXPECT_EQ(reachable({.count = 5}), 1);
  // Raised by 6: 0 5 7 8 10, of which those that were positive are 25 of 30.
  EXPECT_DOUBLE_EQ(reachable({.share = 0.9, .raised = true}), 25.0 / 30);
  EXPECT_EQ(select_pairs(values, 0, {.share = 0.6, .raised = true}).positions.size(), 2U);
  EXPECT_EQ(select_pairs(values, 0, {.share = 0.6}).positions.size(), 3U);
}

TEST(SelectPairs, WhatStaysZeroIsNotRaised) {
  const Vector values = ascending({-1, 0, 1, 2});  // raised, the 0 apart: 0, 2, 3
  EXPECT_EQ(select_pairs(values, 2, {.share = 0.6, .raised = true, .matrix = {.fixed = 1}})
                .positions.size(),
            1U);
  EXPECT_EQ(select_pairs(values, 2, {.share = 0.6, .raised = true}).positions.size(), 2U);
}

TEST(SelectPairs, RoundingBelowZeroOfAPositiveMatrixIsNoPartOfTheWhole) {
  const Vector values = ascending({-0.5, 1, 4});  // of a positive matrix, badly rounded: trace 5
  EXPECT_EQ(select_pairs(values, 5, {.share = 0.8}).positions.size(), 2U);  // of 5.5
  const Selection chosen = select_pairs(values, 5, {.share = 0.8, .matrix = {.positive = true}});
  EXPECT_EQ(chosen.positions.size(), 1U);
  EXPECT_EQ(chosen.reachable, 1);
}

TEST(SelectPairs, AllMeansEverySignificantOne) {
  const Vector values = ascending({-2, 0, 1, 3});
  EXPECT_EQ(select_pairs(values, 2, {.all = true, .matrix = {.rank_tolerance = 1e-10}}).positions,
            (std::vector<Index>{3, 2}));
  EXPECT_EQ(
      select_pairs(values, 2,
                   {.all = true, .order = Order::magnitude, .matrix = {.rank_tolerance = 1e-10}})
          .positions,
      (std::vector<Index>{3, 0, 2}));
}

TEST(SelectPairs, NothingFromNothing) {
  EXPECT_TRUE(select_pairs(Vector(), 0, {.count = 3}).positions.empty());
  EXPECT_TRUE(select_pairs(Vector::Zero(4), 0, {.count = 3}).positions.empty());
  EXPECT_TRUE(select_pairs(-Vector::Ones(4), -4, {.count = 3}).positions.empty());
}

TEST(Clusters, AreRunsOfNeighboursWithinTheDistance) {
  Vector values(6);
  values << 5, 4.9, 4.8, 3, 1, 1;
  EXPECT_EQ(clusters(values, 0.11), (std::vector<Range>{{0, 3}, {3, 4}, {4, 6}}));
  EXPECT_EQ(clusters(values, 0), (std::vector<Range>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 6}}));
  EXPECT_TRUE(clusters(Vector(), 1).empty());
}

}  // namespace spectrum_test
}  // namespace mercer
