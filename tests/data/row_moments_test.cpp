// Moments of rows, from whatever they are made: sums in long double are the oracle.
#include "mercer/data/row_moments.h"

#include "mercer/data/whole_moments.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace row_moments_test {

using test::kUnit;
using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Rows in chunks of so many; counts the walks.
class Chunks final : public RowSource {
 public:
  Chunks(DataView rows, Index step) : rows_(rows), step_(step) {}
  Index n() const override { return rows_.n(); }
  Index dim() const override { return rows_.dim(); }
  void each_chunk(const Take& take) const override {
    ++walks;
    for (Index begin = 0; begin < rows_.n(); begin += step_)
      take(rows_.rows({begin, std::min(rows_.n(), begin + step_)}));
  }
  mutable int walks = 0;

 private:
  DataView rows_;
  Index step_;
};

/// Whole numbers from low to low + 255, as the first rows show, most of them small; columns of
/// different spread.
Points whole(Index n, Index dim, double low, std::uint64_t seed) {
  Points x = test::random_points({.n = n, .dim = dim, .seed = seed}).cwiseAbs2() * 30;
  for (Index j = 0; j < dim; ++j) x.col(j) *= 1.0 / double(1 + j % 5);
  x = (x.array().floor().min(255) + low).matrix();
  x.row(1).setConstant(low + 255);
  x.row(2).setConstant(low);
  if (dim > 3) x.col(3).setConstant(low + 7);
  return x;
}

Long scatter_of(const Points& x) {
  const Long rows = x.cast<long double>();
  const Long centred = rows.rowwise() - rows.colwise().mean();
  return centred.transpose() * centred;
}

void expect_moments(const RowMoments& moments, const Points& x) {
  const Long exact = scatter_of(x);
  const double square = moments.scale * moments.scale;
  // Of entries, half a unit for the result, the quotient e e' / n and their difference each: the
  // rest is exact.
  const Vector lengths = exact.diagonal().cwiseSqrt().cast<double>();
  for (Index i = 0; i < x.cols(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      EXPECT_NEAR(moments.scatter(i, j) / square, static_cast<double>(exact(i, j)),
                  8 * kUnit * lengths[i] * lengths[j])
          << i << " " << j;
  EXPECT_EQ(moments.squares, moments.scatter.diagonal());
  EXPECT_EQ(moments.minimum, Vector(x.colwise().minCoeff()));
  EXPECT_EQ(moments.maximum, Vector(x.colwise().maxCoeff()));
  const Vector mean = (x.cast<long double>().colwise().mean()).cast<double>().transpose();
  EXPECT_LE(test::max_abs((moments.mean + moments.rest) / moments.scale - mean),
            2 * kUnit * mean.cwiseAbs().maxCoeff());
  EXPECT_EQ(moments.n, x.rows());
}

TEST(RowMoments, OfWholeNumbersAreExactButForOneQuotient) {
  for (const double low : {0.0, -100.0, 5000.0, -262'144.0})
    for (const Index dim : {1, 4, 17, 100, 211}) {
      const Points x = whole(2500, dim, low, static_cast<std::uint64_t>(dim));
      ASSERT_TRUE(WholeMoments::begin_with(x));
      expect_moments(moments_of(ViewSource(x), {}, {}), x);
    }
}

TEST(RowMoments, OfWholeNumbersAreThoseOfAnyTypeChunksOrderAndThreads) {
  const Points x = whole(4133, 50, 0, 3);
  const Eigen::Matrix<float, -1, -1, Eigen::RowMajor> single = x.cast<float>();
  const Eigen::Matrix<unsigned char, -1, -1, Eigen::RowMajor> bytes = x.cast<unsigned char>();
  const Block columns = x;  // not one row after the other
  Points turned = x.colwise().reverse();
  const MomentsWanted wanted{.fingerprint = true};
  const RowMoments first = moments_of(ViewSource(x), wanted, {});
  Context one;
  one.budget.threads = 1;
  const auto expect_same = [&](const RowMoments& other) {
    EXPECT_EQ(other.scatter, first.scatter);
    EXPECT_EQ(other.mean, first.mean);
    EXPECT_EQ(other.rest, first.rest);
    EXPECT_EQ(other.scale, first.scale);
  };
  for (const DataView& rows : {DataView(single), DataView(bytes), DataView(columns)}) {
    expect_same(moments_of(ViewSource(rows), wanted, {}));
    expect_same(moments_of(ViewSource(rows), wanted, one));
  }
  expect_same(moments_of(ViewSource(turned), wanted, {}));
  for (const Index step : {1, 97, 2048, 4133}) {
    const Chunks chunks(x, step);
    const RowMoments other = moments_of(chunks, wanted, {});
    expect_same(other);
    EXPECT_EQ(other.fingerprint, first.fingerprint);
    EXPECT_EQ(chunks.walks, 1);
  }
}

TEST(RowMoments, WholeNumbersThatEndLateAreWalkedOverAgainAsDoubles) {
  for (const double last : {0.5, 256.0, -1.0, 1e9, 0x1p-30}) {
    Points x = whole(3000, 6, 0, 4);
    x(2999, 2) = last;
    const Chunks chunks(x, 700);
    ASSERT_TRUE(WholeMoments::begin_with(x));
    const RowMoments moments = moments_of(chunks, {}, {});
    EXPECT_EQ(chunks.walks, 2) << last;
    const Long exact = scatter_of(x);
    for (Index j = 0; j < 6; ++j)
      EXPECT_NEAR(moments.squares[j] / moments.scale / moments.scale,
                  static_cast<double>(exact(j, j)),
                  3000 * 4 * kUnit * static_cast<double>(exact(j, j)));
    EXPECT_EQ(moments.maximum, Vector(x.colwise().maxCoeff()));
  }
  Points x = whole(3000, 6, 0, 4);
  x(2999, 2) = std::nan("");
  EXPECT_EQ(test::code_of([&] { moments_of(ViewSource(x), {}, {}); }), "M212");
}

TEST(RowMoments, FractionsAreSeenAtOnce) {
  const Points x = test::random_points({.n = 500, .dim = 5, .seed = 5});
  EXPECT_FALSE(WholeMoments::begin_with(x));
  const Chunks chunks(x, 100);
  const RowMoments moments = moments_of(chunks, {}, {});
  EXPECT_EQ(chunks.walks, 1);
  const Long exact = scatter_of(x);
  for (Index j = 0; j < 5; ++j)
    EXPECT_NEAR(moments.squares[j] / moments.scale / moments.scale,
                static_cast<double>(exact(j, j)),
                500 * 4 * kUnit * static_cast<double>(exact(j, j)));
}

TEST(RowMoments, WhatIsCountedIsNoLessThanWhatWholeNumbersTake) {
  for (const Index n : {1, 63, 1797, 70'000})
    for (const Index dim : {1, 64, 257, 784, 4000})
      EXPECT_LE(whole_moments_bytes(n, dim), moments_bytes(n, dim, true) + 65'536)
          << n << " " << dim;
}

}  // namespace row_moments_test
}  // namespace mercer
