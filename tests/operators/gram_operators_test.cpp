// blocked_gram and dense_gram against the kernel matrix written out by the scalar formula.
//
// An entry is off by e_ij of entry_bound.h. A product adds what skinny_test.cpp derives: x rounded
// to T, sums in T over at most min(tile, 512) terms, the parts joined in double:
//   |y - K v|_i <= sum_j (e_ij + (m + 2) u |K_ij|) |v_j| + (parts + 2) 2^-53 sum_j |K_ij||v_j|
// with u of T and m = min(tile, n, 512), up to terms of order u^2 (the factor 1.01).
#include "mercer/data/dataset.h"
#include "mercer/kernels/frame.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/entry_bound.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <vector>

namespace mercer {
namespace gram_operators_test {

using test::kUnit;

constexpr std::array<std::string_view, 2> kOperators = {"blocked_gram", "dense_gram"};
constexpr std::array<Precision, 2> kPrecisions = {Precision::single_, Precision::double_};

double unit_of(Precision precision) {
  return precision == Precision::single_ ? test::kUnitSingle : kUnit;
}

Context context_of(Precision precision, Index tile = 0, Index threads = 0) {
  Context context;
  context.budget.precision = precision;
  context.budget.tile = tile;
  context.budget.threads = threads;
  return context;
}

Block formed(const SymmetricOperator& a, const Context& context = {}) {
  Block out = Block::Constant(a.size(), a.size(), std::numeric_limits<double>::quiet_NaN());
  a.form(out, context);
  return out;
}

Block product(const SymmetricOperator& a, const Block& v, PassSums* sums = nullptr,
              const Context& context = {}) {
  Block y = Block::Constant(a.size(), v.cols(), std::numeric_limits<double>::quiet_NaN());
  a.apply(v, y, sums, context);
  return y;
}

/// The matrix by the formula, and how far tiles may be from it.
struct Truth {
  Kernel kernel;
  Points x;
  Block k, single_error, double_error;

  Truth(const char* spec, Points points, bool moves = true) : kernel(spec), x(std::move(points)) {
    const Frame frame = make_frame(kernel, x, false, {});
    const Points moved = moves ? test::centred_rows(x) : x;
    k = test::dense_kernel(kernel, x);
    single_error = double_error = Block::Zero(x.rows(), x.rows());
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.rows(); ++j) {
        const auto bound = [&](double unit, bool direct) {
          return test::entry_bound(
                     kernel, {test::row_span(x, i), test::row_span(x, j), test::row_span(moved, i),
                              test::row_span(moved, j), unit, direct})
              .error;
        };
        single_error(i, j) = bound(test::kUnitSingle, frame.direct_single);
        double_error(i, j) = bound(kUnit, frame.direct_double);
      }
  }

  GramProblem problem(bool center = false) const { return {x, kernel, center, 1}; }
  const Block& error(Precision p) const {
    return p == Precision::single_ ? single_error : double_error;
  }
  Block product_bound(const Block& v, Precision p, Index tile) const {
    const Index n = x.rows();
    const auto m = static_cast<double>(std::min<Index>({tile, n, 512}));
    const double parts = static_cast<double>(n) / std::max(1.0, m) + 1;
    const double rounding = (m + 2) * unit_of(p) + (parts + 2) * kUnit;
    return 1.01 * ((error(p) + rounding * k.cwiseAbs()) * v.cwiseAbs());
  }
};

/// The largest |difference| / bound.
double worst_ratio(const Block& difference, const Block& bound) {
  return difference.cwiseAbs().cwiseQuotient(bound).maxCoeff();
}

void expect_true(const Truth& truth, Index tile) {
  const Index n = truth.x.rows();
  const Block v = test::random_points({.n = n, .dim = 3, .seed = 6});
  for (const Precision precision : kPrecisions) {
    const Context context = context_of(precision, tile);
    std::vector<Block> forms, images;
    for (const std::string_view name : kOperators) {
      SCOPED_TRACE(std::string(name) + " " + truth.kernel.spec() + " n=" + std::to_string(n) +
                   " tile=" + std::to_string(tile) + " " + std::string(name_of(precision)));
      const auto a = operator_recipe(name).build(truth.problem(), context);
      ASSERT_EQ(a->size(), n);
      forms.push_back(formed(*a));
      images.push_back(product(*a, v));
      EXPECT_TRUE(forms.back() == forms.back().transpose());
      EXPECT_LE(worst_ratio(forms.back() - truth.k, truth.error(precision)), 1);
      const Block bound = truth.product_bound(v, precision, tile > 0 ? tile : 512);
      EXPECT_LE(worst_ratio(images.back() - truth.k * v, bound), 1);
      EXPECT_LE(
          worst_ratio(a->diagonal({}) - truth.k.diagonal(), truth.error(precision).diagonal()), 1);
    }
    EXPECT_TRUE(forms[0] == forms[1]) << truth.kernel.spec() << " n=" << n << " tile=" << tile;
    EXPECT_TRUE(images[0] == images[1]) << truth.kernel.spec() << " n=" << n << " tile=" << tile;
  }
}

TEST(GramOperators, AgreeWithTheFormulaAndEachOtherForEveryTileSizeAndOddN) {
  for (const Index n : {1, 2, 3, 63, 65, 257}) {
    const Truth truth("gaussian:sigma=1.3", test::random_points({.n = n, .dim = 5, .seed = 3}));
    for (const Index tile : {1, 2, 7, 64, 100, 512, 4096}) expect_true(truth, tile);
  }
}

TEST(GramOperators, AgreeWithTheFormulaForEveryKindOfKernel) {
  const Points x = test::random_points({.n = 131, .dim = 4, .seed = 4});
  for (const char* spec :
       {"linear", "linear:offset=3", "polynomial:degree=3", "laplacian:gamma=0.5", "cosine",
        "sigmoid:scale=0.2", "thin_plate_spline", "gaussian:sigma=2*polynomial:degree=2",
        "gaussian:sigma=2+0.5*laplacian:gamma=1", "laplacian:gamma=0.5*cosine+linear"})
    for (const Index tile : {0, 50}) expect_true(Truth(spec, x), tile);
  const Points positive = x.cwiseAbs();
  for (const char* spec : {"chi_squared", "gaussian:sigma=3*chi_squared"})
    expect_true(Truth(spec, positive), 50);
}

TEST(GramOperators, WholeNumbersAsBytesAndAsDoublesAreTheFormulaToo) {
  constexpr Index n = 130, dim = 9;
  const Random random(8);
  Points x(n, dim);
  std::vector<std::byte> bytes(n * dim);
  for (Index i = 0; i < n * dim; ++i) {
    const auto value = random.below(256, static_cast<std::uint64_t>(i));
    bytes[static_cast<std::size_t>(i)] = static_cast<std::byte>(value);
    x.data()[i] = static_cast<double>(value);
  }
  const Dataset raw(bytes, Scalar::u8, n, dim);
  for (const char* spec : {"gaussian:sigma=300", "polynomial:degree=2,scale=1e-4", "linear",
                           "laplacian:gamma=0.002", "gaussian:sigma=300+1e-4*linear"}) {
    const Truth truth(spec, x);
    expect_true(truth, 48);
    for (const std::string_view name : kOperators)
      for (const Precision precision : kPrecisions) {
        const Context context = context_of(precision, 48);
        GramProblem problem = truth.problem();
        const Block doubles = formed(*operator_recipe(name).build(problem, context));
        problem.points = raw;
        EXPECT_TRUE(formed(*operator_recipe(name).build(problem, context)) == doubles)
            << name << " " << spec;
      }
  }
}

TEST(GramOperators, SparseRowsAreTheSameMatrixAsTheirDenseCopy) {
  constexpr Index n = 90, dim = 40;
  const Random random(9);
  SparseRows rows;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < dim; ++j) {
      const auto at = static_cast<std::uint64_t>(i * dim + j);
      if (random.uniform(2 * at) > 0.1) continue;
      rows.columns.push_back(static_cast<std::int32_t>(j));
      rows.values.push_back(random.normal(at));
    }
    rows.starts.push_back(static_cast<Index>(rows.columns.size()));
  }
  const Dataset sparse(rows, dim);
  const Block v = test::random_points({.n = n, .dim = 2, .seed = 10});
  for (const char* spec : {"gaussian:sigma=2", "linear", "cosine", "laplacian:gamma=0.3"}) {
    const Truth truth(spec, sparse.view().to_points(), false);  // moving would fill them
    for (const std::string_view name : kOperators)
      for (const Precision precision : kPrecisions) {
        GramProblem problem = truth.problem();
        problem.points = sparse;
        const Context context = context_of(precision, 32);
        const auto a = operator_recipe(name).build(problem, context);
        const Block bound = truth.product_bound(v, precision, 32);
        EXPECT_LE(worst_ratio(product(*a, v) - truth.k * v, bound), 1) << name << " " << spec;
        EXPECT_TRUE(formed(*a) == formed(*a).transpose());
      }
  }
}

TEST(GramOperators, ColumnsAreThoseOfTheMatrix) {
  const Truth truth("polynomial:degree=2", test::random_points({.n = 150, .dim = 3, .seed = 5}));
  const std::vector<Index> which = {149, 0, 64, 64, 63};
  for (const std::string_view name : kOperators)
    for (const Precision precision : kPrecisions) {
      const Context context = context_of(precision, 64);
      const auto a = operator_recipe(name).build(truth.problem(), context);
      Block columns(150, 5);
      ASSERT_TRUE(a->columns(which, columns, context));
      for (Index j = 0; j < 5; ++j) {
        const Index at = which[static_cast<std::size_t>(j)];
        EXPECT_LE(worst_ratio(columns.col(j) - truth.k.col(at), truth.error(precision).col(at)), 1)
            << name << " column " << at;
      }
      EXPECT_TRUE(columns.col(2) == columns.col(3));
      Block crossings(5, 5);
      ASSERT_TRUE(a->entries(which, crossings, context));
      for (Index i = 0; i < 5; ++i)
        for (Index j = 0; j < 5; ++j) {
          const Index row = which[static_cast<std::size_t>(i)],
                      col = which[static_cast<std::size_t>(j)];
          EXPECT_LE(std::abs(crossings(i, j) - truth.k(row, col)), truth.error(precision)(row, col))
              << name << " entry " << row << "," << col;
        }
    }
}

std::string fmt_case(std::string_view name, const char* spec, Index n, Precision p, bool center) {
  return std::string(name) + " " + spec + " n=" + std::to_string(n) + " " +
         std::string(name_of(p)) + (center ? " centred" : "");
}

// What the sums say, against those of the operator's own matrix in long double.
void expect_sums(const SymmetricOperator& a, const Block& own, const PassSums& sums, double unit,
                 double entries, const std::string& what) {
  const auto n = static_cast<double>(a.size());
  const auto squares = static_cast<double>(own.cast<long double>().squaredNorm());
  EXPECT_LE(std::abs(sums.frobenius_squared - squares), sums.frobenius_error * squares) << what;
  EXPECT_LE(std::abs(sums.trace - own.trace()), (n * kUnit + 514 * unit) * n * entries) << what;
  EXPECT_LE(test::max_abs(sums.row_sums - own.rowwise().sum()), 514 * unit * n * entries) << what;
}

TEST(GramOperators, APassGivesTraceRowSumsAndNormWithAnHonestError) {
  // Rows far from the origin: nearly all of the matrix is constant, and centring cancels digits.
  const std::vector<std::pair<const char*, double>> cases = {{"gaussian:sigma=1", 0},
                                                             {"gaussian:sigma=6", 0},
                                                             {"polynomial:degree=2", 0},
                                                             {"polynomial:degree=2", 8},
                                                             {"gaussian:sigma=30+linear", 0}};
  for (const Index n : {3, 65, 300, 700})
    for (const auto& [spec, shift] : cases)
      for (const std::string_view name : kOperators)
        for (const Precision precision : kPrecisions) {
          Points x = test::random_points({.n = n, .dim = 4, .seed = 11});
          x.array() += shift;
          const Context context = context_of(precision);
          for (const bool center : {false, true}) {
            const GramProblem problem{x, Kernel(spec), center, 1};
            const auto a = operator_recipe(name).build(problem, context);
            const Block v = test::random_points({.n = n, .dim = 1, .seed = 12});
            const Block own = test::dense(*a);
            const std::string what = fmt_case(name, spec, n, precision, center);
            PassSums sums;
            const Block with = product(*a, v, &sums);
            EXPECT_TRUE(with == product(*a, v)) << what << ": the sums changed the product";
            expect_sums(*a, own, sums, unit_of(precision), test::max_abs(own), what);
            if (!center) continue;
            const Centered centred(*a);
            product(centred, v, &sums);
            expect_sums(centred, test::double_centred(own), sums, unit_of(precision),
                        test::max_abs(own), what + " through Centered");
            const Vector excess = centred.means(context) - own.rowwise().mean();
            EXPECT_LE(excess.maxCoeff() - excess.minCoeff(),
                      514 * unit_of(precision) * test::max_abs(own))
                << what;
          }
        }
}

TEST(GramOperators, BytesDoNotDependOnTheNumberOfThreads) {
  const Points x = test::random_points({.n = 613, .dim = 6, .seed = 13});
  const Block v = test::random_points({.n = 613, .dim = 7, .seed = 14});
  for (const char* spec : {"gaussian:sigma=2", "laplacian:gamma=0.5"})
    for (const std::string_view name : kOperators)
      for (const Precision precision : kPrecisions) {
        std::vector<Block> images;
        std::vector<double> norms;
        for (const Index threads : {1, 2, 3, 4, 8}) {
          const Context context = context_of(precision, 0, threads);
          PassSums sums;
          const GramProblem problem{x, Kernel(spec), true, 1};
          const auto a = operator_recipe(name).build(problem, context);
          images.push_back(product(Centered(*a), v, &sums, context));
          norms.push_back(sums.frobenius_squared);
          EXPECT_TRUE(images.back() == images[0]) << name << " " << spec << " " << threads;
          EXPECT_EQ(norms.back(), norms[0]) << name << " " << spec << " " << threads;
        }
      }
}

TEST(GramOperators, StopInsideAPassWhenCancelledOrOutOfTime) {
  const Points x = test::random_points({.n = 2000, .dim = 3, .seed = 15});
  for (const std::string_view name : kOperators)
    for (const bool time : {false, true}) {
      std::atomic<Index> asked = -1'000'000'000;
      std::atomic<double> done = 0;
      Context context = context_of(Precision::single_, 64);
      const auto over = [&] { return ++asked > 50; };  // of 528 tiles
      (time ? context.observer.out_of_time : context.observer.cancelled) = over;
      const GramProblem problem{x, Kernel("gaussian:sigma=1"), true, 1};
      const auto a = operator_recipe(name).build(problem, context);
      context.observer.progress = [&](const Progress& progress) { done = progress.done; };
      asked = 0;
      EXPECT_EQ(test::code_of([&] { product(*a, Block::Ones(2000, 1), nullptr, context); }),
                time ? "M303" : "M001");
      EXPECT_LT(done, 0.5) << name;
      asked = -1'000'000'000;
      const Block again = product(*a, Block::Ones(2000, 1), nullptr, context);
      EXPECT_TRUE(again.allFinite()) << "a pass after a cancelled one";
    }
}

TEST(GramOperators, MoreEntriesThan32BitsCanCountAreAddressedRightly) {
  constexpr Index n = 46'400;  // n^2 > 2^31
  const Points x = test::random_points({.n = n, .dim = 2, .seed = 16});
  const Context context = context_of(Precision::single_);
  const GramProblem problem{x, Kernel("linear"), false, 1};
  const auto a = operator_recipe("blocked_gram").build(problem, context);
  const Block v = test::random_points({.n = n, .dim = 1, .seed = 17});
  const Block expected = x * (x.transpose() * v);
  // |K_ij| <= |x_i||x_j|: sums of 512 terms in float, entries off by 8 u of that.
  const Vector lengths = x.rowwise().norm();
  const Block bound = 530 * test::kUnitSingle * lengths * lengths.dot(v.col(0).cwiseAbs());
  EXPECT_LE(worst_ratio(product(*a, v) - expected, bound), 1);
}

}  // namespace gram_operators_test
}  // namespace mercer
