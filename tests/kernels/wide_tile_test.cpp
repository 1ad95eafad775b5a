// Rows of more coordinates than a panel holds: distances and sums of terms are put together from
// parts, with the same parts whatever the tile.
#include "mercer/kernels/tile.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace wide_tile_test {

constexpr Index kWide = 2 * kPanelColumns + 313;  // two whole panels and a part of one

/// k(x_i, x_j) of all pairs, as one tile.
Points tile_of(const Kernel& kernel, const Frame& frame, const Points& x) {
  const TilePoints<double> points(kernel, frame, x, {});
  Points out(x.rows(), x.rows());
  TileKernel<double>::Scratch scratch;
  TileKernel<double>(kernel, frame)
      .fill(points, {0, x.rows()}, points, {0, x.rows()}, out.data(), x.rows(), scratch);
  return out;
}

TEST(WideTile, SumsOverAllCoordinates) {
  const Points x = test::random_points({.n = 21, .dim = kWide, .seed = 3});
  for (const bool squares : {true, false}) {
    const Kernel kernel(squares ? "gaussian:sigma=130" : "laplacian:length=9000");
    Frame frame = make_frame(kernel, x, true, {});
    frame.direct_double = true;  // differences, not products
    const Points tile = tile_of(kernel, frame, x);
    double worst = 0;
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.rows(); ++j) {
        long double sum = 0;
        for (Index k = 0; k < kWide; ++k) {
          const long double apart = static_cast<long double>(x(i, k)) - x(j, k);
          sum += squares ? apart * apart : std::fabs(apart);
        }
        const long double known =
            squares ? std::exp(-sum / (2 * 130.0L * 130)) : std::exp(-sum / 9000);
        worst = std::max(worst, std::abs(tile(i, j) - static_cast<double>(known)));
      }
    // kWide additions, and a few roundings of the exponent.
    EXPECT_LE(worst, (kWide + 16) * 0x1p-53) << kernel.spec();
  }
}

TEST(WideTile, AnEntryIsTheSameInEveryTile) {
  const Points x = test::random_points({.n = 21, .dim = kWide, .seed = 4});
  const Kernel kernel("gaussian:sigma=130");
  Frame frame = make_frame(kernel, x, true, {});
  frame.direct_double = true;
  const Points whole = tile_of(kernel, frame, x);
  const TilePoints<double> points(kernel, frame, x, {});
  const TileKernel<double> tiles(kernel, frame);
  TileKernel<double>::Scratch scratch;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.rows(); ++j) {
      double one = 0;
      tiles.fill(points, {i, i + 1}, points, {j, j + 1}, &one, 1, scratch);
      EXPECT_EQ(one, whole(i, j)) << i << ", " << j;
    }
}

}  // namespace wide_tile_test
}  // namespace mercer
