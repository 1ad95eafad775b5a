// A stream of random draws: a function of its seed and stream alone.
#pragma once

#include "mercer/core/random.h"
#include "mercer/core/types.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercer::campaign {

class Draw {
 public:
  explicit Draw(std::uint64_t seed, std::uint64_t stream = 0) : random_(seed, stream) {}

  double uniform() { return random_.uniform(next_++); }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// 10^x with x uniform in [low, high).
  double magnitude(double low, double high) { return std::pow(10, uniform(low, high)); }
  double normal() {
    next_ += 2;
    const double radius = std::sqrt(-2 * std::log(random_.uniform(next_ - 2)));
    return radius * std::cos(2 * std::numbers::pi * random_.uniform(next_ - 1));
  }
  Index below(Index n) {
    return static_cast<Index>(random_.below(static_cast<std::uint64_t>(n), next_++));
  }
  /// A whole number in {low, ..., high}.
  Index between(Index low, Index high) { return low + below(high - low + 1); }
  bool chance(double probability) { return uniform() < probability; }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<Index>(from.size())))];
  }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

}  // namespace mercer::campaign
