// Tall blocks against plain Eigen, and what an orthonormal basis must satisfy whatever it was made
// from: orthonormal to rounding, orthogonal to v, and it spans what was to be spanned.
#include "mercer/linalg/tall.h"

#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <vector>

namespace mercer {
namespace tall_test {

using test::kRatio;
using test::kUnit;

Block random_block(Index n, Index columns, std::uint64_t seed) {
  return test::random_points({.n = n, .dim = columns, .seed = seed});
}

const Context kContext;

// |a|'|b| n u: what the sums of a product may lose.
double worst_ratio(const Block& difference, const Block& sizes, Index terms) {
  const double scale = std::max(1.0, static_cast<double>(terms)) * kUnit;
  return difference.size() == 0
             ? 0
             : (difference.cwiseAbs().array() / (scale * sizes.array() + 1e-300)).maxCoeff();
}

TEST(Tall, InnerProductsAndUpdatesAreThoseOfEigen) {
  for (const Index n : {1, 2, 63, 2047, 2048, 2049, 5001})  // a part has 2048 rows
    for (const Index a_columns : {1, 5})
      for (const Index b_columns : {1, 8, 33}) {
        const Block a = random_block(n, a_columns, 1), b = random_block(n, b_columns, 2);
        const Block c = random_block(a_columns, b_columns, 3);
        EXPECT_LE(worst_ratio(inner_products(a, b, kContext) - a.transpose() * b,
                              a.cwiseAbs().transpose() * b.cwiseAbs(), n),
                  2);
        EXPECT_LE(worst_ratio(product(a, c, kContext) - a * c, a.cwiseAbs() * c.cwiseAbs(),
                              a_columns + 1),
                  2);
        Block z = b;
        add_product(z, -2.5, a, c, kContext);
        EXPECT_LE(worst_ratio(z - (b - 2.5 * a * c),
                              b.cwiseAbs() + 2.5 * a.cwiseAbs() * c.cwiseAbs(), a_columns + 2),
                  2);
      }
}

TEST(Tall, NothingTimesNothingIsNothing) {
  const Block none(70, 0), some = random_block(70, 3, 1);
  EXPECT_EQ(inner_products(none, some, kContext).size(), 0);
  Block z = some;
  add_product(z, 1, none, Block(0, 3), kContext);
  project_out(z, none, kContext);
  EXPECT_TRUE(z == some);
  EXPECT_TRUE(product(none, Block(0, 2), kContext) == Block::Zero(70, 2));
  EXPECT_EQ(orthonormal(none, some, 1, kContext).cols(), 0);
}

TEST(Tall, RotatesInPlaceAndLeavesTheOtherColumns) {
  for (const Index n : {5, 4100})
    for (const Index kept : {1, 4, 7}) {
      const Block v = random_block(n, 7, 4), c = random_block(7, kept, 5);
      Block turned = v;
      rotate(turned, c, kContext);
      EXPECT_LE(worst_ratio(turned.leftCols(kept) - v * c, v.cwiseAbs() * c.cwiseAbs(), 8), 2);
      EXPECT_TRUE(turned.rightCols(7 - kept) == v.rightCols(7 - kept));
    }
}

TEST(Tall, WhatIsProjectedOutLeavesNothingBehind) {
  const Block v = test::random_orthonormal(3000, 12, 6);
  for (const double outside : {1.0, 1e-6, 1e-12}) {  // how much of z lies outside the span of v
    Block z = v * random_block(12, 4, 7) + outside * random_block(3000, 4, 8);
    const Block expected = [&] {
      Block rest = outside * random_block(3000, 4, 8);
      rest -= v * (v.transpose() * rest);
      return rest;
    }();
    const double size = z.colwise().norm().maxCoeff();
    project_out(z, v, kContext);
    // The first projection errs by u |z|; the second removes what of that lies in the span.
    EXPECT_LE(test::max_abs(v.transpose() * z), kRatio * kUnit * z.colwise().norm().maxCoeff());
    EXPECT_LE(test::max_abs(z - expected), kRatio * kUnit * size);
  }
}

void expect_basis(const Block& q, const Block& v, const std::string& what) {
  EXPECT_LE(test::max_abs(q.transpose() * q - Block::Identity(q.cols(), q.cols())), kRatio * kUnit)
      << what;
  const double inside = v.cols() * q.cols() > 0 ? test::max_abs(v.transpose() * q) : 0;
  EXPECT_LE(inside, kRatio * kUnit) << what;
}

TEST(Tall, AnOrthonormalBasisSpansTheColumns) {
  for (const Index n : {12, 2050})
    for (const Index columns : {1, 3, 9})
      for (const Index inside : {0, 2}) {
        const Block v = test::random_orthonormal(n, inside, 9);
        const Block z = random_block(n, columns, 10);
        const Block q = orthonormal(z, v, z.norm(), kContext);
        const std::string what = std::to_string(n) + " x " + std::to_string(columns);
        ASSERT_EQ(q.cols(), columns) << what;
        expect_basis(q, v, what);
        const Block left = z - v * (v.transpose() * z);
        EXPECT_LE(test::max_abs(left - q * (q.transpose() * left)), 1e-13 * z.norm()) << what;
      }
}

TEST(Tall, NearlyDependentColumnsGiveAnOrthonormalBasisAllTheSame) {
  const Index n = 500;
  const Block v = test::random_orthonormal(n, 3, 11);
  for (const double apart : {1e-3, 1e-5, 1e-6, 1e-9, 1e-12, 1e-15, 0.0}) {
    const Block first = random_block(n, 1, 12), other = random_block(n, 4, 13);
    Block z(n, 5);
    z.col(0) = first;
    for (Index j = 0; j < 4; ++j) z.col(1 + j) = first + apart * other.col(j);
    const Block q = orthonormal(z, v, first.norm(), kContext);
    const std::string what = "apart by " + std::to_string(apart);
    expect_basis(q, v, what);
    // Lengths down to 1e-7 of the longest can be told apart, none below rounding.
    EXPECT_GE(q.cols(), apart >= 1e-5 ? 5 : 1) << what;
    EXPECT_LE(q.cols(), apart <= 1e-12 ? 1 : 5) << what;
    // What is dropped is no longer than the stated share of unit columns, 1e-7.
    const Block left = z - v * (v.transpose() * z);
    EXPECT_LE(test::norm2(left - q * (q.transpose() * left)), 1e-6 * first.norm()) << what;
  }
}

TEST(Tall, ZeroColumnsAndColumnsInsideTheSpanAreDropped) {
  const Index n = 300;
  const Block v = test::random_orthonormal(n, 6, 14), fresh = random_block(n, 2, 15);
  Block z(n, 5);
  z << fresh.col(0), Block::Zero(n, 1), v * random_block(6, 1, 16), fresh.col(1), v.col(2);
  const Block q = orthonormal(z, v, fresh.norm(), kContext);
  ASSERT_EQ(q.cols(), 2);
  expect_basis(q, v, "two of five");
  const Block left = fresh - v * (v.transpose() * fresh);
  EXPECT_LE(test::max_abs(left - q * (q.transpose() * left)), 1e-12);
  EXPECT_EQ(orthonormal(Block::Zero(n, 4), v, 1, kContext).cols(), 0);
  EXPECT_EQ(orthonormal(v * random_block(6, 4, 17), v, 1, kContext).cols(), 0);
}

TEST(Tall, MoreColumnsThanRowsGiveNoMoreThanThereAreDirections) {
  const Block v = test::random_orthonormal(10, 4, 18);
  const Block q = orthonormal(random_block(10, 9, 19), v, 1, kContext);
  EXPECT_EQ(q.cols(), 6);
  expect_basis(q, v, "all of the complement");
}

TEST(Tall, TheScaleOfTheColumnsDoesNotMatter) {
  const Index n = 200;
  const Block v = test::random_orthonormal(n, 3, 20), z = random_block(n, 6, 21);
  Block spread = z;
  for (Index j = 0; j < 6; ++j) spread.col(j) *= std::pow(10.0, 2 * static_cast<double>(j) - 5);
  EXPECT_EQ(orthonormal(spread, v, 1, kContext).cols(), 6);
  for (const double scale : {1e-140, 1e-70, 1e70, 1e140}) {
    const Block q = orthonormal(scale * z, v, scale * z.norm(), kContext);
    ASSERT_EQ(q.cols(), 6) << scale;
    expect_basis(q, v, std::to_string(scale));
    const Block left = z - v * (v.transpose() * z);
    EXPECT_LE(test::max_abs(left - q * (q.transpose() * left)), 1e-12 * z.norm()) << scale;
    // Columns that rounding alone may have made, beside others of the stated scale.
    EXPECT_EQ(orthonormal(1e-14 * scale * z, v, scale * z.norm(), kContext).cols(), 0) << scale;
  }
}

TEST(Tall, NormsNeitherOverflowNorVanish) {
  Block z(3, 5);
  z.col(0) << 3, 4, 0;
  z.col(1) << 3e200, 4e200, 0;
  z.col(2) << 3e-200, 4e-200, 0;
  z.col(3).setZero();
  z.col(4) << 0, -1e-310, 0;
  const Vector norms = column_norms(z);
  EXPECT_DOUBLE_EQ(norms[0], 5);
  EXPECT_DOUBLE_EQ(norms[1], 5e200);
  EXPECT_DOUBLE_EQ(norms[2], 5e-200);
  EXPECT_EQ(norms[3], 0);
  EXPECT_DOUBLE_EQ(norms[4], 1e-310);
  EXPECT_EQ(column_norms(Block(0, 2)), Vector::Zero(2));
}

TEST(Tall, BytesDoNotDependOnTheNumberOfThreads) {
  const Block v = test::random_orthonormal(9001, 10, 22), z = random_block(9001, 7, 23);
  std::vector<Block> inner, bases, turned;
  for (const Index threads : {1, 2, 3, 4, 8}) {
    Context context;
    context.budget.threads = threads;
    inner.push_back(inner_products(v, z, context));
    bases.push_back(orthonormal(z, v, z.norm(), context));
    turned.push_back(v);
    rotate(turned.back(), inner[0].leftCols(7), context);
    EXPECT_TRUE(inner.back() == inner[0]) << threads;
    EXPECT_TRUE(bases.back() == bases[0]) << threads;
    EXPECT_TRUE(turned.back() == turned[0]) << threads;
  }
}

TEST(Tall, StopsWhenTheCallerCancels) {
  Context context;
  context.observer.cancelled = [] { return true; };
  const Block z = random_block(50, 3, 24);
  EXPECT_EQ(test::code_of([&] { inner_products(z, z, context); }), "M001");
  EXPECT_EQ(test::code_of([&] { orthonormal(z, Block(50, 0), 1, context); }), "M001");
}

// Columns that come first stay; later ones lose what they have of them.
TEST(OrthonormaliseInOrder, KeepsTheFirstColumnsAndSaysWhatItDid) {
  for (const Index n : {3, 50, 5000}) {
    const Block exact = test::random_orthonormal(n, 3, 4);
    Block v = exact;
    v.col(2) += 1e-4 * exact.col(0) - 1e-5 * exact.col(1);
    v.col(1) += 1e-9 * exact.col(0);
    const Block before = v;
    const Block c = orthonormalise_in_order(v, {});
    EXPECT_LE(test::max_abs(v - exact), 30 * test::kUnit);
    EXPECT_LE(test::max_abs(before * c - v), 30 * test::kUnit);
    EXPECT_LE(test::max_abs(v.transpose() * v - Block::Identity(3, 3)), 30 * test::kUnit);
    EXPECT_EQ(c(1, 0), 0);
    EXPECT_EQ(c(2, 1), 0);
  }
}

TEST(OrthonormaliseInOrder, TakesColumnsFarFromOrthonormal) {
  Block v = test::random_points({.n = 400, .dim = 6, .seed = 5});
  orthonormalise_in_order(v, {});
  EXPECT_LE(test::max_abs(v.transpose() * v - Block::Identity(6, 6)), 60 * test::kUnit);
}

TEST(OrthonormaliseInOrder, LeavesDependentColumnsAlone) {
  Block v = Block::Zero(10, 2);
  v.col(0).setConstant(1);
  const Block before = v, c = orthonormalise_in_order(v, {});
  EXPECT_TRUE(v == before);
  EXPECT_TRUE(c == Block(Block::Identity(2, 2)));
}

}  // namespace tall_test
}  // namespace mercer
