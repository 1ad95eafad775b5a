// Philox 4x32-10 against the known answers that its authors publish, and the moments of the numbers
// made from it.
#include "mercer/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace mercer {
namespace random_test {

using Words = std::array<std::uint32_t, 4>;

/// Philox 4x32-10 as the paper writes it: ten rounds, the key raised between them.
Words philox(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

TEST(Philox, TheReferenceGivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// Draws 2i and 2i + 1 are the block of counter (i, stream) under the key `seed`, low words first.
void expect_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t block) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const Words words =
      philox({low(block), high(block), low(stream), high(stream)}, {low(seed), high(seed)});
  const Random random(seed, stream);
  EXPECT_EQ(random.bits(2 * block), static_cast<std::uint64_t>(words[1]) << 32 | words[0]);
  EXPECT_EQ(random.bits(2 * block + 1), static_cast<std::uint64_t>(words[3]) << 32 | words[2]);
}

TEST(Random, DrawsAreTheWordsOfPhilox) {
  expect_block(0, 0, 0);
  for (const std::uint64_t seed : {1ULL, 0x299f31d0a4093822ULL, ~0ULL})
    for (const std::uint64_t stream : {0ULL, 5ULL, 0x0370734413198a2eULL, ~0ULL})
      for (const std::uint64_t block : {0ULL, 1ULL, 12345ULL, 0x05a308d3243f6a88ULL})
        expect_block(seed, stream, block);
}

TEST(Random, IsAPureFunctionOfSeedStreamAndIndex) {
  const Random random(7, 3);
  EXPECT_EQ(random.bits(12), Random(7, 3).bits(12));
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::uint64_t stream = 0; stream < 10; ++stream)
      for (std::uint64_t index = 0; index < 100; ++index)
        seen.insert(Random(seed, stream).bits(index));
  EXPECT_EQ(seen.size(), 10000U);
}

TEST(Random, UniformNumbersAreInsideTheOpenIntervalAndEven) {
  const Random random(1);
  constexpr int n = 100000;
  double sum = 0, square = 0, least = 1, most = 0;
  for (int i = 0; i < n; ++i) {
    const double value = random.uniform(static_cast<std::uint64_t>(i));
    sum += value;
    square += value * value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_GT(least, 0);
  EXPECT_LT(most, 1);
  // Five standard errors: sqrt(1/12 / n), and sqrt(4/45 / n) for the square.
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(square / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(Random, NormalNumbersHaveTheMomentsOfTheNormal) {
  const Random random(2);
  constexpr int n = 200000;
  double moment[5] = {};
  double neighbours = 0, previous = 0;
  for (int i = 0; i < n; ++i) {
    const double value = random.normal(static_cast<std::uint64_t>(i));
    for (int power = 1; power <= 4; ++power) moment[power] += std::pow(value, power) / n;
    neighbours += value * previous / n;
    previous = value;
  }
  // Five standard errors: the variance of x^p is E x^2p - (E x^p)^2 = 1, 2, 15, 96.
  EXPECT_NEAR(moment[1], 0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(moment[2], 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(moment[3], 0, 5 * std::sqrt(15.0 / n));
  EXPECT_NEAR(moment[4], 3, 5 * std::sqrt(96.0 / n));
  EXPECT_NEAR(neighbours, 0, 5 * std::sqrt(1.0 / n));
}

TEST(Random, NumbersBelowABoundAreEvenlySpread) {
  const Random random(3);
  constexpr std::uint64_t bound = 7;
  std::vector<int> counts(bound);
  constexpr int n = 70000;
  for (int i = 0; i < n; ++i) ++counts.at(random.below(bound, static_cast<std::uint64_t>(i)));
  for (const int count : counts) EXPECT_NEAR(count, n / 7, 5 * std::sqrt(n / 7.0));
  EXPECT_EQ(random.below(1, 5), 0U);
}

}  // namespace random_test
}  // namespace mercer
