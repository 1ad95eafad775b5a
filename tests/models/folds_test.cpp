// Cross-validation by itself: which rows are in which fold, the curve and the one-standard-error
// rule on sums that were written down.
#include "mercer/models/detail/regress/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace folds_test {

using detail::folds_of;
using detail::HeldOut;
using Folds = std::vector<std::vector<Index>>;

TEST(Folds, EveryRowIsInOneFoldAndSizesDifferByOneAtMost) {
  for (const FoldType type : {FoldType::random, FoldType::interleaved, FoldType::consecutive})
    for (const auto& [n, count] : {std::pair<Index, Index>{10, 3}, {12, 4}, {7, 7}, {101, 10}}) {
      const Folds folds = folds_of(n, count, type, 5);
      ASSERT_EQ(static_cast<Index>(folds.size()), count);
      std::vector<Index> all;
      for (const std::vector<Index>& fold : folds) {
        EXPECT_TRUE(std::ranges::is_sorted(fold));
        const auto size = static_cast<Index>(fold.size());
        EXPECT_TRUE(size == n / count || size == (n + count - 1) / count) << n << count;
        all.insert(all.end(), fold.begin(), fold.end());
      }
      std::ranges::sort(all);
      std::vector<Index> expected(static_cast<std::size_t>(n));
      std::iota(expected.begin(), expected.end(), Index{0});
      EXPECT_EQ(all, expected);
    }
}

TEST(Folds, AreThoseThatTheirNameSays) {
  EXPECT_EQ(folds_of(7, 3, FoldType::interleaved, 0), (Folds{{0, 3, 6}, {1, 4}, {2, 5}}));
  EXPECT_EQ(folds_of(7, 3, FoldType::consecutive, 0), (Folds{{0, 1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(folds_of(50, 5, FoldType::random, 1), folds_of(50, 5, FoldType::random, 1));
  EXPECT_NE(folds_of(50, 5, FoldType::random, 1), folds_of(50, 5, FoldType::random, 2));
}

// Two folds of two rows: mean squared errors 10, 4, 3.5, 3 of folds 12, 6, 6, 5.5 and 8, 2, 1, 0.5.
TEST(Folds, TheRuleTakesTheFewestWithinOneStandardErrorOfTheBest) {
  HeldOut held_out(2, 3, Vector::Ones(1));
  Block first(1, 4), second(1, 4);
  first << 24, 12, 12, 11;
  second << 16, 4, 2, 1;
  held_out.add(0, 2, first);
  held_out.add(1, 2, second);
  const Block curve = held_out.rmsep();
  for (const auto& [k, mean] : {std::pair{0, 10.0}, {1, 4.0}, {2, 3.5}, {3, 3.0}})
    EXPECT_DOUBLE_EQ(curve(0, k), std::sqrt(mean));
  // The best has 5.5 and 0.5: deviation 5 / sqrt(2), standard error 2.5; of the root by its slope.
  EXPECT_DOUBLE_EQ(held_out.rmsep_error()(0, 3), 2.5 / (2 * std::sqrt(3.0)));
  EXPECT_EQ(held_out.chosen("min"), 3);
  EXPECT_EQ(held_out.chosen(""), 1);  // 4 <= 3 + 2.5
  EXPECT_FALSE(held_out.hopeless());
}

TEST(Folds, TargetsCountByTheirVariancesAndAFoldThatEndsEarlyKeepsItsLastError) {
  // The second target is the larger by far, and rises; by its variance it is the smaller.
  HeldOut held_out(2, 2, (Vector(2) << 1, 1e6).finished());
  Block errors(2, 2);
  errors << 4, 1, 1e3, 2e3;
  for (const Index fold : {0, 1}) held_out.add(fold, 1, errors);
  EXPECT_EQ(held_out.chosen("one-se"), 1);
  EXPECT_DOUBLE_EQ(held_out.rmsep()(0, 2), 1);
  HeldOut rising(2, 2, (Vector(2) << 1e6, 1).finished());
  for (const Index fold : {0, 1}) rising.add(fold, 1, errors);
  EXPECT_TRUE(rising.hopeless());
  EXPECT_EQ(rising.chosen(""), 1);  // a model has one component at least
}

}  // namespace folds_test
}  // namespace mercer
