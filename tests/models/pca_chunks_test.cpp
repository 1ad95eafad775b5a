// PCA of rows that come in chunks, of sparse rows and of narrow types: the answers are those of the
// same rows as doubles in memory, to the last byte where the sums are the same.
#include "mercer/data/row_moments.h"
#include "mercer/data/row_panels.h"
#include "mercer/data/row_source.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer {
namespace pca_chunks_test {

/// Rows in chunks of so many; counts the walks, and may claim more rows than it has.
class Chunks final : public RowSource {
 public:
  Chunks(Points rows, Index step, Index claimed = 0)
      : rows_(std::move(rows)), step_(step), claimed_(claimed) {}
  Index n() const override { return claimed_ > 0 ? claimed_ : rows_.rows(); }
  Index dim() const override { return rows_.cols(); }
  void each_chunk(const Take& take) const override {
    ++walks;
    for (Index begin = 0; begin < rows_.rows(); begin += step_) {
      // A copy that is gone afterwards, as the buffer of a file is.
      const Points chunk = rows_.middleRows(begin, std::min(step_, rows_.rows() - begin));
      take(DataView(chunk).numbered_from(begin));
    }
  }
  mutable int walks = 0;

 private:
  Points rows_;
  Index step_, claimed_;
};

Points sample(Index n, Index dim, std::uint64_t seed) {
  const Vector scale = Vector::LinSpaced(dim, 3, 1);
  const Points x = test::random_points({.n = n, .dim = dim, .seed = seed}) * scale.asDiagonal() *
                   test::random_orthonormal(dim, dim, seed + 1);
  return x.rowwise() + Eigen::RowVectorXd::LinSpaced(dim, -3, 5);
}

Vector variances(const Pca& model) {
  return model.report.spectrum->eigenvalues / static_cast<double>(model.report.n);
}

Context with_operator(const char* name) {
  Context context;
  context.budget.operator_name = name;
  return context;
}

void expect_same_bytes(const Pca& a, const Pca& b) {
  EXPECT_EQ(a.axes(), b.axes());
  EXPECT_EQ(a.mean(), b.mean());
  EXPECT_EQ(a.report.spectrum->eigenvalues, b.report.spectrum->eigenvalues);
  EXPECT_EQ(a.report.spectrum->certificate.residuals, b.report.spectrum->certificate.residuals);
  EXPECT_EQ(a.input.fingerprint, b.input.fingerprint);
}

TEST(PcaChunks, AnyChunksGiveTheBytesOfTheTableInMemory) {
  const Index n = 2 * panel_rows(7) + 333;  // three panels
  const Points x = sample(n, 7, 1);
  const Pca whole = Pca::fit(x, {.components = 4});
  for (const Index step : {Index{1000}, Index{97}, panel_rows(7), n}) {
    const Chunks chunks(x, step);
    expect_same_bytes(Pca::fit(chunks, {.components = 4}), whole);
    EXPECT_EQ(chunks.walks, 2);
  }
  const Chunks single(x.topRows(50), 1);
  expect_same_bytes(Pca::fit(single, {.components = 4}),
                    Pca::fit(Points(x.topRows(50)), {.components = 4}));
}

TEST(PcaChunks, ThreadsChangeNoByte) {
  for (const Index dim : {5, 300}) {  // sums of groups of rows; tiles of the matrix
    const Chunks chunks(sample(3000, dim, 2), 1234);
    Context one, three;
    one.budget.threads = 1;
    three.budget.threads = 3;
    for (const char* name : {"covariance", "streamed_covariance"}) {
      one.budget.operator_name = three.budget.operator_name = name;
      expect_same_bytes(Pca::fit(chunks, {.components = 3}, one),
                        Pca::fit(chunks, {.components = 3}, three));
    }
  }
}

TEST(PcaChunks, AWalkForEachProductFindsTheSameComponents) {
  const Chunks chunks(sample(2000, 30, 3), 700);
  const Pca stored = Pca::fit(chunks, {.components = 5}, with_operator("covariance"));
  chunks.walks = 0;
  const Pca walked = Pca::fit(chunks, {.components = 5}, with_operator("streamed_covariance"));
  EXPECT_TRUE(walked.report.converged);
  // A residual of 1e-6 mu_1 is an error of eigenvalues of no more than that.
  EXPECT_LE(test::max_abs(variances(walked) - variances(stored)), 1e-6 * variances(stored)[0]);
  EXPECT_GE(chunks.walks, 3);
}

// A walk with offsets far larger than the spread, and rows sorted by a trend: moments by one
// shift alone would lose digits.
TEST(PcaChunks, OffsetsAndTrendsCostNoDigits) {
  const Index n = 3 * panel_rows(3);
  const Points x = test::coarse_points({.n = n, .dim = 3, .seed = 4});
  const Pca near = Pca::fit(Chunks(x, 5000), {.components = 3});
  const Pca far = Pca::fit(Chunks(Points(x.array() + 1e8), 5000), {.components = 3});
  // Rows are exact, their mean is rounded to 1e-8 once and corrected.
  EXPECT_LE(test::max_abs(variances(near) - variances(far)), 1e-12);

  Points trend = x;
  for (Index i = 0; i < n; ++i) trend(i, 1) += static_cast<double>(i);
  const RowMoments moments = moments_of(Chunks(trend, 777), {}, {});
  for (Index j = 0; j < 3; ++j) {
    long double mean = 0, squares = 0;
    for (Index i = 0; i < n; ++i) mean += trend(i, j);
    mean /= n;
    for (Index i = 0; i < n; ++i) squares += (trend(i, j) - mean) * (trend(i, j) - mean);
    const double known = static_cast<double>(squares) * moments.scale * moments.scale;
    EXPECT_NEAR(moments.scatter(j, j), known, 1e-13 * known);
    EXPECT_NEAR((moments.mean[j] + moments.rest[j]) / moments.scale, static_cast<double>(mean),
                1e-14 * static_cast<double>(n));
  }
}

TEST(PcaChunks, WorksAtBothEndsOfTheRange) {
  const Points x = sample(500, 4, 5);
  const Vector known = variances(Pca::fit(Chunks(x, 100), {.components = 4}));
  for (const double scale : {1e-100, 1e100}) {
    const Pca model = Pca::fit(Chunks(Points(x * scale), 100), {.components = 4});
    EXPECT_LE(test::max_abs(variances(model) / scale / scale - known), 1e-12 * known[0]);
  }
}

TEST(PcaChunks, NumbersFarBeyondTheFirstOnesBeginTheWalkAgain) {
  const Index n = panel_rows(4) + 100;
  Points x = sample(n, 4, 6);
  x.bottomRows(50) *= 1e60;
  const Chunks chunks(x, 1000);
  const Pca model = Pca::fit(chunks, {.components = 1});
  EXPECT_EQ(chunks.walks, 3);
  const Points centred = test::centred_rows(Points(x * 1e-60));
  const double known = test::singular_values(centred)[0] * test::singular_values(centred)[0] /
                       static_cast<double>(n);
  EXPECT_NEAR(variances(model)[0] * 1e-120, known, 1e-12 * known);
}

TEST(PcaChunks, ScalingIsThatOfTheTableInMemory) {
  Points x = sample(700, 5, 7);
  x.col(2).setConstant(4);
  x.col(3) *= 1e6;
  for (const Scaling scale : {Scaling::standard, Scaling::range}) {
    const PcaOptions options{.components = 3, .scale = scale};
    const Pca whole = Pca::fit(x, options), chunked = Pca::fit(Chunks(x, 64), options);
    EXPECT_LE(test::max_abs(variances(whole) - variances(chunked)), 1e-12 * variances(whole)[0]);
    EXPECT_LE(test::max_abs(whole.axes() - chunked.axes()), 1e-9);
    EXPECT_LE(test::max_abs(whole.transform(x) - chunked.transform(x)), 1e-8);
    EXPECT_EQ(chunked.scaler.kind(), whole.scaler.kind());
    EXPECT_EQ(chunked.remark().empty(), scale != Scaling::standard);
  }
  const Pca correlations = Pca::fit(x, {.components = 3, .scale = Scaling::standard});
  // Four columns vary, each by 1.
  EXPECT_NEAR(correlations.report.figures[0].value.as_number(), 4, 1e-12);
}

TEST(PcaChunks, WhitensLikeTheTableInMemory) {
  const Points x = sample(900, 6, 8);
  for (const Whitening whiten : {Whitening::pca, Whitening::zca}) {
    const PcaOptions options{.components = 4, .whiten = whiten};
    const Pca whole = Pca::fit(x, options), chunked = Pca::fit(Chunks(x, 200), options);
    expect_same_bytes(whole, chunked);
    EXPECT_EQ(whole.transform(x), chunked.transform(x));
    EXPECT_EQ(whole.extrapolated(whole.transform(x) * 3),
              chunked.extrapolated(whole.transform(x) * 3));
  }
}

TEST(PcaChunks, TheErrorOfEachNumberOfComponentsIsWhatReconstructionLeaves) {
  const Points x = sample(300, 6, 9);
  for (const Index k : {2, 6}) {
    const Pca model = Pca::fit(x, {.components = k});
    ASSERT_EQ(model.report.figures[1].name, "reconstruction_error");
    const auto& list = model.report.figures[1].value.as_list();
    ASSERT_EQ(static_cast<Index>(list.size()), k);
    for (Index used = 1; used <= k; ++used) {
      const Pca fewer = Pca::fit(x, {.components = used});
      const double left = (fewer.reconstruct(x) - x).squaredNorm() / 300;
      EXPECT_NEAR(list[static_cast<std::size_t>(used - 1)].as_number(), left, 1e-12 * 60);
    }
  }
}

TEST(PcaChunks, SparseRowsGiveTheAnswerOfDenseOnes) {
  Points x = test::random_points({.n = 400, .dim = 50, .seed = 10});
  x = (x.array() > 0.8).select(x, 0.0);
  const Dataset sparse = test::sparse_rows(x);
  for (const bool center : {true, false}) {
    const PcaOptions options{.components = 4, .tolerance = 1e-9, .center = center};
    const Pca dense = Pca::fit(x, options);
    for (const char* name : {"covariance", "streamed_covariance", "linear_gram"}) {
      const Pca model = Pca::fit(sparse, options, with_operator(name));
      EXPECT_LE(test::max_abs(variances(model) - variances(dense)), 1e-9 * variances(dense)[0]);
      EXPECT_LE(test::max_abs(model.mean() - dense.mean()), 1e-14);
      // Scores of sparse rows are those of the rows written out.
      EXPECT_LE(test::max_abs(model.transform(sparse) - model.transform(x)), 1e-13);
    }
  }
}

// Written out the table would take 320 MB.
TEST(PcaChunks, WideSparseRowsStaySparse) {
  SparseRows rows;
  const Points values = test::random_points({.n = 400, .dim = 20, .seed = 11});
  for (Index i = 0; i < 400; ++i) {
    for (Index j = 0; j < 20; ++j) {
      rows.columns.push_back(static_cast<std::int32_t>(5000 * j + (i * 37 + j) % 100));
      rows.values.push_back(values(i, j) + 3);
    }
    rows.starts.push_back(static_cast<Index>(rows.columns.size()));
  }
  const Dataset table(std::move(rows), 100'000);
  Context context;
  context.budget.memory = std::uint64_t{150} << 20;
  context.account = MemoryAccount(context.budget.memory);
  const Pca model = Pca::fit(table, {.components = 3}, context);
  EXPECT_EQ(model.report.plan.operator_name, "linear_gram");
  EXPECT_TRUE(model.report.converged);
  // The scores carry the variance that is stated.
  const Block scores = model.transform(table, context);
  EXPECT_LE(test::max_abs(scores.colwise().squaredNorm().transpose() / 400 - variances(model)),
            1e-9 * variances(model)[0]);
  EXPECT_LE(test::max_abs(scores.colwise().mean()), 1e-12);
}

TEST(PcaChunks, NarrowTypesAreTheirNumbersAsDoubles) {
  const Points x = (sample(600, 9, 12).array() * 10 + 100).round();
  const Eigen::Matrix<float, -1, -1, Eigen::RowMajor> floats = x.cast<float>();
  const Eigen::Matrix<unsigned char, -1, -1, Eigen::RowMajor> small =
      x.cwiseMax(0).cwiseMin(255).cast<unsigned char>();
  const Points clipped = small.cast<double>();
  expect_same_bytes(Pca::fit(floats, {.components = 3}), Pca::fit(x, {.components = 3}));
  expect_same_bytes(Pca::fit(small, {.components = 3}), Pca::fit(clipped, {.components = 3}));
}

TEST(PcaChunks, RefusesWhatIsNoTable) {
  const auto code = [](Points x, Index step, PcaOptions options = {}) {
    return test::code_of([&] { Pca::fit(Chunks(std::move(x), step), options); });
  };
  EXPECT_EQ(code(sample(1, 3, 1), 1), "M230");
  EXPECT_EQ(code(Points::Constant(20, 3, 7.5), 6), "M231");
  EXPECT_EQ(code(sample(20, 3, 1), 6, {.scale = Scaling::whiten}), "M102");
  EXPECT_EQ(code(sample(20, 3, 1), 6, {.components = 4}), "M233");
  EXPECT_EQ(code(sample(20, 3, 1) * 1e170, 6), "M221");
  EXPECT_EQ(test::code_of([] { KernelPca::fit(Chunks(sample(20, 3, 1), 6)); }), "M102");
  EXPECT_EQ(test::code_of([] { Pca::fit(Chunks(sample(20, 3, 1), 6, 25)); }), "M405");
  EXPECT_EQ(test::code_of([] { Pca::fit(Chunks(sample(20, 3, 1), 6, 15)); }), "M405");
}

TEST(PcaChunks, ANumberThatIsMissingIsNamedByItsPlaceInTheTable) {
  Points x = sample(200, 3, 13);
  x(151, 2) = std::numeric_limits<double>::quiet_NaN();
  try {
    Pca::fit(Chunks(x, 60));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::missing_values);
    EXPECT_EQ(error.place(), "row 152, column 3");
  }
}

TEST(PcaChunks, FewRowsAndColumnsAreATableToo) {
  const Points wide = sample(5, 5, 14).leftCols(5);
  for (const Points& x :
       {Points(sample(40, 3, 14).col(0)), Points(wide.topRows(3)), Points(wide.topRows(2))}) {
    const Index most = std::min(x.rows() - 1, x.cols());
    const Pca whole = Pca::fit(x, {.components = Components::all()});
    const Pca chunked = Pca::fit(Chunks(x, 2), {.components = Components::all()});
    ASSERT_EQ(chunked.report.spectrum->eigenvalues.size(), most);
    EXPECT_LE(test::max_abs(variances(whole) - variances(chunked)), 1e-13 * variances(whole)[0]);
  }
}

TEST(PcaChunks, StopsWhenAsked) {
  const Chunks chunks(sample(20000, 5, 15), 100);
  Context context;
  int asked = 0;
  context.observer.cancelled = [&] { return ++asked > 10; };
  context.budget.threads = 1;
  EXPECT_EQ(test::code_of([&] { Pca::fit(chunks, {}, context); }), "M001");
}

}  // namespace pca_chunks_test
}  // namespace mercer
