#include "mercer/plot/scene.h"

#include <cmath>
#include <numbers>

namespace mercer::plot {
namespace {

// A cross with arms a third as wide as long, turned by an angle.
std::vector<Place> cross_corners(double radius, double angle) {
  const double arm = 1.25 * radius, half = 0.36 * radius;
  const Place right[] = {{half, -half}, {arm, -half}, {arm, half}};
  std::vector<Place> corners;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const double turn = angle + quarter * std::numbers::pi / 2;
    for (const Place& p : right)
      corners.push_back({p.x * std::cos(turn) - p.y * std::sin(turn),
                         p.x * std::sin(turn) + p.y * std::cos(turn)});
  }
  return corners;
}

}  // namespace

std::vector<Place> corners_of(Symbol symbol, double radius) {
  const double r = radius;
  switch (symbol) {
    case Symbol::circle:
      return {};
    case Symbol::square: {
      const double half = 0.886 * r;  // sqrt(pi) / 2
      return {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
    }
    case Symbol::triangle: {
      const double out = 1.45 * r, half = out * std::numbers::sqrt3 / 2;
      return {{0, -out}, {half, out / 2}, {-half, out / 2}};
    }
    case Symbol::diamond: {
      const double out = 1.25 * r;
      return {{0, -out}, {out, 0}, {0, out}, {-out, 0}};
    }
    case Symbol::cross:
      return cross_corners(r, std::numbers::pi / 4);
    case Symbol::plus:
      break;
  }
  return cross_corners(r, 0);
}

}  // namespace mercer::plot
