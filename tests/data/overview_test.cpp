// The overview says what the figures of all columns say, however many columns there are.
#include "mercer/core/random.h"
#include "mercer/data/dataset.h"
#include "mercer/data/summary.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mercer {
namespace overview_test {

// Columns of every scale, some of them constant, zero in the sparse form or not.
Points mixed(Index n, Index dim) {
  const Random random(3);
  Points x(n, dim);
  for (Index j = 0; j < dim; ++j)
    for (Index i = 0; i < n; ++i)
      x(i, j) = j % 7 == 2   ? 0
                : j % 7 == 4 ? 5
                             : std::ldexp(random.uniform(static_cast<std::uint64_t>(i * dim + j)),
                                          static_cast<int>(j % 20)) +
                                   static_cast<double>(j % 3);
  return x;
}

void expect_same(const Overview& overview, const Summary& summary) {
  double widest = 0, narrowest = HUGE_VAL;
  std::vector<Index> constant;
  for (Index j = 0; j < summary.deviation.size(); ++j) {
    if (summary.deviation[j] == 0) {
      if (constant.size() < 4) constant.push_back(j);
      continue;
    }
    widest = std::max(widest, summary.deviation[j]);
    narrowest = std::min(narrowest, summary.deviation[j]);
  }
  EXPECT_EQ(overview.constant_columns, summary.constant_columns);
  EXPECT_EQ(overview.first_constant, constant);
  EXPECT_EQ(overview.all_rows_equal, summary.all_rows_equal);
  EXPECT_EQ(overview.widest, widest);
  EXPECT_EQ(overview.narrowest, narrowest);
}

TEST(Overview, EqualsTheFiguresOfAllColumns) {
  for (const Index dim :
       {Index{1}, Index{3}, Index{100}, Index{8192}, Index{8193}, Index{20'000}}) {
    const Points x = mixed(5, dim);
    expect_same(look_over(x, {}), summarize(x, {}));
    const Dataset sparse = test::sparse_rows(x);
    expect_same(look_over(sparse, {}), summarize(sparse, {}));
    const Eigen::MatrixXf by_columns = x.cast<float>();
    expect_same(look_over(by_columns, {}), summarize(by_columns, {}));
  }
}

TEST(Overview, SeesRowsThatAreAllEqual) {
  EXPECT_TRUE(look_over(Points(Points::Constant(4, 9000, 3.0)), {}).all_rows_equal);
  EXPECT_TRUE(look_over(test::sparse_rows(Points::Zero(4, 70)), {}).all_rows_equal);
  Points almost = Points::Constant(4, 9000, 3.0);
  almost(2, 8999) = 4;
  EXPECT_FALSE(look_over(almost, {}).all_rows_equal);
  EXPECT_FALSE(look_over(test::sparse_rows(almost), {}).all_rows_equal);
}

TEST(Overview, NamesTheColumnOfAValueThatIsNotFinite) {
  Points x = mixed(3, 9000);
  x(1, 8500) = std::nan("");
  for (const bool sparse : {false, true}) {
    const Dataset rows = sparse ? test::sparse_rows(x) : Dataset(x);
    try {
      look_over(rows, {});
      ADD_FAILURE() << "looked at without an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.place(), "row 2, column 8501");
    }
  }
}

TEST(Overview, TakesNoMemoryForEachColumnThatAFewBytesClaim) {
  Context context;
  context.budget.memory = 4 << 20;
  SparseRows rows;
  rows.columns = {9'999'999, 0, 1};
  rows.values = {1, 2, 3};
  rows.starts = {0, 1, 3};
  const Dataset data(std::move(rows), 10'000'000);
  const Overview overview = look_over(data, context);
  EXPECT_EQ(overview.constant_columns, 9'999'997);
  EXPECT_EQ(overview.first_constant, (std::vector<Index>{2, 3, 4, 5}));
  EXPECT_THROW(summarize(data, context), Error);
}

}  // namespace overview_test
}  // namespace mercer
