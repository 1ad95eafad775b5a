#include "mercer/models/detail/trosset_priebe.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Bisection ends where the interval is this part of the sizes that t is compared with.
constexpr double kNarrowBounds = 0x1p-60;

// z(t); a component whose denominator vanishes is left out (0): the caller knows.
Vector strained_place(const Vector& mu, const Vector& g, double excess) {
  Vector z(g.size());
  for (Index j = 0; j < g.size(); ++j) {
    const double share = 1 + excess / mu[j];
    z[j] = share > 0 ? g[j] / share : 0;
  }
  return z;
}

}  // namespace

// Works with the excess e = t - beta, from max(-beta, -mu_k) on: then denominators are mu + e.
Vector least_strain(const Vector& mu, const Vector& g, double beta) {
  Index last = 0;
  const double least = mu.minCoeff(&last);
  double low = std::max(-beta, -least), high = std::max({0.0, g.squaredNorm() - beta, low});
  const auto gap = [&](double e) { return strained_place(mu, g, e).squaredNorm() - (e + beta); };
  if (low == -least && low > -beta) {
    // Where the sample has nothing along the smallest component, any share of it costs the same
    // until t reaches the bound: the two signs are equal, and the positive one is taken.
    const double rest = gap(low);
    const bool nothing = (mu.array() > least || g.array() == 0).all();
    if (nothing && rest <= 0) {
      Vector z = strained_place(mu, g, low);
      z[last] = std::sqrt(-rest);
      return z;
    }
  }
  const double narrow = kNarrowBounds * std::min(least, std::abs(beta) + g.squaredNorm());
  while (high - low > narrow) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (gap(middle) > 0 ? low : high) = middle;
  }
  return strained_place(mu, g, high);
}

}  // namespace mercer::detail
