#include "mercer/operators/gauss_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {
namespace {

constexpr Index kRings = 16;
// Pairs of clusters are looked at one by one up to this many clusters; beyond, a cluster's rows
// count by their own distance alone.
constexpr Index kFewClusters = 24;

using Rings = std::array<double, kRings>;

double outer(const GaussClusters& clusters, Index c, Index ring) {
  return clusters.radii[c] * static_cast<double>(ring + 1) / static_cast<double>(kRings);
}

// Rows of a cluster in rings around its centre.
Rings rings_of(const GaussClusters& clusters, Index c) {
  Rings counts{};
  const Range range = clusters.ranges[static_cast<std::size_t>(c)];
  for (Index i = range.begin; i < range.end; ++i) {
    const double a = (clusters.rows.row(i) - clusters.centres.row(c)).norm();
    const double share = clusters.radii[c] > 0 ? a / clusters.radii[c] : 0;
    // A hair outwards, so that rounding never counts a row too far in.
    const auto ring = static_cast<Index>(share * static_cast<double>(kRings) * (1 + 1e-12));
    counts[static_cast<std::size_t>(std::min(ring, kRings - 1))] += 1;
  }
  return counts;
}

// Squares of the errors that rows of ring `a` of cluster c make at rows within `reach` of its
// centre; left out ones are at most `left_out`.
double squared_error(const GaussClusters& clusters, Index c, Index a, double reach,
                     double left_out) {
  const Index degree = clusters.degrees[static_cast<std::size_t>(c)];
  const double limit = clusters.cutoff + clusters.radii[c];
  const double cut = truncation_error(outer(clusters, c, a), degree, std::min(reach, limit));
  const double most = std::max(cut, reach > limit ? left_out : 0);
  return most * most;
}

double squares_of(const GaussClusters& clusters, Index c, const Rings& rings) {
  const double eps = std::exp(-clusters.cutoff * clusters.cutoff / 2);
  const auto count = static_cast<Index>(clusters.ranges.size());
  const auto n = static_cast<double>(clusters.rows.rows());
  double sum = 0;
  for (Index a = 0; a < kRings; ++a) {
    const double here = rings[static_cast<std::size_t>(a)];
    if (here == 0) continue;
    if (count > kFewClusters) {
      const double anywhere = clusters.cutoff + clusters.radii[c];
      sum += here * n * std::max(squared_error(clusters, c, a, anywhere, 0), eps * eps);
      continue;
    }
    for (Index b = 0; b < kRings; ++b)
      sum += here * rings[static_cast<std::size_t>(b)] *
             squared_error(clusters, c, a, outer(clusters, c, b), eps);
    for (Index other = 0; other < count; ++other) {
      if (other == c) continue;
      const double apart = (clusters.centres.row(other) - clusters.centres.row(c)).norm();
      const double nearest = std::max(0.0, apart - clusters.radii[other] - clusters.radii[c]);
      const auto rows =
          static_cast<double>(clusters.ranges[static_cast<std::size_t>(other)].size());
      sum += here * rows *
             squared_error(clusters, c, a, apart + clusters.radii[other],
                           std::min(eps, std::exp(-nearest * nearest / 2)));
    }
  }
  return sum;
}

}  // namespace

double norm_bound(const GaussClusters& clusters) {
  const double simple = static_cast<double>(clusters.rows.rows()) * clusters.error;
  double squares = 0;
  for (Index c = 0; c < static_cast<Index>(clusters.ranges.size()); ++c) {
    // Below this radius truncation grows with the distance from the centre.
    const auto degree = static_cast<double>(clusters.degrees[static_cast<std::size_t>(c)]);
    if (clusters.radii[c] * clusters.radii[c] >= degree) return simple;
    squares += squares_of(clusters, c, rings_of(clusters, c));
  }
  return std::min(simple, std::sqrt(squares));
}

}  // namespace mercer
