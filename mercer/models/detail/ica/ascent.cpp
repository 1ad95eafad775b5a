#include "mercer/models/detail/ica/ascent.h"

#include "mercer/models/detail/ica/shape.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

constexpr double kMostTurn = 0.5;  // radians
constexpr int kMostAscentHalvings = 30;

// Newton's step along one direction, uphill and bounded.
double bounded(double gradient, double curvature) {
  const double size = std::abs(curvature), most = std::abs(gradient) / kMostTurn;
  return gradient == 0 ? 0 : gradient / std::max(size, most);
}

// Tries from(t), t = 1, 1/2, ..., until the objective is larger.
template <class From>
AscentStep halved(ConstBlockRef z, const Block& w, double objective, Contrast contrast,
                  const Context& context, const From& from) {
  AscentStep step{w, turned(w, from(1.0)), false};
  double t = 1;
  for (int halving = 0; halving <= kMostAscentHalvings && !step.larger; ++halving, t /= 2) {
    Block tried = from(t);
    if (contrast_gaps(z, tried, contrast, context).lpNorm<1>() <= objective) continue;
    step.w = std::move(tried);
    step.larger = true;
  }
  return step;
}

}  // namespace

double turned(const Block& from, const Block& to) {
  double most = 0;
  for (Index i = 0; i < from.rows(); ++i)
    most = std::max(most, std::min((to.row(i) - from.row(i)).squaredNorm(),
                                   (to.row(i) + from.row(i)).squaredNorm()) /
                              2);
  return most;
}

Vector contrast_gaps(ConstBlockRef z, const Block& w, Contrast contrast, const Context& context) {
  const std::vector<ShapeSums> sums = shape_sums(z, w, Vector::Ones(w.rows()), context);
  Vector gaps(w.rows());
  for (Index i = 0; i < w.rows(); ++i)
    gaps[i] = contrast_gap(sums[static_cast<std::size_t>(i)], z.rows(), contrast);
  return gaps;
}

bool leave_out(const Block& before, Block& w) {
  for (int round = 0; round < 2; ++round) w -= (w * before.transpose()) * before;
  const double norm = w.norm();
  if (!(norm > 0)) return false;
  w /= norm;
  return true;
}

AscentStep ascend_alone(ConstBlockRef z, const Block& w, const Block& before, Contrast contrast,
                        const Context& context) {
  const auto n = static_cast<double>(z.rows());
  const ContrastSums sums = contrast_sums(z, w, contrast, context);
  const Vector c = contrast_gaps(z, w, contrast, context);
  const double e = c[0] < 0 ? -1 : 1;
  Block tangent = sums.products / n;
  const double beta = (tangent * w.transpose())(0, 0), h = sums.slopes[0] / n - beta;
  tangent -= beta * w;
  tangent -= (tangent * before.transpose()) * before;
  const double length = tangent.norm();
  if (length > 0) tangent *= bounded(e * length, e * h) / length;
  return halved(z, w, c.lpNorm<1>(), contrast, context, [&](double t) {
    Block next = w + t * tangent;
    leave_out(before, next);
    return next;
  });
}

}  // namespace mercer::detail
