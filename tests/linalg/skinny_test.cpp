// The skinny product against plain loops in long double.
//
// Bound: x is rounded to T; a sum in T runs over m <= 512 terms, so that each term meets at most m
// roundings; ten such sums at most join y in double. With u of T and S = sum |K||x|,
//   error <= (m + 2) u S + 12 2^-53 (|y| + S),   u = 2^-24 or 2^-53, up to terms of order u^2.
#include "mercer/linalg/skinny.h"

#include "mercer/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace skinny_test {

Block random_block(Index rows, Index cols, std::uint64_t seed) {
  const Random random(seed);
  Block block(rows, cols);
  for (Index i = 0; i < block.size(); ++i)
    block.data()[i] = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
  return block;
}

// A random tile in a sea of NaN: whatever is read outside spoils the sums.
template <class T>
struct Tile {
  Tile(Index row_count, Index col_count, std::uint64_t seed)
      : rows(row_count), cols(col_count), ld(col_count + 5) {
    const Random random(seed);
    memory.assign(static_cast<std::size_t>((rows + 2) * ld), std::numeric_limits<T>::quiet_NaN());
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        at(i, j) = static_cast<T>(2 * random.uniform(static_cast<std::uint64_t>(i * cols + j)) - 1);
  }
  const T* data() const { return memory.data() + ld + 3; }
  T& at(Index i, Index j) { return memory[static_cast<std::size_t>((i + 1) * ld + 3 + j)]; }
  T at(Index i, Index j) const { return data()[i * ld + j]; }

  Index rows, cols, ld;
  std::vector<T> memory;
};

struct Sum {
  long double value = 0, size = 0;
  void add(double k, double x) {
    value += static_cast<long double>(k) * x;
    size += std::fabs(static_cast<long double>(k) * x);
  }
};

template <class T>
void expect_near(double y, double before, const Sum& sum, Index terms) {
  const double u = std::numeric_limits<T>::epsilon() / 2;
  const auto size = static_cast<double>(sum.size);
  const auto m = static_cast<double>(std::min<Index>(terms, 512));
  const double bound = (m + 2) * u * size + 12 * 0x1p-53 * (std::fabs(before) + size);
  EXPECT_LE(std::fabs(static_cast<double>(y - (before + sum.value))), bound)
      << y << " after " << before;
}

template <class T>
void expect_rows(const Tile<T>& tile, Range rows, Range cols, const Block& x, const Block& y,
                 const Block& before) {
  for (Index c = 0; c < x.cols(); ++c)
    for (Index i = 0; i < tile.rows; ++i) {
      Sum sum;
      for (Index j = 0; j < tile.cols; ++j) sum.add(tile.at(i, j), x(cols.begin + j, c));
      expect_near<T>(y(rows.begin + i, c), before(rows.begin + i, c), sum, tile.cols);
    }
}

template <class T>
void expect_columns(const Tile<T>& tile, Range rows, Range cols, const Block& x, const Block& y,
                    const Block& before) {
  std::vector<Sum> sums(static_cast<std::size_t>(tile.cols));
  for (Index c = 0; c < x.cols(); ++c) {
    std::fill(sums.begin(), sums.end(), Sum());
    for (Index i = 0; i < tile.rows; ++i)
      for (Index j = 0; j < tile.cols; ++j)
        sums[static_cast<std::size_t>(j)].add(tile.at(i, j), x(rows.begin + i, c));
    for (Index j = 0; j < tile.cols; ++j)
      expect_near<T>(y(cols.begin + j, c), before(cols.begin + j, c),
                     sums[static_cast<std::size_t>(j)], tile.rows);
  }
}

// Everything outside these rows is as before, to the bit.
void expect_untouched(const Block& y, const Block& before, Range rows, Range cols) {
  const auto inside = [](Range range, Index i) { return i >= range.begin && i < range.end; };
  for (Index i = 0; i < y.rows(); ++i) {
    const bool same = y.row(i) == before.row(i);
    EXPECT_TRUE(same || inside(rows, i) || inside(cols, i)) << "row " << i;
  }
}

template <class T>
class SkinnyProductOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SkinnyProductOf, Types);

const std::vector<Index> kSizes = {1, 2, 3, 7, 16, 31, 64, 100, 511, 512};
const std::vector<Index> kWidths = {1, 2, 3, 5, 8, 10, 16, 17, 24, 25, 33, 64, 100};

template <class T>
void check_both_sides(Index row_count, Index col_count, Index width) {
  SCOPED_TRACE(testing::Message() << row_count << " x " << col_count << ", " << width);
  const Index part = std::max(row_count, col_count) + 9;
  const Range rows{part, part + row_count}, cols{2 * part, 2 * part + col_count};
  const Tile<T> tile(row_count, col_count, 1);
  const Block x = random_block(3 * part - 4, width, 2);
  const Block before = random_block(3 * part - 4, width, 3);
  Block y = before;
  const SkinnyProduct<T> product(x, part, Context{});
  typename SkinnyProduct<T>::Scratch scratch;
  product.add(tile.data(), tile.ld, rows, cols, y, scratch);
  expect_rows(tile, rows, cols, x, y, before);
  expect_columns(tile, rows, cols, x, y, before);
  expect_untouched(y, before, rows, cols);
}

// Every pair of sizes meets widths in turn, small ones three, and every width meets many pairs: 13
// is prime.
TYPED_TEST(SkinnyProductOf, ATileServesBothSides) {
  std::size_t turn = 0;
  for (const Index rows : kSizes)
    for (const Index cols : kSizes)
      for (int k = 0; k < (rows * cols > 20000 ? 1 : 3); ++k)
        check_both_sides<TypeParam>(rows, cols, kWidths[turn++ % kWidths.size()]);
  for (const Index width : kWidths) check_both_sides<TypeParam>(70, 45, width);
}

TYPED_TEST(SkinnyProductOf, OfADiagonalTileTheRowsAreEnough) {
  for (const Index size : {1, 17, 100}) {
    Tile<TypeParam> tile(size, size, 4);
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < i; ++j) tile.at(i, j) = tile.at(j, i);
    const Range range{size, 2 * size};
    const Block x = random_block(2 * size, 7, 5), before = random_block(2 * size, 7, 6);
    Block y = before;
    const SkinnyProduct<TypeParam> product(x, size, Context{});
    typename SkinnyProduct<TypeParam>::Scratch scratch;
    product.add(tile.data(), tile.ld, range, range, y, scratch);
    expect_rows(tile, range, range, x, y, before);
    expect_untouched(y, before, range, range);
  }
}

TYPED_TEST(SkinnyProductOf, NewRowsBelongToYAlone) {
  const Tile<TypeParam> tile(77, 30, 7);
  const Range rows{411, 488}, cols{40, 70};  // x has 70 rows, y has 500
  const Block x = random_block(70, 11, 8), before = random_block(500, 11, 9);
  Block y = before;
  const SkinnyProduct<TypeParam> product(x, 40, Context{});
  typename SkinnyProduct<TypeParam>::Scratch scratch;
  product.add_rows(tile.data(), tile.ld, rows, cols, y, scratch);
  expect_rows(tile, rows, cols, x, y, before);
  expect_untouched(y, before, rows, rows);
}

TYPED_TEST(SkinnyProductOf, AColumnDoesNotDependOnTheOthers) {
  const Tile<TypeParam> tile(90, 75, 10);
  const Range rows{0, 90}, cols{90, 165};
  const Block x = random_block(165, 29, 11);
  typename SkinnyProduct<TypeParam>::Scratch scratch;
  Block all = Block::Zero(165, 29);
  SkinnyProduct<TypeParam>(x, 90, Context{}).add(tile.data(), tile.ld, rows, cols, all, scratch);
  for (Index c = 0; c < 29; ++c) {
    Block one = Block::Zero(165, 1);
    SkinnyProduct<TypeParam>(x.col(c), 90, Context{})
        .add(tile.data(), tile.ld, rows, cols, one, scratch);
    EXPECT_TRUE(one == all.col(c)) << "column " << c;
  }
}

TYPED_TEST(SkinnyProductOf, ThreadsAndTheNextTileChangeNothing) {
  const Tile<TypeParam> tile(100, 100, 12);
  const Block x = random_block(1000, 9, 13);
  Block results[2];
  for (const Index threads : {1, 3}) {
    Context context;
    context.budget.threads = threads;
    Block& y = results[threads == 3];
    y = Block::Zero(1000, 9);
    typename SkinnyProduct<TypeParam>::Scratch scratch;
    scratch.next = threads == 3 ? tile.data() : nullptr;
    SkinnyProduct<TypeParam>(x, 100, context)
        .add(tile.data(), tile.ld, {300, 400}, {800, 900}, y, scratch);
  }
  EXPECT_TRUE(results[0] == results[1]);
  EXPECT_GT(results[0].norm(), 0);
}

// 512 terms below 2^15 have a sum that float holds exactly; ten times as many only double does.
TYPED_TEST(SkinnyProductOf, LongSumsAreJoinedInDouble) {
  const Index length = 5120;
  const std::vector<TypeParam> ones(static_cast<std::size_t>(length * 20), TypeParam(1));
  Block x(2 * length, 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = static_cast<double>(32766 - i % 2 - i % 3);
  const SkinnyProduct<TypeParam> product(x, length, Context{});
  typename SkinnyProduct<TypeParam>::Scratch scratch;
  const Range few{length, length + 20}, many{0, length};
  Block y = Block::Zero(2 * length, 1);
  product.add(ones.data(), 20, many, few, y, scratch);
  EXPECT_EQ(y(length, 0), x.col(0).head(length).sum());
  EXPECT_EQ(y(length + 19, 0), x.col(0).head(length).sum());
  y.setZero();
  product.add_rows(ones.data(), length, few, many, y, scratch);
  EXPECT_EQ(y(length + 7, 0), x.col(0).head(length).sum());
}

// With an address sanitizer this finds reads beyond the last value.
TYPED_TEST(SkinnyProductOf, TheTileMayEndWhereMemoryEnds) {
  const std::vector<TypeParam> ones(static_cast<std::size_t>(6 * 19), TypeParam(1));
  const Block x = Block::Ones(38, 4);
  const SkinnyProduct<TypeParam> product(x, 19, Context{});
  typename SkinnyProduct<TypeParam>::Scratch scratch;
  Block y = Block::Zero(38, 4);
  product.add(ones.data(), 19, {0, 6}, {19, 38}, y, scratch);
  EXPECT_TRUE(y.topRows(6) == Block::Constant(6, 4, 19));
  EXPECT_TRUE(y.bottomRows(19) == Block::Constant(19, 4, 6));
  EXPECT_EQ(y.sum(), 2 * 4 * 6 * 19);
}

TYPED_TEST(SkinnyProductOf, NothingTimesNothingIsNothing) {
  typename SkinnyProduct<TypeParam>::Scratch scratch;
  Block y = Block::Zero(5, 0);
  const TypeParam one = 1;
  SkinnyProduct<TypeParam>(Block(5, 0), 2, Context{}).add(&one, 1, {0, 1}, {2, 3}, y, scratch);
  Block kept = Block::Ones(5, 2);
  const SkinnyProduct<TypeParam> product(Block::Ones(5, 2), 2, Context{});
  product.add(&one, 1, {0, 1}, {2, 2}, kept, scratch);
  product.add(&one, 1, {0, 0}, {2, 3}, kept, scratch);
  EXPECT_TRUE(kept == Block::Ones(5, 2));
  EXPECT_EQ(SkinnyProduct<TypeParam>::bytes(0, 3, 512), 0U);
}

// Squares are exact in double or rounded once; each meets at most `count` additions.
TYPED_TEST(SkinnyProductOf, SquaresAreSummedInDouble) {
  for (const Index rows : kSizes)
    for (const Index cols : kSizes) {
      const Tile<TypeParam> tile(rows, cols, 14);
      long double expected = 0;
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j)
          expected += static_cast<long double>(tile.at(i, j)) * tile.at(i, j);
      const double got = sum_of_squares(tile.data(), rows, cols, tile.ld);
      const double bound = static_cast<double>(rows * cols + 1) * 0x1p-53;
      EXPECT_LE(std::fabs(static_cast<double>(got - expected)),
                bound * static_cast<double>(expected));
    }
}

}  // namespace skinny_test
}  // namespace mercer
