// Models of sparse rows are those of the same rows written out: fit, new rows of either storage,
// and what is saved. Sparse rows are not moved to their mean, so distances are rounded relative to
// the norms, not to the spread: the data here lie about the origin.
#include "mercer/data/sparse.h"
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/fitted.h"
#include "tests/support/random_points.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

namespace mercer {
namespace sparse_model_test {

using test::kRatio;
using test::kUnit;

Points mostly_zeros(Index n, Index dim, std::uint64_t seed) {
  const Points x = test::random_points({.n = n, .dim = dim, .seed = seed}).cwiseAbs();
  const Points choice = test::random_points({.n = n, .dim = dim, .seed = seed + 1000});
  return (choice.array() < 0.6).select(0.0, x);
}

std::vector<std::string> all_specs() {
  std::vector<std::string> specs = {"gaussian:sigma=1+0.5*cosine", "laplacian+linear",
                                    "matern:nu=2.5", "exponential:length=0.3"};
  for (const FamilyInfo& family : kernel_families()) specs.push_back(family.name);
  return specs;
}

class SparseModel : public testing::TestWithParam<std::string> {
 protected:
  Points x = mostly_zeros(60, 8, 1), fresh = mostly_zeros(11, 8, 2);
  Dataset sparse = test::sparse_rows(x), sparse_fresh = test::sparse_rows(fresh);
};
INSTANTIATE_TEST_SUITE_P(Catalogue, SparseModel, testing::ValuesIn(all_specs()));

TEST_P(SparseModel, IsThatOfTheRowsWrittenOut) {
  const KernelPcaOptions options{.kernel = GetParam(), .components = 4};
  const KernelPca dense = KernelPca::fit(x, options), ours = KernelPca::fit(sparse, options);
  const Vector& mu = dense.report.spectrum->eigenvalues;
  const double size = test::max_abs(test::dense_kernel(dense.kernel(), x));
  const double rounding = kRatio * 60 * kUnit * (size + mu[0]);
  EXPECT_LE(test::max_abs(ours.report.spectrum->eigenvalues - mu), rounding);
  EXPECT_NEAR(ours.report.spectrum->trace, dense.report.spectrum->trace, 60 * rounding);
  const double gap = std::min(mu[3], (mu.head(3) - mu.tail(3)).minCoeff());
  const double loss = rounding / gap * std::sqrt(mu[0]);
  const auto near = [&](const Block& a, const Block& b, double slack) {
    return test::difference_up_to_sign(a.leftCols(3), b.leftCols(3)) <= slack * loss;
  };
  EXPECT_TRUE(near(ours.scores(), dense.scores(), 1));
  const Block expected = dense.transform(fresh, {});
  EXPECT_TRUE(near(ours.transform(sparse_fresh, {}), expected, 10));
  EXPECT_TRUE(near(ours.transform(fresh, {}), expected, 10));
  EXPECT_TRUE(near(dense.transform(sparse_fresh, {}), expected, 10));
  // New rows are the same in either storage, to the last bit.
  EXPECT_TRUE(ours.transform(sparse_fresh, {}) == ours.transform(fresh, {}));
  EXPECT_TRUE(dense.transform(sparse_fresh, {}) == expected);
  EXPECT_TRUE(near(ours.transform(sparse, {}), ours.scores(), 10));
}

TEST_P(SparseModel, SurvivesItsStateWithItsRowsSparse) {
  const auto model = test::fitted<KernelPca>(sparse, {.kernel = GetParam(), .components = 3}, {});
  const State state = model->state();
  EXPECT_NE(state.find("points.starts"), nullptr);
  EXPECT_EQ(state.find("points"), nullptr);
  const auto any = model_from(state);
  const auto& loaded = need<Transforms>(*any);
  EXPECT_TRUE(loaded.transform(sparse_fresh, {}) == model->transform(sparse_fresh, {}));
  EXPECT_TRUE(loaded.transform(fresh, {}) == model->transform(fresh, {}));
}

TEST_P(SparseModel, InSinglePrecisionIsTheDoubleOneToSixDigits) {
  Context single;
  single.budget.precision = Precision::single_;
  const KernelPcaOptions options{.kernel = GetParam(), .components = 2};
  const KernelPca rough = KernelPca::fit(sparse, options, single);
  const KernelPca fine = KernelPca::fit(sparse, options);
  const double size = test::max_abs(test::dense_kernel(fine.kernel(), x));
  EXPECT_LE(test::max_abs(rough.report.spectrum->eigenvalues - fine.report.spectrum->eigenvalues),
            60 * test::kUnitSingle * (size + fine.report.spectrum->eigenvalues[0]));
  EXPECT_TRUE(rough.transform(sparse_fresh, single).allFinite());
}

TEST(SparseModelEdges, RowsWithoutAnyValueHaveNoDirection) {
  Points x = mostly_zeros(30, 6, 3);
  x.row(4).setZero();
  x.row(9).setZero();
  const KernelPca model =
      KernelPca::fit(test::sparse_rows(x), {.kernel = "cosine", .components = 3});
  EXPECT_TRUE(test::has_warning(model.report.warnings, WarningCode::zero_rows));
  EXPECT_LE(test::max_abs(model.scores().row(4) - model.scores().row(9)), kRatio * 30 * kUnit);
  const KernelPca dense = KernelPca::fit(x, {.kernel = "cosine", .components = 3});
  EXPECT_TRUE(test::has_warning(dense.report.warnings, WarningCode::zero_rows));
  EXPECT_LE(test::difference_up_to_sign(model.scores(), dense.scores()), kRatio * 30 * kUnit * 10);
}

TEST(SparseModelEdges, NegativeValuesAreRefusedByChiSquaredKernels) {
  Points x = mostly_zeros(20, 5, 4);
  x(7, 2) = -0.5;
  for (const char* spec : {"chi_squared", "additive_chi_squared", "chi_squared_similarity"}) {
    try {
      KernelPca::fit(test::sparse_rows(x), {.kernel = spec});
      FAIL() << spec;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::negative_values) << spec;
      EXPECT_EQ(error.place(), "row 8, column 3") << spec;
    }
  }
}

TEST(SparseModelEdges, ManyColumnsOfWhichFewAreUsed) {
  // A million columns, five values in each row: nothing dense may be made of it.
  SparseRows rows;
  const Random random(5);
  for (Index i = 0; i < 80; ++i) {
    std::vector<std::int32_t> columns;
    for (std::uint64_t k = 0; k < 5; ++k)
      columns.push_back(static_cast<std::int32_t>(
          random.below(40, static_cast<std::uint64_t>(i) * 5 + k) * 25000));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::int32_t column : columns) {
      rows.columns.push_back(column);
      rows.values.push_back(1 + 0.01 * static_cast<double>(i));
    }
    rows.starts.push_back(static_cast<Index>(rows.values.size()));
  }
  Points packed = Points::Zero(80, 40);
  for (Index i = 0; i < 80; ++i)
    for (Index k = rows.starts[static_cast<std::size_t>(i)];
         k < rows.starts[static_cast<std::size_t>(i + 1)]; ++k)
      packed(i, rows.columns[static_cast<std::size_t>(k)] / 25000) =
          rows.values[static_cast<std::size_t>(k)];
  const Dataset wide(rows, 1'000'000);
  Context context;
  context.budget.memory = 64 << 20;  // the rows written out would take 640 MB
  for (const char* spec : {"gaussian:sigma=2", "linear", "cosine", "polynomial:degree=2"}) {
    const KernelPca ours = KernelPca::fit(wide, {.kernel = spec, .components = 3}, context);
    const KernelPca dense = KernelPca::fit(packed, {.kernel = spec, .components = 3});
    const double mu = dense.report.spectrum->eigenvalues[0];
    EXPECT_LE(test::max_abs(ours.report.spectrum->eigenvalues - dense.report.spectrum->eigenvalues),
              kRatio * 80 * kUnit * (mu + test::max_abs(test::dense_kernel(spec, packed))))
        << spec;
    EXPECT_LE(test::max_abs(ours.transform(wide, {}) - ours.scores()), 1e-10 * mu) << spec;
  }
}

}  // namespace sparse_model_test
}  // namespace mercer
