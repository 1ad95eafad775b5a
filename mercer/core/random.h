// Counter-based random numbers (Philox 4x32-10): draw i of stream s under a seed is a pure function
// of (seed, s, i). Any thread can compute any draw, so results never depend on who drew first.
// Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace mercer {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed, std::uint64_t stream = 0)
      : seed_(seed), stream_(stream) {}

  /// 64 random bits: the draw with this index.
  constexpr std::uint64_t bits(std::uint64_t index) const {
    const auto w = block(index / 2);
    return index % 2 == 0 ? join(w[0], w[1]) : join(w[2], w[3]);
  }

  /// Uniform in the open interval (0, 1), 53 bits.
  constexpr double uniform(std::uint64_t index) const {
    return (static_cast<double>(bits(index) >> 11) + 0.5) * 0x1p-53;
  }

  /// Standard normal (Box-Muller on draws 2i and 2i+1).
  double normal(std::uint64_t index) const {
    const double radius = std::sqrt(-2 * std::log(uniform(2 * index)));
    return radius * std::cos(2 * std::numbers::pi * uniform(2 * index + 1));
  }

  /// Uniform in {0, ..., n-1}; the bias of the multiplication is below n / 2^64.
  constexpr std::uint64_t below(std::uint64_t n, std::uint64_t index) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(index)) * n) >> 64);
  }

 private:
  using Words = std::array<std::uint32_t, 4>;

  static constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint64_t>(high) << 32 | low;
  }

  constexpr Words block(std::uint64_t counter) const {
    Words c = {low(counter), high(counter), low(stream_), high(stream_)};
    std::uint32_t k0 = low(seed_), k1 = high(seed_);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = 0xD2511F53ULL * c[0], p1 = 0xCD9E8D57ULL * c[2];
      c = {high(p1) ^ c[1] ^ k0, low(p1), high(p0) ^ c[3] ^ k1, low(p0)};
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    return c;
  }
  static constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
  static constexpr std::uint32_t high(std::uint64_t v) {
    return static_cast<std::uint32_t>(v >> 32);
  }

  std::uint64_t seed_, stream_;
};

}  // namespace mercer
