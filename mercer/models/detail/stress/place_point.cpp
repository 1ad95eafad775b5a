#include "mercer/models/detail/stress/place_point.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer::detail {
namespace {

// Steps at most; Newton's converge in a handful once they are taken.
constexpr int kSteps = 200;
// A step below this part of the largest distance changes nothing.
constexpr double kStill = 0x1p-51;
// Places from which the search goes on to its end: the best of those that were looked at.
constexpr std::size_t kSearched = 4;

struct Terms {
  const Block& points;
  const Vector& wanted;
  const Vector& weights;
  double total;  // of the weights
};

struct Slope {
  double value = 0;
  Vector gradient;  // half of it
  Block curvature;  // half of the Hessian
};

// Walks over points column by column would touch each row k times: one pass over rows instead.
Slope slope_at(const Terms& terms, const Vector& z) {
  const Index k = z.size();
  Slope slope{0, Vector::Zero(k), Block::Zero(k, k)};
  Vector apart(k);
  double along = 0;  // sum w (1 - delta / d)
  for (Index i = 0; i < terms.points.rows(); ++i) {
    const double w = terms.weights[i], wanted = terms.wanted[i];
    apart = z - terms.points.row(i).transpose();
    const double d2 = apart.squaredNorm(), d = std::sqrt(d2);
    slope.value += w * (wanted - d) * (wanted - d);
    const double ratio = d > 0 ? wanted / d : 0;
    slope.gradient += w * (1 - ratio) * apart;
    along += w * (1 - ratio);
    if (d > 0) slope.curvature.selfadjointView<Eigen::Lower>().rankUpdate(apart, w * ratio / d2);
  }
  slope.curvature.diagonal().array() += along;
  return slope;
}

Vector search(const Terms& terms, Vector z, double size, double& value) {
  Slope here = slope_at(terms, z);
  for (int step = 0; step < kSteps; ++step) {
    const Vector by_mean = -here.gradient / terms.total;
    if (by_mean.norm() <= kStill * size) break;
    const Eigen::LLT<Block> factor(here.curvature);
    const Vector by_newton = -factor.solve(here.gradient);
    if (factor.info() == Eigen::Success && by_newton.allFinite()) {
      Slope there = slope_at(terms, z + by_newton);
      // Close to the end rounding decides which of two values is lower.
      const bool last = by_newton.norm() <= 1e-6 * size;
      if (there.value < here.value ||
          (last && there.value <= here.value * (1 + 1e-12) + 1e-28 * terms.total * size * size)) {
        z += by_newton;
        here = std::move(there);
        if (by_newton.norm() <= kStill * size || (last && by_newton.norm() <= 1e-9 * size)) break;
        continue;
      }
    }
    z += by_mean;
    here = slope_at(terms, z);
  }
  value = here.value;
  return z;
}

// Around the nearest point, between the nearest ones, and by all of them.
std::vector<Vector> starts(const Terms& terms) {
  const Index n = terms.points.rows(), k = terms.points.cols();
  std::vector<Index> nearest(static_cast<std::size_t>(n));
  std::iota(nearest.begin(), nearest.end(), Index{0});
  const auto kept = std::min(nearest.size(), static_cast<std::size_t>(k) + 2);
  std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(kept),
                    nearest.end(), [&](Index a, Index b) {
                      return terms.wanted[a] != terms.wanted[b] ? terms.wanted[a] < terms.wanted[b]
                                                                : a < b;
                    });
  std::vector<Vector> places;
  Vector sum = Vector::Zero(k);
  double weights = 0;
  for (std::size_t m = 0; m < kept; ++m) {
    const Index i = nearest[m];
    const double share = 1 / (terms.wanted[i] * terms.wanted[i]);
    if (!std::isfinite(share)) continue;
    sum += share * terms.points.row(i).transpose();
    weights += share;
  }
  if (weights > 0) places.emplace_back(sum / weights);
  for (const Index i : {nearest[0], nearest[kept > 1 ? 1 : 0]})
    for (Index c = 0; c < k; ++c)
      for (const double sign : {1.0, -1.0}) {
        places.emplace_back(terms.points.row(i).transpose());
        places.back()[c] += sign * terms.wanted[i];
      }
  return places;
}

}  // namespace

double stress_of_point(const Block& points, const Vector& wanted, const Vector& weights,
                       const Vector& z) {
  double value = 0;
  for (Index i = 0; i < points.rows(); ++i) {
    const double rest = wanted[i] - (z.transpose() - points.row(i)).norm();
    value += weights[i] * rest * rest;
  }
  return value;
}

Vector place_point(const Block& z, const Vector& wanted, const Vector& given) {
  Index same = 0;
  if (wanted.minCoeff(&same) == 0) return z.row(same).transpose();
  const Vector weights = given.sum() > 0 ? given : Vector::Ones(wanted.size());
  const Terms terms{z, wanted, weights, weights.sum()};
  const double size = std::max(wanted.maxCoeff(), z.cwiseAbs().maxCoeff());
  std::vector<std::pair<double, Vector>> places;
  for (Vector& place : starts(terms)) {
    const double value = stress_of_point(z, wanted, weights, place);
    places.emplace_back(value, std::move(place));
  }
  std::ranges::stable_sort(places, {}, &std::pair<double, Vector>::first);
  if (places.size() > kSearched) places.resize(kSearched);
  Vector best;
  double least = 0;
  for (const auto& [value, place] : places) {
    double reached = 0;
    Vector found = search(terms, place, size, reached);
    // Of equal minima the first stays: rounding must not choose.
    if (best.size() > 0 && !(reached < least * (1 - 1e-9))) continue;
    best = std::move(found);
    least = reached;
  }
  return best;
}

}  // namespace mercer::detail
