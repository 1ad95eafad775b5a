#include "mercer/solvers/precondition.h"

#include "mercer/linalg/tall.h"

#include <cmath>

namespace mercer {
namespace {

// Terms nearer to the Ritz value than this share of it are left out.
constexpr double kNearPole = 0.05;

}  // namespace

void precondition(BlockRef residuals, ConstVectorRef ritz_values, const LowRank& near,
                  const Context& context) {
  if (residuals.cols() == 0) return;
  Block inside = inner_products(near.vectors, residuals, context);
  for (Index j = 0; j < inside.cols(); ++j) {
    const double theta = ritz_values[j];
    for (Index i = 0; i < inside.rows(); ++i) {
      const double distance = theta - near.values[i];
      inside(i, j) *=
          std::abs(distance) < kNearPole * std::abs(theta) || theta == 0 ? 0 : theta / distance - 1;
    }
  }
  add_product(residuals, 1.0, near.vectors, inside, context);
}

}  // namespace mercer
