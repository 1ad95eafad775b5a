#include "mercer/models/detail/pcr/side.h"

#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer::detail {
namespace {

// Of squares: below this share of the largest fewer than eight digits are left.
constexpr double kSideResolved = 1e-7;
// Units of rounding that the sums of squares of n rows carry, times the root of n.
constexpr double kRoundings = 16 * 0x1p-53;

// Those at these ascending positions.
Side side_at(const SymmetricReduction& reduction, const std::vector<Index>& positions) {
  Side side{Vector(static_cast<Index>(positions.size())), Block(reduction.values().size(), 0)};
  for (std::size_t i = 0; i < positions.size(); ++i)
    side.values[static_cast<Index>(i)] = reduction.values()[positions[i]];
  if (!positions.empty()) side.vectors = reduction.vectors(positions);
  return side;
}

// The eigenpairs above a limit, and the vectors of the others.
struct Parted {
  Side large;
  Block small;
};

Parted part_of(Block& matrix, double least, const Context& context) {
  const SymmetricReduction reduction(matrix, context);
  const Vector& values = reduction.values();
  const double limit = std::max(least, kSideResolved * values[values.size() - 1]);
  std::vector<Index> large, small;
  for (Index i = values.size(); i-- > 0;) (values[i] > limit ? large : small).push_back(i);
  return {side_at(reduction, large), side_at(reduction, small).vectors};
}

void append(Side& side, const Side& more) {
  const Index before = side.values.size(), added = more.values.size();
  side.values.conservativeResize(before + added);
  side.values.tail(added) = more.values;
  side.vectors.conservativeResize(Eigen::NoChange, before + added);
  side.vectors.rightCols(added) = more.vectors;
}

// Turns what is left and what is known against each other until their images are orthogonal:
// rounding of the largest products has left an angle of at most 1e-9.
void turn_apart(Side& known, Block& rest, const Image& image, const Image& back) {
  const Block overlap = known.vectors.transpose() * back(image(rest));
  const Block angles = known.values.cwiseInverse().asDiagonal() * overlap;
  const Block turned = rest - known.vectors * angles;
  known.vectors += rest * angles.transpose();
  rest = turned;
}

}  // namespace

Side leading_side(Block& matrix, Index n, const Context& context) {
  const SymmetricReduction reduction(matrix, context);
  const Vector& values = reduction.values();
  const double largest = values.size() > 0 ? std::max(0.0, values[values.size() - 1]) : 0;
  const double least =
      std::max(kLeastLength * kLeastLength, kRoundings * std::sqrt(static_cast<double>(n)));
  std::vector<Index> kept;
  for (Index i = values.size(); i-- > 0;)
    if (values[i] > least * largest) kept.push_back(i);
  return side_at(reduction, kept);
}

Side whole_side(Block& matrix, const Image& image, const Image& back, const Context& context) {
  Parted parted = part_of(matrix, 0, context);
  Side known = std::move(parted.large);
  if (known.values.size() == 0) return known;
  const double least = kLeastLength * kLeastLength * known.values[0];
  Block rest = std::move(parted.small);
  while (rest.cols() > 0) {
    context.check_cancelled();
    turn_apart(known, rest, image, back);
    Block products = self_products(image(rest), context);
    parted = part_of(products, least, context);
    if (parted.large.values.size() == 0) break;
    parted.large.vectors = rest * parted.large.vectors;
    rest = rest * parted.small;
    append(known, parted.large);
  }
  return known;
}

}  // namespace mercer::detail
