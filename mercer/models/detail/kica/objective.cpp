#include "mercer/models/detail/kica/objective.h"

#include "mercer/models/detail/kica/turns.h"

namespace mercer::detail {

KicaObjective::Point KicaObjective::begin(const Block& w) {
  features_ = features_of(z_, w, settings_.sigma, settings_.share, context_);
  held_ = {};
  held_ = context_.hold(feature_bytes(z_.rows(), features_.width()), "the features of sources");
  return at(w);
}

KicaObjective::Point KicaObjective::at(const Block& w) const {
  Point point{w, 0, feature_sums(z_, w, features_, context_)};
  if (w.rows() > 1)
    point.value =
        dependence(point.sums.centred(z_.rows()), features_.columns, c(), settings_.kind, nullptr);
  return point;
}

bool KicaObjective::worn(const Point& point) const {
  return point.sums.left(features_, z_.rows()) > 2 * settings_.share;
}

Vector KicaObjective::slopes(const Point& point) const {
  Block derivative;
  dependence(point.sums.centred(z_.rows()), features_.columns, c(), settings_.kind, &derivative);
  return angle_slopes(turning_slopes(z_, point.w, features_, point.sums, derivative, context_));
}

}  // namespace mercer::detail
