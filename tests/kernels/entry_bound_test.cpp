// The bound for all pairs of a table against the bound for single pairs, which tiles are held to
// elsewhere: no pair may exceed it, wherever the rows lie.
#include "mercer/kernels/entry_bound.h"

#include "tests/support/entry_bound.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mercer {
namespace entry_bound_test {

test::RowSpan row(const Points& x, Index i) {
  return {x.row(i).data(), static_cast<std::size_t>(x.cols())};
}

const std::vector<std::string> kSpecs = {
    "linear",
    "linear:offset=2",
    "polynomial:degree=1",
    "polynomial:degree=4,scale=0.25,offset=0.5",
    "sigmoid:scale=40,offset=-20",
    "sigmoid:scale=0.01",
    "cosine",
    "gaussian:sigma=0.1",
    "gaussian:sigma=3",
    "exponential:length=0.5",
    "matern:nu=2.5,length=1",
    "rational_quadratic:alpha=0.5,length=0.5",
    "inverse_multiquadric:c=0.01",
    "inverse_multiquadric:c=100",
    "power_distance:exponent=0.5",
    "power_distance:exponent=2",
    "log_distance:exponent=1",
    "thin_plate_spline:c=0.3",
    "laplacian:length=0.5",
    "gaussian:sigma=1+0.5*linear",
    "2*gaussian:sigma=0.5*polynomial:degree=2",
};

TEST(EntryBoundOfATable, CoversEveryPair) {
  for (const double offset : {0.0, 3.0, 1e4})
    for (const Precision precision : {Precision::double_, Precision::single_})
      for (const std::string& spec : kSpecs) {
        Points x = test::random_points({.n = 12, .dim = 3, .seed = 5}).array() + offset;
        x.row(3) = x.row(4);
        x.row(5) = x.row(4).array() + 1e-9;
        const Kernel kernel(spec);
        const Frame frame = make_frame(kernel, x, false, {});
        const EntryBound all = entry_bound(kernel, frame, precision);
        const Points moved = x.rowwise() - frame.centre.transpose() / frame.scale;
        const bool single = precision == Precision::single_;
        for (Index i = 0; i < x.rows(); ++i)
          for (Index j = 0; j < x.rows(); ++j) {
            const test::TilePair pair(row(x, i), row(x, j), row(moved, i), row(moved, j),
                                      single ? 0x1p-24 : 0x1p-53,
                                      single ? frame.direct_single : frame.direct_double);
            const test::EntryBound one = test::entry_bound(kernel, pair);
            // Of one pair the scalar formula is checked, too: (d + 4) units beside (d + 8).
            EXPECT_LE(one.error, (1 + 7.0 / 11) * all.error)
                << spec << " at " << offset << ' ' << i << ' ' << j;
            EXPECT_LE(std::abs(one.value), all.largest) << spec << " at " << offset;
          }
      }
}

TEST(EntryBoundOfATable, IsRelativeToTheEntriesAsTilesComputeThem) {
  const Points x = test::random_points({.n = 30, .dim = 3, .seed = 1});
  const Kernel wide("gaussian:sigma=1e6");
  const EntryBound less = entry_bound(wide, make_frame(wide, x, true, {}), Precision::double_);
  const EntryBound whole = entry_bound(wide, make_frame(wide, x, false, {}), Precision::double_);
  EXPECT_LT(less.largest, 1e-9);
  EXPECT_LT(less.error, 1e-22);
  EXPECT_GT(whole.error, 1e-16);
}

TEST(EntryBoundOfATable, OfExactProductsIsTheMapsAlone) {
  const Points x = test::random_points({.n = 30, .dim = 200, .seed = 1}).array().round();
  const Kernel kernel("gaussian:sigma=10");
  const Frame frame = make_frame(kernel, x, true, {});
  EXPECT_LT(entry_bound(kernel, frame, Precision::double_, true).error,
            0.2 * entry_bound(kernel, frame, Precision::double_).error);
}

}  // namespace entry_bound_test
}  // namespace mercer
