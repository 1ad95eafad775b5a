#include "mercer/models/detail/stress/place_point.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer::detail {
namespace {

// Steps at most; Newton's converge in a handful once they are taken.
constexpr int kPlacingSteps = 200;
// A step below this part of the largest distance changes nothing.
constexpr double kSamePlace = 0x1p-51;
// Places from which the search goes on to its end: the best of those that were looked at.
constexpr std::size_t kPlacesTried = 4;

struct PointTerms {
  const Block& points;
  const Vector& wanted;
  const Vector& weights;
  double total;  // of the weights
};

struct PointSlope {
  double value = 0;
  Vector gradient;  // half of it
  Block curvature;  // half of the Hessian
};

PointSlope point_slope(const PointTerms& terms, const Vector& z) {
  const Block apart = (-terms.points).rowwise() + z.transpose();
  const Vector d2 = apart.rowwise().squaredNorm(), d = d2.cwiseSqrt();
  const Eigen::ArrayXd w = terms.weights.array();
  // At a point itself its pull has no direction, and counts as none.
  const Vector ratio = (d.array() > 0).select(terms.wanted.cwiseQuotient(d), 0);
  const Vector pull = w * (1 - ratio.array());
  const Vector bend = (d.array() > 0).select(w * ratio.array() / d2.array(), 0);
  PointSlope slope;
  slope.value = (w * (terms.wanted - d).array().square()).sum();
  slope.gradient = apart.transpose() * pull;
  slope.curvature = apart.transpose() * bend.asDiagonal() * apart;
  slope.curvature.diagonal().array() += pull.sum();
  return slope;
}

Vector descend_from(const PointTerms& terms, Vector z, double size, double& value) {
  PointSlope here = point_slope(terms, z);
  for (int step = 0; step < kPlacingSteps; ++step) {
    const Vector by_mean = -here.gradient / terms.total;
    if (by_mean.norm() <= kSamePlace * size) break;
    const Eigen::LLT<Block> factor(here.curvature);
    const Vector by_newton = -factor.solve(here.gradient);
    if (factor.info() == Eigen::Success && by_newton.allFinite()) {
      PointSlope there = point_slope(terms, z + by_newton);
      // Close to the end rounding decides which of two values is lower.
      const bool last = by_newton.norm() <= 1e-6 * size;
      if (there.value < here.value ||
          (last && there.value <= here.value * (1 + 1e-12) + 1e-28 * terms.total * size * size)) {
        z += by_newton;
        here = std::move(there);
        if (by_newton.norm() <= kSamePlace * size || (last && by_newton.norm() <= 1e-9 * size))
          break;
        continue;
      }
    }
    z += by_mean;
    here = point_slope(terms, z);
  }
  value = here.value;
  return z;
}

// Around the nearest point, between the nearest ones, and by all of them.
std::vector<Vector> places_around(const PointTerms& terms) {
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

// On a line all places can be looked at. With m points below z, f(z) is the parabola
//   sum w delta^2 + sum w z_i^2 + W z^2 - 2 z S + 2 T,   S = sum w (z_i +- delta_i), T = +- w
//   delta_i z_i
// (+ below z), least at S / W; where others are below, f is lower than the parabola, so that the
// lowest of all these minima is that of f.
Vector place_on_line(const PointTerms& terms) {
  const Index n = terms.points.rows();
  const auto line = terms.points.col(0);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) { return line[i]; });
  const Vector pull = terms.weights.cwiseProduct(terms.wanted);
  double along = terms.weights.dot(line) - pull.sum(), turned = -pull.dot(line);
  double best = along / terms.total, least = 2 * turned - along * best;
  for (const Index i : order) {
    along += 2 * pull[i];
    turned += 2 * pull[i] * line[i];
    const double place = along / terms.total, value = 2 * turned - along * place;
    if (!(value < least)) continue;
    best = place;
    least = value;
  }
  return Vector::Constant(1, best);
}

}  // namespace

double stress_of_point(const Block& points, const Vector& wanted, const Vector& weights,
                       const Vector& z) {
  const Vector d = (points.rowwise() - z.transpose()).rowwise().norm();
  return (weights.array() * (wanted - d).array().square()).sum();
}

Vector place_point(const Block& z, const Vector& wanted, const Vector& given) {
  Index same = 0;
  if (wanted.minCoeff(&same) == 0) return z.row(same).transpose();
  const Vector weights = given.sum() > 0 ? given : Vector::Ones(wanted.size());
  const PointTerms terms{z, wanted, weights, weights.sum()};
  if (z.cols() == 1) return place_on_line(terms);
  const double size = std::max(wanted.maxCoeff(), z.cwiseAbs().maxCoeff());
  std::vector<std::pair<double, Vector>> places;
  for (Vector& place : places_around(terms)) {
    const double value = stress_of_point(z, wanted, weights, place);
    places.emplace_back(value, std::move(place));
  }
  std::ranges::stable_sort(places, {}, &std::pair<double, Vector>::first);
  if (places.size() > kPlacesTried) places.resize(kPlacesTried);
  Vector best;
  double least = 0;
  for (const auto& [value, place] : places) {
    double reached = 0;
    Vector found = descend_from(terms, place, size, reached);
    // Of equal minima the first stays: rounding must not choose.
    if (best.size() > 0 && !(reached < least * (1 - 1e-9))) continue;
    best = std::move(found);
    least = reached;
  }
  return best;
}

}  // namespace mercer::detail
