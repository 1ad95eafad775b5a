// Clusters of rows for the improved fast Gauss transform, and how many terms their expansions take.
// Around the centre c of a cluster of radius r, in units of the width, with a = |x-c|, b = |y-c|:
//   exp(-|x-y|^2/2) = exp(-a^2/2) exp(-b^2/2) sum_alpha (x-c)^alpha (y-c)^alpha / alpha!
// Terms of total degree p and above add up to at most
//   exp(-(a^2+b^2)/2) sum_{k>=p} (ab)^k/k!,
// attained on a line through c. It grows with a <= r, and its logarithm is concave in b: the
// largest is found by bisection. Rows farther than cutoff + r are left out: there the kernel is
// below eps. Centres are found farthest point first.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <vector>

namespace mercer {

/// What a clustered Taylor expansion would take, found on a sample.
struct ClusterShape {
  Index clusters = 0;  // 0: no number of clusters keeps the expansions short
  Index degree = 0;    // terms have degree below this, in the widest cluster
  double terms = 0;    // of an expansion, the mean over rows
  double reach = 0;    // clusters that a row sees, the mean over rows
};

/// The cheapest clustering for kernel exp(-r^2 / (2 sigma^2)) with |error| <= eps per entry.
ClusterShape cluster_shape(const Points& sample, double sigma, double eps);

/// Terms that an expansion has at most; more would not be computed faster than the kernel.
constexpr double kMostClusterTerms = 8192;

/// Where exp(-r^2/2) falls to eps.
double gauss_cutoff(double eps);
/// What is left out of an expansion of degree < p in a cluster of this radius (in widths), per
/// entry, for rows within `reach` of its centre.
double truncation_error(double radius, Index p, double reach);
/// The least p with a truncation error of at most eps, for rows within `reach` of the centre and
/// within cutoff + radius; 0 where none up to 150 has.
Index truncation_degree(double radius, double eps, double reach);

/// Rows sorted into clusters, in units of the width. Immutable.
struct GaussClusters {
  Points rows;                // z / sigma, cluster after cluster
  std::vector<Index> order;   // rows[i] is row order[i] of the table
  std::vector<Range> ranges;  // of each cluster
  Points centres;
  Vector radii;                // largest |x - c|
  std::vector<Index> degrees;  // terms have degree below this
  double cutoff = 0;
  double error = 0;      // of an entry, at most: of truncation and of what is left out
  Index degree() const;  // the largest
};

/// Clusters of all rows z (taken over): as many as `wanted`, and more where an expansion would have
/// more than kMostClusterTerms terms. Throws M001 when cancelled.
GaussClusters gauss_clusters(Points z, double sigma, double eps, Index wanted,
                             const Context& context);

}  // namespace mercer
