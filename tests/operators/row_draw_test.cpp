// Tables made so that rows drawn evenly would not show what float tiles do to them: small clusters
// far away, rows of very different lengths, vectors that live on a handful of rows. Whatever the
// sample states must be at least the truth, found from the whole matrix, in every one of them.
#include "mercer/operators/row_draw.h"

#include "mercer/core/random.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "mercer/operators/row_sample.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace mercer {
namespace row_draw_test {

constexpr Index kDim = 12;

/// Rows in groups, and a kernel under which each group is a block of its own.
struct Table {
  Points rows;
  std::vector<Index> group;  // of each row
  Index groups = 1;
  std::string kernel = "gaussian:sigma=1";
  std::string what;
};

Vector direction(const Random& random, Index number) {
  Vector v(kDim);
  for (Index k = 0; k < kDim; ++k)
    v[k] = random.normal(static_cast<std::uint64_t>(100 * number + k + 1'000'000));
  return v / v.norm();
}

/// Puts `count` random rows of the table at this place.
void move_rows(Table& table, const Random& random, Index count, double distance, double spread,
               Index number) {
  const Vector place = distance * direction(random, number);
  const Index n = table.rows.rows(), mine = table.groups++;
  for (Index made = 0, at = 0; made < count; ++at) {
    const auto draw = static_cast<std::uint64_t>(10'000 * number + at);
    const auto i = static_cast<Index>(random.below(static_cast<std::uint64_t>(n), draw));
    if (table.group[static_cast<std::size_t>(i)] != 0) continue;
    table.group[static_cast<std::size_t>(i)] = mine;
    table.rows.row(i) = table.rows.row(i) * spread + place.transpose();
    ++made;
  }
}

Table table_of(std::uint64_t number) {
  const Random random(number, 77);
  const Index n = 300 + static_cast<Index>(number * 97 % 400);
  Table table{test::random_points({.n = n, .dim = kDim, .seed = number}),
              std::vector<Index>(static_cast<std::size_t>(n), 0)};
  switch (number % 9) {
    case 0:
      table.what = "a far cluster of some rows";
      table.rows *= 0.02;
      move_rows(table, random, 8 + static_cast<Index>(number % 20), 20, 0.5, 0);
      break;
    case 1:
      table.what = "clusters at growing distances";
      table.rows *= 0.05;
      for (Index c = 0; c < 6; ++c)
        move_rows(table, random, 10, std::pow(2.0, static_cast<double>(c + 1)), 0.3, c);
      break;
    case 2:
      table.what = "a tiny cluster for every vector";
      table.rows *= 0.02;
      for (Index c = 0; c < 20; ++c) move_rows(table, random, 3, 15, 0.2, c);
      break;
    case 3:
      table.what = "one huge row";
      table.rows *= 0.3;
      move_rows(table, random, 1, 3000, 1, 0);
      break;
    case 4:
      table.what = "rows of very different lengths";
      for (Index i = 0; i < n; ++i)
        table.rows.row(i) *= 0.05 * std::exp(2 * random.normal(static_cast<std::uint64_t>(i)));
      break;
    case 5:
      table.what = "a polynomial with a few large rows";
      table.kernel = "polynomial:degree=3,scale=0.1";
      table.rows *= 0.3;
      move_rows(table, random, 3, 40, 1, 0);
      break;
    case 6:
      table.what = "pairs of rows under a narrow kernel";
      table.rows *= 20;
      table.groups = 0;
      for (Index i = 0; i + 1 < n; i += 2) {
        table.rows.row(i + 1) = table.rows.row(i).array() + 0.05;
        table.group[static_cast<std::size_t>(i)] = table.group[static_cast<std::size_t>(i + 1)] =
            table.groups++;
      }
      break;
    case 7:
      table.what = "a cluster among rows that are alone";
      table.rows *= 0.05;
      for (Index i = 0; i < n; i += 3)
        table.rows.row(i) += 20 * direction(random, 50 + i).transpose();
      move_rows(table, random, 12, 20, 0.1, 0);
      break;
    default:
      table.what = "dot products of a few large rows";
      table.kernel = "linear";
      move_rows(table, random, 5, 500, 1, 0);
      break;
  }
  return table;
}

/// The vectors of some groups, and some that live everywhere; without means where features are
/// centred.
Block vectors_of(const Table& table, Index most, bool center, std::uint64_t seed) {
  const Index n = table.rows.rows();
  Block v = Block::Zero(n, std::min(most, table.groups) + 2);
  for (Index i = 0; i < n; ++i) {
    const Index g = table.group[static_cast<std::size_t>(i)];
    // The last groups: the first one is all that was not moved.
    const Index column = table.groups - 1 - g;
    if (column < v.cols() - 2) v(i, column) = 1;
  }
  v.rightCols(2) = test::random_orthonormal(n, 2, seed);
  if (center) remove_means(v);
  for (Index j = 0; j < v.cols(); ++j)
    if (v.col(j).norm() > 0) v.col(j).normalize();
  return v;
}

struct Truth {
  Block exact, single, images;
  double products;  // |A V - K V|_2 for orthonormal V
  Truth(const GramProblem& problem, const Block& v) {
    Context context;
    context.budget.precision = Precision::double_;
    exact = test::dense(*operator_recipe("blocked_gram").build(problem, context));
    context.budget.precision = Precision::single_;
    const auto a = operator_recipe("blocked_gram").build(problem, context);
    single = test::dense(*a);
    images.resize(v.rows(), v.cols());
    a->apply(v, images, nullptr, context);
    const Block q = test::random_orthonormal(v.rows(), 12, 5);
    Block image(q.rows(), q.cols());
    a->apply(q, image, nullptr, context);
    products = test::norm2(image - exact * q);
  }
};

TEST(RowDraw, NoTableHasALargerErrorThanIsStated) {
  constexpr std::uint64_t kCount = 270;
  Index useful = 0, stated = 0;
  for (std::uint64_t number = 0; number < kCount; ++number) {
    const Table table = table_of(number);
    const bool center = number % 2 == 0;
    const std::string text = table.what + ", " + std::to_string(table.rows.rows()) +
                             " rows, number " + std::to_string(number);
    const GramProblem problem{table.rows, Kernel(table.kernel), center, 1};
    const Block v = vectors_of(table, 1 + static_cast<Index>(number % 6), center, number);
    const Truth truth(problem, v);
    Block images = truth.images, exact = truth.exact * v;
    if (center) remove_means(images);
    if (center) remove_means(exact);
    const Block ones = Block::Ones(v.rows(), center ? 1 : 0);
    const RowSample sample(problem, truth.exact.diagonal(),
                           {v, images, ones, truth.single.rowwise().sum()}, 1e-7, number, {});
    EXPECT_GE(sample.tile_error(), (truth.single - truth.exact).norm()) << text;
    EXPECT_GE(sample.operator_error(), truth.products) << text;
    for (Index j = 0; j < v.cols(); ++j) {
      const double error = (images - exact).col(j).norm();
      EXPECT_GE(sample.product_error()[j], error) << text << ", vector " << j;
      ++stated;
      useful += sample.product_error()[j] <= 10 * error ? 1 : 0;
    }
  }
  EXPECT_GE(3 * useful, stated) << "figures that are never too small and never of use";
}

TEST(RowDraw, MeetsEachRowAsOftenAsItSays) {
  RowSizes sizes{Vector::Ones(1000), Vector::Ones(1000), {}};
  sizes.rounding.tail(10).setConstant(100);
  Block v = Block::Zero(1000, 1);
  v.col(0).head(4).setConstant(0.5);
  Vector met = Vector::Zero(1000), expected = Vector::Zero(1000);
  constexpr int kRuns = 4000;
  for (int seed = 0; seed < kRuns; ++seed) {
    const RowDraw draw(1000, sizes, 64, v, static_cast<std::uint64_t>(seed), 1);
    for (std::size_t i = 0; i < draw.rows().size(); ++i) {
      met[draw.rows()[i]] += draw.times()[static_cast<Index>(i)];
      expected[draw.rows()[i]] = draw.expected()[static_cast<Index>(i)];
    }
  }
  // Sums of kRuns numbers of 0, 1, ...: six deviations.
  for (Index i = 0; i < 1000; ++i)
    EXPECT_NEAR(met[i], kRuns * expected[i], 6 * std::sqrt(kRuns * expected[i]) + 1) << i;
  EXPECT_GT(expected[999], 1) << "rows with much rounding are met often";
  EXPECT_GT(expected[0], 2) << "so are the rows that a vector lives on";
}

TEST(RowDraw, SaysWhichVectorsItCouldNotLookAt) {
  // Sixty vectors of a row each would take more rows than a sample may have.
  const RowSizes sizes{Vector::Ones(3000), Vector::Ones(3000), {}};
  const Block v = Block::Identity(3000, 60);
  const RowDraw draw(3000, sizes, 128, v, 1, 1);
  EXPECT_FALSE(draw.blind(0));
  EXPECT_TRUE(draw.blind(59));
}

}  // namespace row_draw_test
}  // namespace mercer
