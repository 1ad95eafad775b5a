// Tiles of sparse rows: products and distances against the rows written out, in any order of tiles
// and with scratch that was used before; and the whole tile kernel, sparse against dense.
#include "mercer/kernels/sparse_tile.h"

#include "mercer/data/dataset.h"
#include "mercer/kernels/tile.h"
#include "tests/support/dense.h"
#include "tests/support/entry_bound.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace sparse_tile_test {

using test::kUnit;
using test::kUnitSingle;

/// Rows with about one value in five; row 3 is empty, row 4 has every column.
Points mostly_zeros(Index n, Index dim, std::uint64_t seed) {
  const Points x = test::random_points({.n = n, .dim = dim, .seed = seed});
  const Points choice = test::random_points({.n = n, .dim = dim, .seed = seed + 1000});
  Points thin = (choice.array() < 0.84).select(0.0, x);
  thin.row(3).setZero();
  thin.row(4) = x.row(4);
  return thin;
}

template <class T>
struct Compressed {
  std::vector<Index> starts = {0};
  std::vector<std::int32_t> columns;
  std::vector<T> values;

  explicit Compressed(const Points& x) {
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.cols(); ++j) {
        if (x(i, j) == 0) continue;
        columns.push_back(static_cast<std::int32_t>(j));
        values.push_back(static_cast<T>(x(i, j)));
      }
      starts.push_back(static_cast<Index>(values.size()));
    }
  }
  operator CompressedRows<T>() const { return {starts.data(), columns.data(), values.data()}; }
};

Dataset sparse_of(const Points& x) {
  const Compressed<double> rows(x);
  return {SparseRows{rows.starts, rows.columns, rows.values}, x.cols()};
}

template <class T>
void expect_products_and_distances() {
  const double unit = std::is_same_v<T, float> ? kUnitSingle : kUnit;
  const Index dim = 37, ld = 31;
  const Points a = mostly_zeros(20, dim, 1).cast<T>().template cast<double>();
  const Points b = mostly_zeros(29, dim, 2).cast<T>().template cast<double>();
  const Compressed<T> left(a), right(b);
  SparseScratch<T> scratch;
  for (const Range rows : {Range{0, 20}, Range{3, 4}, Range{5, 5}, Range{2, 19}})
    for (const Range cols : {Range{0, 29}, Range{28, 29}, Range{3, 5}, Range{7, 7}}) {
      std::vector<T> dot(static_cast<std::size_t>(20 * ld), T(-77)), distance = dot;
      sparse_products<T>(left, rows, right, cols, dim, dot.data(), ld, scratch);
      sparse_distances<T>(left, rows, right, cols, distance.data(), ld);
      for (Index i = 0; i < 20; ++i)
        for (Index j = 0; j < ld; ++j) {
          const auto at = static_cast<std::size_t>(i * ld + j);
          if (i >= rows.size() || j >= cols.size()) {
            ASSERT_EQ(dot[at], -77);  // untouched
            ASSERT_EQ(distance[at], -77);
            continue;
          }
          const auto x = a.row(rows.begin + i), y = b.row(cols.begin + j);
          const double squared = (x - y).squaredNorm();
          ASSERT_NEAR(dot[at], x.dot(y), (dim + 2) * unit * x.norm() * y.norm());
          ASSERT_NEAR(distance[at], squared, (dim + 3) * unit * squared);
        }
    }
}

TEST(SparseTile, ProductsAndDistancesAreThoseOfTheRowsWrittenOut) {
  expect_products_and_distances<double>();
  expect_products_and_distances<float>();
}

TEST(SparseTile, ScratchMayServeNarrowerAndWiderRowsInTurn) {
  SparseScratch<double> scratch;
  for (const Index dim : {50, 5, 500, 6}) {
    const Points x = mostly_zeros(8, dim, static_cast<std::uint64_t>(dim));
    const Compressed<double> rows(x);
    Points out(8, 8);
    sparse_products<double>(rows, {0, 8}, rows, {0, 8}, dim, out.data(), 8, scratch);
    EXPECT_LE(test::max_abs(out - x * x.transpose()),
              static_cast<double>(dim + 2) * kUnit * x.squaredNorm());
    EXPECT_TRUE(out == out.transpose());
  }
}

class KernelOfSparseRows : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(
    Families, KernelOfSparseRows,
    testing::Values("linear:offset=0.5", "polynomial:degree=3,scale=0.25,offset=1", "cosine",
                    "sigmoid:scale=0.25,offset=0.5", "gaussian:sigma=2", "exponential:length=3",
                    "matern:nu=2.5,length=4", "rational_quadratic:alpha=2,length=3",
                    "inverse_multiquadric:c=1", "multiquadric:c=1", "power_distance:exponent=1.5",
                    "log_distance:exponent=2", "thin_plate_spline:c=2",
                    "shifted_thin_plate_spline:c=2", "laplacian:length=4", "chi_squared:gamma=0.25",
                    "additive_chi_squared", "chi_squared_similarity",
                    "gaussian:sigma=2*cosine+0.5*linear", "laplacian:length=4+gaussian:sigma=2"));

template <class T>
double worst_ratio(const Kernel& kernel, const Points& x, const Points& y, bool direct) {
  const double unit = std::is_same_v<T, float> ? kUnitSingle : kUnit;
  const Dataset sparse_x = sparse_of(x), sparse_y = sparse_of(y);
  Frame frame = make_frame(kernel, sparse_y, false, {});
  EXPECT_EQ(frame.centre.size(), 0);  // they stay where they are
  EXPECT_EQ(frame.dim, x.cols());
  if (direct) frame.direct_double = frame.direct_single = true;
  const TilePoints<T> columns(kernel, frame, sparse_y, {});
  // New rows of either storage are brought to that of the training rows.
  const TilePoints<T> rows(kernel, frame, sparse_x, {}, columns.storage());
  const TilePoints<T> written_out(kernel, frame, x, {}, columns.storage());
  const TileKernel<T> tiles(kernel, frame);
  typename TileKernel<T>::Scratch scratch;
  const Index n = x.rows(), m = y.rows();
  std::vector<T> out(static_cast<std::size_t>(n * m)), again = out;
  tiles.fill(rows, {0, n}, columns, {0, m}, out.data(), m, scratch);
  tiles.fill(written_out, {0, n}, columns, {0, m}, again.data(), m, scratch);
  EXPECT_EQ(out, again);
  const bool summed = unit == kUnit ? frame.direct_double : frame.direct_single;
  double worst = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m; ++j) {
      const test::TilePair pair(test::row_span(x, i), test::row_span(y, j), unit, summed);
      const double got = out[static_cast<std::size_t>(i * m + j)];
      worst = std::max(
          worst, std::abs(got - kernel(pair.x, pair.y)) / test::entry_bound(kernel, pair).error);
    }
  return worst;
}

TEST_P(KernelOfSparseRows, TilesEqualTheScalarFormula) {
  const Kernel kernel(GetParam());
  Points x = mostly_zeros(17, 23, 5), y = mostly_zeros(33, 23, 6);
  if (kernel.non_negative()) x = x.cwiseAbs(), y = y.cwiseAbs();
  for (const bool direct : {false, true}) {
    EXPECT_LE(worst_ratio<double>(kernel, x, y, direct), 1);
    EXPECT_LE(worst_ratio<float>(kernel, x, y, direct), 1);
  }
}

TEST_P(KernelOfSparseRows, TheDiagonalIsThatOfTheRowsWrittenOut) {
  const Kernel kernel(GetParam());
  const Points x = mostly_zeros(17, 23, 7).cwiseAbs();
  const Dataset sparse = sparse_of(x);
  const Frame frame = make_frame(kernel, sparse, false, {});
  const TileKernel<double> tiles(kernel, frame);
  const Vector diagonal = tiles.diagonal(TilePoints<double>(kernel, frame, sparse, {}));
  for (Index i = 0; i < 17; ++i) {
    const auto row = test::row_span(x, i);
    EXPECT_NEAR(diagonal[i], kernel(row, row),
                test::entry_bound(kernel, {row, row, kUnit, true}).error);
  }
}

TEST(SparseTile, RowsFarFromTheOriginSumDifferences) {
  // A spread of 1e-4 about values of 1: products would leave a few digits of the distances.
  Points x = test::random_points({.n = 30, .dim = 5, .seed = 8}) * 1e-4;
  x.array() += 1;
  const Kernel kernel("gaussian:sigma=2e-4");
  EXPECT_TRUE(make_frame(kernel, sparse_of(x), true, {}).direct_double);
  EXPECT_FALSE(make_frame(kernel, x, true, {}).direct_double);  // dense rows are moved instead
  EXPECT_LE(worst_ratio<double>(kernel, x, x, false), 1);
}

TEST(FarRows, AreNothingToALocalKernelAndRefusedByAGrowingOne) {
  const Points x = mostly_zeros(12, 6, 9);
  Points far = x;
  far.row(4) *= 1e200;
  const Dataset sparse = sparse_of(x), sparse_far = sparse_of(far);
  const auto code = [&](const char* spec, DataView training, DataView rows) {
    const Kernel kernel(spec);
    const Frame frame = make_frame(kernel, training, true, {});
    return test::code_of([&] { TilePoints<double>(kernel, frame, rows, {}); });
  };
  for (const char* local : {"gaussian:sigma=1", "exponential:length=1", "inverse_multiquadric:c=1",
                            "matern:nu=1.5,length=1", "laplacian:length=1"}) {
    EXPECT_EQ(code(local, x, far), "no error") << local;
    EXPECT_EQ(code(local, sparse, sparse_far), "no error") << local;
  }
  for (const char* growing : {"power_distance:exponent=1", "multiquadric:c=1",
                              "log_distance:exponent=2", "thin_plate_spline:c=1"}) {
    EXPECT_EQ(code(growing, x, far), "M221") << growing;
    EXPECT_EQ(code(growing, sparse, sparse_far), "M221") << growing;
  }
}

}  // namespace sparse_tile_test
}  // namespace mercer
