// Values over a power of four: the same numbers, whatever their size, and near 1 where a float or a
// square has to hold them.
#include "mercer/kernels/value_unit.h"

#include "mercer/kernels/tile.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace mercer {
namespace value_unit_test {

template <class T>
struct Tile {
  Points values;
  double unit;

  Tile(const std::string& spec, const Points& x, Values how) : values(x.rows(), x.rows()) {
    const Kernel kernel(spec);
    const Frame frame = make_frame(kernel, x, false, {});
    const TilePoints<T> points(kernel, frame, x, {});
    const TileKernel<T> tiles(kernel, frame, how);
    typename TileKernel<T>::Scratch scratch;
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> tile(x.rows(), x.rows());
    const Range all{0, x.rows()};
    tiles.fill(points, all, points, all, tile.data(), x.rows(), scratch);
    values = tile.template cast<double>();
    unit = tiles.unit();
  }
};

TEST(ValueUnit, IsAPowerOfFourFarFromOne) {
  for (const double size : {1.0, 1e-9, 1e9, 0.0, HUGE_VAL, std::nan("")})
    EXPECT_EQ(unit_for(size), 1) << size;
  for (const double size : {1e-300, 3e-20, 1e11, 7e200}) {
    const double unit = unit_for(size);
    EXPECT_LE(unit, size);
    EXPECT_LT(size, 4 * unit);
    EXPECT_EQ(std::sqrt(unit), std::exp2(std::round(std::log2(unit) / 2))) << size;
  }
}

TEST(ValueUnit, LeavesEveryValueAsItIs) {
  const Points x = test::random_points({.n = 40, .dim = 5, .seed = 2}).cwiseAbs();
  for (const char* spec :
       {"linear", "linear:offset=3", "polynomial:degree=3", "polynomial:degree=2,offset=0",
        "power_distance:exponent=1.5", "multiquadric:c=2", "inverse_multiquadric:c=2",
        "thin_plate_spline:c=2", "shifted_thin_plate_spline:c=2", "additive_chi_squared",
        "chi_squared_similarity", "gaussian:sigma=1e-30+2*linear", "1e60*gaussian:sigma=1",
        "polynomial:degree=2*linear+0.5*linear", "sigmoid:scale=1e-3", "cosine"})
    for (const double scale : {1.0, 0x1p-70, 0x1p60}) {
      const Points rows = x * scale;
      const Tile<double> plain(spec, rows, Values::plain), divided(spec, rows, Values::in_units);
      const Tile<float> single(spec, rows, Values::in_units);
      const double largest = plain.values.cwiseAbs().maxCoeff();
      EXPECT_LE((divided.values * divided.unit - plain.values).cwiseAbs().maxCoeff(),
                4 * 0x1p-53 * largest)
          << spec << ' ' << scale;
      EXPECT_EQ(single.unit, divided.unit) << spec << ' ' << scale;
      const double size = divided.values.cwiseAbs().maxCoeff();
      EXPECT_TRUE(size == 0 || std::abs(std::log2(size)) < 40)
          << spec << ' ' << scale << ' ' << size;
    }
}

TEST(ValueUnit, BringsFloatTilesIntoTheirRange) {
  const Points x = test::random_points({.n = 40, .dim = 5, .seed = 2}).cwiseAbs();
  for (const char* spec : {"linear", "polynomial:degree=3,offset=0", "power_distance:exponent=2",
                           "additive_chi_squared", "chi_squared_similarity", "linear*linear",
                           "linear+polynomial:degree=2"})
    for (const double scale : {0x1p-150, 0x1p150}) {
      const Points rows = x * scale;
      const Tile<double> exact(spec, rows, Values::in_units);
      const Tile<float> single(spec, rows, Values::in_units);
      const double largest = exact.values.cwiseAbs().maxCoeff();
      EXPECT_LE((single.values - exact.values).cwiseAbs().maxCoeff(), 1e-5 * largest)
          << spec << ' ' << scale;
    }
}

TEST(ValueUnit, OfColumnsIsThatOfTheirLargest) {
  Block block(2, 3);
  block << 3, 0, 1e-200, -9, 0, 5e-201;
  const Vector units = column_units(block);
  EXPECT_EQ(units[0], 8);
  EXPECT_EQ(units[1], 1);
  EXPECT_EQ(1e-200 / units[2], std::ldexp(1e-200, -std::ilogb(1e-200)));
}

}  // namespace value_unit_test
}  // namespace mercer
