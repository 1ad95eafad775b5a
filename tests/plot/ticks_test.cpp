// Ticks: nice numbers, in the extent, told apart by their labels, for any size of numbers.
#include "mercer/plot/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace mercer::plot {
namespace ticks_test {

TEST(Ticks, OfSimpleExtentsAreThoseThatPeopleWrite) {
  EXPECT_EQ(nice_ticks({0, 1}, 5).labels,
            (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(nice_ticks({-3, 7}, 5).labels, (std::vector<std::string>{"-2", "0", "2", "4", "6"}));
  EXPECT_EQ(nice_ticks({0, 1234}, 6).labels,
            (std::vector<std::string>{"0", "200", "400", "600", "800", "1000", "1200"}));
  EXPECT_EQ(nice_ticks({0, 3e-5}, 3).labels,
            (std::vector<std::string>{"0", "1e-5", "2e-5", "3e-5"}));
  EXPECT_EQ(nice_ticks({0, 4e7}, 4).labels,
            (std::vector<std::string>{"0", "1e7", "2e7", "3e7", "4e7"}));
  EXPECT_EQ(nice_ticks({-1e6, 1.6e6}, 5).labels,
            (std::vector<std::string>{"-1.0e6", "-0.5e6", "0", "0.5e6", "1.0e6", "1.5e6"}));
  EXPECT_EQ(nice_ticks({0, 2.1e-300}, 2).labels,
            (std::vector<std::string>{"0", "1e-300", "2e-300"}));
}

TEST(Ticks, OfCountsAreWhole) {
  for (const double high : {1.4, 2.6, 3.0, 17.5, 200.0})
    for (const double at : nice_ticks({0.4, high}, 10, true).at) EXPECT_EQ(at, std::floor(at));
}

// Random extents over thirty decades: ticks rise evenly within the extent by a step of 1, 2 or 5,
// and every label reads back as its tick, to the digits of the step.
TEST(Ticks, OfAnyExtentAreEvenAndReadBack) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> power(-15, 15), share(-3, 3);
  for (int trial = 0; trial < 2000; ++trial) {
    const double span = std::pow(10, power(random)), low = share(random) * span;
    const Extent extent{low, low + span};
    const Ticks ticks = nice_ticks(extent, 6);
    ASSERT_GE(ticks.at.size(), 3U) << low << " " << span;
    ASSERT_LE(ticks.at.size(), 14U);
    const double step = ticks.at[1] - ticks.at[0];
    const double digits = step / std::pow(10, std::floor(std::log10(step) + 1e-6));
    EXPECT_TRUE(std::abs(digits - 1) < 1e-6 || std::abs(digits - 2) < 1e-6 ||
                std::abs(digits - 5) < 1e-6)
        << step;
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      EXPECT_GE(ticks.at[i], extent.low - 1e-8 * step);
      EXPECT_LE(ticks.at[i], extent.high + 1e-8 * step);
      EXPECT_NEAR(std::stod(ticks.labels[i]), ticks.at[i], 1e-6 * step) << ticks.labels[i];
    }
    EXPECT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(),
              ticks.labels.size());
  }
}

TEST(Ticks, OfWhatHasNoSpanAreNone) {
  EXPECT_TRUE(nice_ticks({1, 1}, 5).at.empty());
  EXPECT_TRUE(nice_ticks({2, 1}, 5).at.empty());
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(nice_ticks({0, infinity}, 5).at.empty());
  EXPECT_TRUE(nice_ticks({1e17, 1e17 + 16}, 500).at.size() < 1000U);
}

TEST(Extents, OfNothingOrOneNumberCanBeDrawn) {
  const double nan = std::nan("");
  EXPECT_EQ(extent_of({}).span(), 1);
  EXPECT_EQ(extent_of({nan, 3, nan, -1}).low, -1);
  EXPECT_EQ(extent_of({nan, 3, nan, -1}).high, 3);
  for (const double value : {0.0, 5.0, -1e-300, 1e300}) {
    const Extent extent = widened(extent_of({value, value}), 0.05);
    EXPECT_LT(extent.low, value);
    EXPECT_GT(extent.high, value);
    EXPECT_TRUE(std::isfinite(extent.span()));
  }
  // Numbers that differ by rounding alone are one number.
  const Extent same = widened({1, 1 + 1e-15}, 0.05);
  EXPECT_GT(same.span(), 0.1);
  const double largest = std::numeric_limits<double>::max();
  EXPECT_TRUE(std::isfinite(widened({-largest, largest}, 0.05).span()));
}

}  // namespace ticks_test
}  // namespace mercer::plot
