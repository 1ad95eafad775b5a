// Oracle: the kernel matrix by the scalar formula, times the vector.
#include "mercer/operators/near_leaves.h"
#include "tests/support/expansion_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

namespace mercer {
namespace near_field_test {

using test::Expanded;
using test::table;
constexpr double kRounding = test::kSumRounding;

const OperatorRecipe& recipe() { return operator_recipe("near_field"); }

std::string kernel_of(int family, double width) {
  const std::string number = std::to_string(width);
  switch (family) {
    case 0:
      return "gaussian:sigma=" + number;
    case 1:
      return "exponential:length=" + number;
    case 2:
      return "matern:nu=1.5,length=" + number;
    default:
      return "matern:nu=2.5,length=" + number;
  }
}

/// Calls f(made, operator, kernel matrix) for one in `every` random cases, whether it pays or not.
template <class F>
Index for_all(Index every, F&& f) {
  const double widths[] = {0.002, 0.01, 0.05, 0.3};
  const double errors[] = {1e-3, 1e-6, 1e-9, 1e-12};
  Index served = 0, number = 0;
  std::uint64_t seed = 100;
  for (Index dim = 1; dim <= 10; ++dim)
    for (int family = 0; family < 4; ++family)
      for (const double width : widths)
        for (int layout = 0; layout < test::kLayouts; ++layout) {
          if (++seed % 2 == 0 || number++ % every != 0) continue;
          const double eps = errors[seed / 2 % 4];
          const Index n = 260 + static_cast<Index>(seed % 3) * 70;
          const Expanded made(table({n, dim, layout}, seed), kernel_of(family, width), eps);
          SCOPED_TRACE(testing::Message() << "dim " << dim << ' ' << made.problem.kernel.spec()
                                          << " layout " << layout << " eps " << eps);
          f(made, *recipe().build(made.problem, made.context),
            test::dense_kernel(made.problem.kernel, made.x));
          ++served;
        }
  return served;
}

// Where rows are 1e6 apart a frame that brings them into [-1, 1] leaves distances fewer digits.
double rounding(const Expanded& made) {
  return kRounding + entry_error(made.problem.kernel, *made.problem.facts.frame, made.x.cols(),
                                 Precision::double_) *
                         100;
}

TEST(NearField, IsWithinItsBoundInEveryCase) {
  std::vector<double> ratios;
  Index left_out = 0;
  const Index served =
      for_all(1, [&](const Expanded& made, const SymmetricOperator& a, const Block& k) {
        const Index n = a.size();
        const double eps = made.problem.facts.geometry->allowed;
        EXPECT_LE(a.error(), static_cast<double>(n) * eps);
        Block u = test::random_points({.n = n, .dim = 2, .seed = 5});
        u.col(1) = u.col(1).cwiseAbs();
        Block v(n, 2);
        v.setConstant(1e300);
        a.apply(u, v, nullptr, made.context);
        const double entry = a.error() > 0 ? eps : 0;
        for (Index j = 0; j < 2; ++j) {
          const double weight = u.col(j).cwiseAbs().sum();
          const double error = test::max_abs(v.col(j) - k * u.col(j));
          EXPECT_LE(error, (entry + rounding(made)) * weight);
          if (j == 0 || entry == 0) continue;
          ++left_out;
          const double norm = (v.col(j) - k * u.col(j)).norm();
          EXPECT_LE(norm, a.error() * u.col(j).norm() +
                              rounding(made) * weight * std::sqrt(static_cast<double>(n)));
          if (error > rounding(made) * weight)
            ratios.push_back(std::log(a.error() * u.col(j).norm() / norm));
        }
      });
  EXPECT_GE(served, 250);
  EXPECT_GE(left_out, 50);
  RecordProperty("cases", std::to_string(served));
  RecordProperty("with_pairs_left_out", std::to_string(left_out));
  ASSERT_FALSE(ratios.empty());
  const double slack = std::exp(std::accumulate(ratios.begin(), ratios.end(), 0.0) /
                                static_cast<double>(ratios.size()));
  RecordProperty("mean_bound_over_error", std::to_string(slack));
  EXPECT_LE(slack, 100);
}

TEST(NearField, APassGivesRowSumsAndTheNormOfItsOwnMatrix) {
  for_all(8, [&](const Expanded& made, const SymmetricOperator& a, const Block&) {
    const auto n = static_cast<double>(a.size());
    const Block matrix = test::dense(a);
    PassSums sums;
    Block v(a.size(), 1);
    a.apply(Block::Ones(a.size(), 1), v, &sums, made.context);
    EXPECT_LE(test::max_abs(v.col(0) - sums.row_sums), n * kRounding);
    EXPECT_LE(test::max_abs(sums.row_sums - matrix.rowwise().sum()), n * kRounding);
    EXPECT_EQ(sums.trace, n);
    EXPECT_NEAR(sums.frobenius_squared, matrix.squaredNorm(), n * kRounding * matrix.squaredNorm());
    EXPECT_TRUE(a.diagonal(made.context) == Vector::Ones(a.size()));
  });
}

TEST(NearField, FormAndColumnsAreItsProductsExactlySymmetric) {
  for (int family = 0; family < 4; ++family) {
    const Expanded made(table({700, 2, 0}, 3), kernel_of(family, 0.02), 1e-3);
    const auto a = recipe().build(made.problem, made.context);
    ASSERT_GT(a->error(), 0);
    const Block products = test::dense(*a);
    EXPECT_TRUE(products == products.transpose());
    Block formed(700, 700), some(700, 3);
    a->form(formed, made.context);
    EXPECT_TRUE(formed == products);
    const Index which[] = {640, 0, 77};
    ASSERT_TRUE(a->columns(which, some, made.context));
    for (Index j = 0; j < 3; ++j) EXPECT_TRUE(some.col(j) == formed.col(which[j]));
  }
}

TEST(NearField, ItsNumbersDoNotDependOnTheNumberOfThreads) {
  Expanded made(table({20000, 2, 0}, 4), kernel_of(0, 0.01), 1e-6);
  test::expect_same_bytes_with_any_threads(recipe(), made, 2);
}

TEST(NearField, StopsWhenTheCallerCancels) {
  Expanded made(table({300, 2, 0}, 4), kernel_of(0, 0.01), 1e-6);
  test::expect_stops_when_cancelled(recipe(), made);
}

TEST(NearField, RefusesInPlainWords) {
  const auto reason = [](const Expanded& made) { return test::refusal(recipe(), made); };
  const Points x = table({3000, 2, 0}, 6);
  EXPECT_EQ(reason(Expanded(x, "rational_quadratic:length=1", 1e-6)),
            "the kernel does not fall off");
  EXPECT_NE(reason(Expanded(x, kernel_of(0, 0.5), 1e-6)).find("100 % of the pairs"),
            std::string::npos);
  EXPECT_EQ(reason(Expanded(x, kernel_of(0, 0.01), 1e-6)), "serves");
  Expanded bare(x, kernel_of(0, 0.01), 1e-6);
  bare.problem.facts.geometry = nullptr;
  EXPECT_EQ(reason(bare), "too few rows, or too many columns");
}

TEST(NearShape, FindsTheCutoffOfEveryFamily) {
  const Points x = table({500, 2, 0}, 6);
  const double zero[] = {0};
  for (int family = 0; family < 4; ++family)
    for (const double eps : {1e-3, 1e-9}) {
      const Kernel kernel(kernel_of(family, 0.2));
      const NearShape shape = near_shape(x, kernel, 1, 500, eps);
      const double at[] = {shape.cutoff}, before[] = {shape.cutoff * 0.999};
      EXPECT_LE(kernel(zero, at), eps * (1 + 1e-9));
      EXPECT_GT(kernel(zero, before), eps);
    }
}

TEST(NearShape, ItsShareIsAboutThatOfTheTiles) {
  for (const double sigma : {0.004, 0.01, 0.03}) {
    const Points x = table({50000, 2, 0}, 6);
    const Context context;
    const NearLeaves tree(x, context);
    const Points sample = x.topRows(1000);
    const NearShape shape = near_shape(sample, Kernel(kernel_of(0, sigma)), 1, 50000, 1e-6);
    double near = 0;
    for (Index a = 0; a < tree.leaves(); ++a)
      for (Index b = 0; b < tree.leaves(); ++b) near += tree.near(a, b, shape.cutoff) ? 1 : 0;
    const double share = near / static_cast<double>(tree.leaves() * tree.leaves());
    EXPECT_LE(shape.share, 1.6 * share) << sigma;
    EXPECT_GE(shape.share, share / 1.6) << sigma;
  }
}

TEST(NearLeaves, HoldEveryRowOnceAndEveryNearPairOnce) {
  const Points x = table({9001, 3, 2}, 8);
  const Context context;
  const NearLeaves tree(x, context);
  std::vector<Index> order = tree.order();
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 9001; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  Index leaves = 0;
  for (const Range block : tree.blocks()) {
    EXPECT_EQ(block.begin, leaves);
    leaves = block.end;
  }
  EXPECT_EQ(leaves, tree.leaves());
  std::set<std::pair<Index, Index>> pairs;
  for (const auto& round : tree.rounds(0.3)) {
    std::set<Index> used;
    for (const TilePair pair : round) {
      EXPECT_TRUE(pairs.insert({pair.first, pair.second}).second);
      EXPECT_TRUE(used.insert(pair.first).second);
      if (pair.first != pair.second) {
        EXPECT_TRUE(used.insert(pair.second).second);
      }
    }
  }
  // Rows closer than the cutoff are in leaves that are near, and in a pair of blocks.
  const auto block_of = [&](Index leaf) {
    Index number = 0;
    while (tree.blocks()[static_cast<std::size_t>(number)].end <= leaf) ++number;
    return number;
  };
  for (Index i = 0; i < 9001; i += 97)
    for (Index j = i; j < 9001; j += 89) {
      const Index a = i / kLeafRows, b = j / kLeafRows;
      const double apart = (x.row(tree.order()[static_cast<std::size_t>(i)]) -
                            x.row(tree.order()[static_cast<std::size_t>(j)]))
                               .norm();
      if (apart > 0.3) continue;
      EXPECT_TRUE(tree.near(a, b, 0.3));
      EXPECT_EQ(pairs.count({block_of(a), block_of(b)}), 1u);
    }
}

}  // namespace near_field_test
}  // namespace mercer
