// Tiles of whole numbers: products and distances are those of 64-bit integers, to the last digit,
// for awkward sizes, offsets and parts of the rows; kernels of them are the plain formula's; and
// rows that are not whole numbers go the dense way.
#include "mercer/kernels/integer_rows.h"

#include "mercer/core/cpu.h"
#include "mercer/core/random.h"
#include "mercer/kernels/integer_tile.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/integer_maps.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace mercer {
namespace integer_rows_test {

using test::kUnit;
using test::kUnitSingle;
using Bytes = Eigen::Matrix<unsigned char, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Whole numbers of [low, high], both ends among them.
Points whole_points(Index n, Index dim, Index low, Index high, std::uint64_t seed) {
  const Random random(seed);
  Points x(n, dim);
  for (Index i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<double>(
        low + static_cast<Index>(random.below(static_cast<std::uint64_t>(high - low + 1),
                                              static_cast<std::uint64_t>(i))));
  if (n > 0) x(0, 0) = static_cast<double>(low);
  if (n > 0) x(n - 1, dim - 1) = static_cast<double>(high);
  return x;
}

std::int64_t exact_value(IntegerForm form, const Points& x, Index i, const Points& y, Index j) {
  std::int64_t sum = 0;
  for (Index k = 0; k < x.cols(); ++k) {
    const auto a = static_cast<std::int64_t>(x(i, k)), b = static_cast<std::int64_t>(y(j, k));
    sum += form == IntegerForm::product ? a * b : (a - b) * (a - b);
  }
  return sum;
}

/// The tile of these parts, and what surrounds it untouched.
template <class T>
void expect_exact(const Points& x, Range rows, const Points& y, Range cols) {
  const auto a = IntegerRows::pack(x, {}), b = IntegerRows::pack(y, {});
  ASSERT_TRUE(a && b);
  const Index ld = cols.size() + 3;
  IntegerScratch scratch;
  for (const IntegerForm form : {IntegerForm::product, IntegerForm::squared_distance}) {
    std::vector<T> out(static_cast<std::size_t>(rows.size() * ld), T(-77));
    integer_tile(form, *a, rows, *b, cols, 0x1p-6, out.data(), ld, scratch);
    for (Index i = 0; i < rows.size(); ++i)
      for (Index j = 0; j < ld; ++j) {
        const T got = out[static_cast<std::size_t>(i * ld + j)];
        if (j >= cols.size()) {
          ASSERT_EQ(got, T(-77));
          continue;
        }
        const std::int64_t exact = exact_value(form, x, rows.begin + i, y, cols.begin + j);
        ASSERT_EQ(got, static_cast<T>(exact) * T(0x1p-6)) << i << " " << j << " " << x.cols();
      }
  }
}

void expect_exact(const Points& x, const Points& y) {
  expect_exact<float>(x, {0, x.rows()}, y, {0, y.rows()});
  expect_exact<double>(x, {0, x.rows()}, y, {0, y.rows()});
}

TEST(IntegerKernel, HasExactProductsAndDistancesForEverySize) {
  for (const Index dim : {1, 3, 4, 5, 63, 64, 65, 784})
    for (const Index n : {1, 2, 15, 16, 17, 33})
      expect_exact(whole_points(n, dim, 0, 255, 1), whole_points(50 - n, dim, 0, 255, 2));
  expect_exact(whole_points(19, 3000, 0, 255, 3), whole_points(65, 3000, 0, 255, 4));
}

TEST(IntegerKernel, HasExactProductsAndDistancesForEveryOffset) {
  struct Limits {
    Index low, high;
  };
  const std::vector<Limits> all = {
      {0, 255},         {-128, 127},          {-255, 0},         {1, 256},
      {-3, 2},          {700, 760},           {-5000, -4745},    {7, 7},
      {99900, 100'000}, {-262'144, -261'889}, {261'889, 262'144}};
  for (const Limits a : all)
    for (const Limits b : all)
      expect_exact(whole_points(5, 21, a.low, a.high, 5), whole_points(9, 21, b.low, b.high, 6));
}

TEST(IntegerKernel, StaysExactAtTheEndsOfItsRange) {
  const Index dim = IntegerRows::kMostColumns;
  const auto constant = [&](double value) { return Points(Points::Constant(2, dim, value)); };
  Points half = constant(255);
  half.row(1).setZero();
  expect_exact(half, half);
  expect_exact(constant(255), half);
  expect_exact(constant(-262'144), constant(262'144));
  expect_exact(whole_points(3, dim, -262'144, -261'889, 7), whole_points(3, dim, -128, 127, 8));
}

TEST(IntegerKernel, FillsAnyPartOfATile) {
  const Points x = whole_points(70, 37, -100, 155, 9), y = whole_points(131, 37, 0, 255, 10);
  for (const Range rows : {Range{0, 70}, Range{3, 20}, Range{69, 70}, Range{5, 5}, Range{16, 48}})
    for (const Range cols :
         {Range{0, 131}, Range{2, 71}, Range{15, 17}, Range{7, 7}, Range{32, 96}})
      expect_exact<float>(x, rows, y, cols), expect_exact<double>(x, rows, y, cols);
}

/// The functions of every level this machine has, with and without the instruction for bytes.
std::vector<IntegerMaps> all_maps() {
  std::vector<IntegerMaps> maps = {baseline::integer_maps(false)};
#ifdef __x86_64__
  if (highest_cpu_level() >= CpuLevel::v3) maps.push_back(v3::integer_maps(false));
  if (highest_cpu_level() < CpuLevel::v4) return maps;
  maps.push_back(v4::integer_maps(false));
  if (__builtin_cpu_supports("avx512vnni")) maps.push_back(v4::integer_maps(true));
#endif
  return maps;
}

TEST(IntegerKernel, HasTheSameProductsOnEveryCpuLevel) {
  for (const Index dim : {6, 31, 784, 16384}) {
    Points x = whole_points(21, dim, 0, 255, 21), y = whole_points(93, dim, 0, 255, 22);
    x.row(3).setConstant(255);
    y.row(90).setConstant(255);
    const auto a = *IntegerRows::pack(x, {}), b = *IntegerRows::pack(y, {});
    for (const IntegerMaps& maps : all_maps()) {
      std::vector<std::uint32_t> row_terms, col_terms(91, 0);
      for (const std::int32_t sum : a.byte_sums())
        row_terms.push_back(static_cast<std::uint32_t>(maps.bias * sum));
      IntegerTile tile{a.panels(), b.panels(), a.steps(), 1, 21, 2, 93, 1, 1.0};
      tile.terms.rows = row_terms.data() + 1;
      tile.terms.cols = col_terms.data();
      std::vector<double> out(20 * 91);
      maps.fill_double(tile, out.data(), 91);
      for (Index i = 0; i < 20; ++i)
        for (Index j = 0; j < 91; ++j)
          ASSERT_EQ(out[static_cast<std::size_t>(i * 91 + j)],
                    static_cast<double>(exact_value(IntegerForm::product, x, i + 1, y, j + 2)));
    }
  }
}

TEST(IntegerKernel, IsTheSameFromBytesFloatsAndColumnsInAnyOrder) {
  const Points x = whole_points(21, 10, 3, 200, 11);
  const Bytes bytes = x.cast<unsigned char>();
  const Eigen::MatrixXf turned = x.cast<float>();
  const auto from_doubles = *IntegerRows::pack(x, {});
  const auto from_bytes = *IntegerRows::pack(bytes, {});
  const auto from_floats = *IntegerRows::pack(turned, {});
  const auto from_part = *IntegerRows::pack(DataView(bytes.leftCols(7)), {});
  const auto size = static_cast<std::size_t>(2 * 16 * 12);
  for (const IntegerRows* packed : {&from_bytes, &from_floats}) {
    EXPECT_EQ(packed->offset(), 0);
    EXPECT_EQ(std::memcmp(packed->panels(), from_doubles.panels(), size), 0);
    EXPECT_EQ(packed->byte_sums(), from_doubles.byte_sums());
    EXPECT_EQ(packed->byte_norms(), from_doubles.byte_norms());
  }
  for (Index i = 0; i < 21; ++i)
    EXPECT_EQ(static_cast<double>(from_part.squared_norm(i)), x.row(i).head(7).squaredNorm());
}

TEST(IntegerKernel, IsRefusedToRowsThatAreNotSmallWholeNumbers) {
  const auto can = [](const Points& x) {
    EXPECT_EQ(IntegerRows::pack(x, {}).has_value(), IntegerRows::can_pack(x, {}));
    return IntegerRows::can_pack(x, {});
  };
  const Points fine = whole_points(1500, 6, -20, 235, 12);
  EXPECT_TRUE(can(fine));
  for (const double bad : {0.5, 236.0, -21.0, 1e-300, 1e300, HUGE_VAL, -HUGE_VAL, std::nan("")})
    for (const Index row : {0, 777, 1499}) {
      Points x = fine;
      x(row, 4) = bad;
      EXPECT_FALSE(can(x)) << bad;
    }
  EXPECT_FALSE(can(Points::Constant(3, 5, HUGE_VAL)));
  EXPECT_FALSE(can(Points::Constant(3, 5, 262'145)));
  EXPECT_FALSE(can(Points::Zero(1, IntegerRows::kMostColumns + 1)));
  EXPECT_FALSE(can(Points::Zero(3, 0)));
  EXPECT_TRUE(can(Points::Zero(0, 5)));
  EXPECT_TRUE(can(Points::Constant(2, 5, -0.0)));
}

template <class T>
std::vector<T> tile_of(const Kernel& kernel, const Frame& frame, const TilePoints<T>& a,
                       const TilePoints<T>& b) {
  typename TileKernel<T>::Scratch scratch;
  std::vector<T> out(static_cast<std::size_t>(a.n() * b.n()));
  TileKernel<T>(kernel, frame).fill(a, {0, a.n()}, b, {0, b.n()}, out.data(), b.n(), scratch);
  return out;
}

/// Kernels of products and distances, and their sums and products. A power triples the rounding.
const char* const kSpecs[] = {"gaussian:sigma=900",
                              "exponential:length=700",
                              "power_distance",
                              "polynomial:degree=3,scale=1e-5,offset=1",
                              "linear",
                              "gaussian:sigma=900*polynomial:degree=2,scale=1e-5+0.5*linear"};

template <class T>
void expect_formula(const char* spec, const Points& x, const Points& y) {
  const double unit = std::is_same_v<T, float> ? kUnitSingle : kUnit;
  const Kernel kernel(spec);
  Frame frame = make_frame(kernel, y, false, {});
  const TilePoints<T> rows(kernel, frame, x, {}), cols(kernel, frame, y, {});
  EXPECT_EQ(rows.storage(), TilePoints<T>::Storage::integer);
  EXPECT_TRUE(rows.exact_products());
  const std::vector<T> got = tile_of(kernel, frame, rows, cols);
  const Vector diagonal = TileKernel<T>(kernel, frame).diagonal(cols);
  for (Index j = 0; j < y.rows(); ++j) {
    for (Index i = 0; i < x.rows(); ++i) {
      const double exact = kernel(test::row_span(x, i), test::row_span(y, j));
      ASSERT_NEAR(got[static_cast<std::size_t>(i * y.rows() + j)], exact,
                  12 * unit * std::abs(exact) + 400 * kUnit * std::abs(exact))
          << spec;
    }
    const double self = kernel(test::row_span(y, j), test::row_span(y, j));
    EXPECT_NEAR(diagonal[j], self, 20 * kUnit * std::abs(self)) << spec;
  }
}

TEST(IntegerKernel, OfATileIsThePlainFormula) {
  for (const char* spec : kSpecs)
    for (const Index low : {0, 40, 1000}) {
      const Points x = whole_points(37, 100, low, low + 255, 13);
      Points y = whole_points(20, 100, low, low + 250, 14);
      y.row(3) = x.row(5);
      expect_formula<float>(spec, x, y);
      expect_formula<double>(spec, x, y);
    }
}

TEST(IntegerKernel, FallsBackToDenseForNewRowsWithFractions) {
  using Tile = TilePoints<double>;
  const Kernel kernel("gaussian:sigma=500+0.001*linear");
  const Points y = whole_points(40, 30, 0, 255, 15);
  Points x = whole_points(12, 30, -200, 55, 16);
  const Frame frame = make_frame(kernel, y, false, {});
  EXPECT_EQ(Tile::common_storage(kernel, frame, y, x, {}), Tile::Storage::integer);
  x(11, 7) = 0.25;
  const auto storage = Tile::common_storage(kernel, frame, y, x, {});
  ASSERT_EQ(storage, Tile::Storage::dense);
  EXPECT_EQ(test::code_of([&] { Tile(kernel, frame, x, {}, Tile::Storage::integer); }), "M000");
  const Tile known(kernel, frame, y, {}, storage), fresh(kernel, frame, x, {}, storage);
  const auto got = tile_of(kernel, frame, fresh, known);
  const auto whole =
      tile_of(kernel, frame, Tile(kernel, frame, x.topRows(11), {}), Tile(kernel, frame, y, {}));
  const Block exact = test::dense_kernel(kernel, x, y);
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 40; ++j) {
      const auto at = static_cast<std::size_t>(i * 40 + j);
      ASSERT_NEAR(got[at], exact(i, j), 1e-12 * std::abs(exact(i, j)) + 1e-12);
      const double exactly = i < 11 ? whole[at] : exact(i, j);
      ASSERT_NEAR(got[at], exactly, 1e-12 * std::abs(exactly) + 1e-12);
    }
  EXPECT_EQ(test::code_of([&] { tile_of(kernel, frame, fresh, Tile(kernel, frame, y, {})); }),
            "M000");
}

TEST(IntegerKernel, IsNotUsedWhereTheKernelOrTheFrameNeedOtherRows) {
  const Points x = whole_points(30, 8, 0, 255, 17);
  const auto storage = [](const char* spec, const Points& rows, bool centred) {
    const Kernel kernel(spec);
    const Frame frame = make_frame(kernel, rows, centred, {});
    return TilePoints<float>(kernel, frame, rows, {}).storage();
  };
  using Storage = TilePoints<float>::Storage;
  EXPECT_EQ(storage("gaussian:sigma=1", x, true), Storage::integer);
  EXPECT_EQ(storage("linear", x, false), Storage::integer);
  EXPECT_EQ(storage("linear", x, true), Storage::dense);
  EXPECT_EQ(storage("cosine", x, true), Storage::dense);
  EXPECT_EQ(storage("laplacian:length=1", x, true), Storage::dense);
  EXPECT_EQ(storage("gaussian:sigma=1+cosine", x, true), Storage::dense);
  EXPECT_EQ(storage("gaussian:sigma=1", x.leftCols(3), true), Storage::dense);
  EXPECT_EQ(storage("gaussian:sigma=1", x * 0.5, true), Storage::dense);
}

TEST(IntegerKernel, TakesAByteForEveryNumber) {
  const Kernel kernel("gaussian:sigma=900");
  const Points x = whole_points(160, 100, 0, 255, 18);
  EXPECT_LE(TilePoints<double>::bytes(kernel, x), 160 * (100 + 16));
  EXPECT_GE(TilePoints<double>::bytes(kernel, x), 160 * 100);
  EXPECT_GE(TilePoints<double>::bytes(kernel, Points(x * 0.5)), 160 * 100 * 8);
  const Frame frame = make_frame(kernel, x, false, {});
  EXPECT_LE(entry_error(kernel, frame, 100, Precision::single_, true), 8 * kUnitSingle);
  EXPECT_GT(entry_error(kernel, frame, 100, Precision::single_),
            entry_error(kernel, frame, 100, Precision::single_, true));
}

/// Tiles and diagonal of chosen rows are those of the rows they were chosen from.
template <class T>
void expect_gathered(const char* spec, DataView rows, typename TilePoints<T>::Storage storage) {
  const Kernel kernel(spec);
  const Frame frame = make_frame(kernel, rows, false, {});
  const TilePoints<T> all(kernel, frame, rows, {});
  ASSERT_EQ(all.storage(), storage);
  const std::vector<Index> chosen = {39, 0, 17, 17, 5, 16, 31, 32, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11};
  const TilePoints<T> part = all.gathered(chosen);
  EXPECT_EQ(part.n(), 18);
  EXPECT_EQ(part.storage(), storage);
  const auto whole = tile_of(kernel, frame, all, all), some = tile_of(kernel, frame, part, all);
  const TileKernel<T> tiles(kernel, frame);
  const Vector diagonal = tiles.diagonal(all), part_diagonal = tiles.diagonal(part);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_EQ(part_diagonal[static_cast<Index>(i)], diagonal[chosen[i]]);
    for (std::size_t j = 0; j < 40; ++j) {
      const T expected = whole[static_cast<std::size_t>(chosen[i]) * 40 + j];
      // A product of fewer rows may be summed in another order.
      ASSERT_NEAR(some[i * 40 + j], expected, 1e-5 * std::abs(expected) + 1e-6) << spec;
    }
  }
  EXPECT_EQ(all.gathered({}).n(), 0);
}

TEST(IntegerKernel, GatheredRowsAreTheChosenOnesInEveryStorage) {
  using Storage = TilePoints<double>::Storage;
  using Single = TilePoints<float>::Storage;
  const Points whole = whole_points(40, 9, -4, 5, 19);
  const Points x = test::random_points({.n = 40, .dim = 9, .seed = 20});
  std::vector<Index> starts(41);
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (Index i = 0; i < 40; ++i) {
    for (std::int32_t k = static_cast<std::int32_t>(i % 4); k < 9; k += 2) {
      columns.push_back(k);
      values.push_back(x(i, k));
    }
    starts[static_cast<std::size_t>(i) + 1] = static_cast<Index>(columns.size());
  }
  const DataView sparse(starts.data(), columns.data(), values.data(), 40, 9);
  for (const char* spec : {"gaussian:sigma=3", "polynomial:degree=2", "gaussian:sigma=3+linear"}) {
    expect_gathered<double>(spec, whole, Storage::integer);
    expect_gathered<float>(spec, whole, Single::integer);
    expect_gathered<double>(spec, x, Storage::dense);
    expect_gathered<double>(spec, sparse, Storage::sparse);
    expect_gathered<float>(spec, sparse, Single::sparse);
  }
  expect_gathered<double>("cosine", x, Storage::dense);
  expect_gathered<double>("cosine+gaussian:sigma=3", sparse, Storage::sparse);
  expect_gathered<double>("laplacian:length=2+cosine", x, Storage::dense);
}

}  // namespace integer_rows_test
}  // namespace mercer
