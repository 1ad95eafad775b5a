// Calibration: the figures that sampled rows give for the rounding of float tiles, against the true
// norms from the whole matrix, in random cases. A figure must not be too small more often than it
// says, nor so large that it is worth nothing.
#include "mercer/operators/row_sample.h"

#include "mercer/kernels/tile_points.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace mercer {
namespace {

constexpr std::array<const char*, 8> kKernels = {"gaussian:sigma=2",
                                                 "gaussian:sigma=9",
                                                 "polynomial:degree=2,scale=0.2",
                                                 "laplacian:gamma=0.1",
                                                 "cosine",
                                                 "sigmoid:scale=0.05",
                                                 "thin_plate_spline:c=3",
                                                 "gaussian:sigma=4*polynomial:degree=2,scale=0.1"};

/// A random problem with the matrix of each precision written out.
struct Case {
  Points x;
  GramProblem problem;
  std::uint64_t seed;
  Block exact, single;

  explicit Case(std::uint64_t number)
      : x(test::random_points({.n = 140 + static_cast<Index>(number * 37 % 260),
                               .dim = 2 + static_cast<Index>(number * 13 % 29),
                               .seed = number})),
        problem{x, Kernel(kKernels[number % kKernels.size()]), number % 3 != 0, 1},
        seed(number) {
    if (number % 5 == 1) x = (2 * x).array().round();  // small whole numbers
    if (number % 7 == 2) x.array() += 3;
    const Frame frame = make_frame(problem.kernel, x, problem.center, {});
    problem.whole = TilePoints<float>(problem.kernel, frame, x, {}).exact_products();
    exact = formed(Precision::double_);
    single = formed(Precision::single_);
  }

  Block formed(Precision precision) const {
    Context context;
    context.budget.precision = precision;
    return test::dense(*operator_recipe("blocked_gram").build(problem, context));
  }
  Block image(const Block& v) const {
    Context context;
    context.budget.precision = Precision::single_;
    const auto a = operator_recipe("blocked_gram").build(problem, context);
    Block y(v.rows(), v.cols());
    if (problem.center)
      Centered(*a, context).apply(v, y, nullptr);
    else
      a->apply(v, y, nullptr);
    return y;
  }
  Block removed() const { return Block::Ones(x.rows(), problem.center ? 1 : 0); }
  std::string text() const {
    return problem.kernel.spec() + " n=" + std::to_string(x.rows()) +
           " d=" + std::to_string(x.cols()) + " seed " + std::to_string(seed);
  }
};

/// How stated figures compare with true ones.
struct Calibration {
  Index cases = 0, held = 0;
  void add(double stated, double truth, const std::string& what) {
    ++cases;
    held += stated >= truth ? 1 : 0;
    EXPECT_LE(stated, 10 * truth) << what;
    EXPECT_GE(stated, truth / 2) << what;
  }
  double share() const { return static_cast<double>(held) / static_cast<double>(cases); }
};

TEST(RowSample, BoundsTheErrorOfFloatTilesAsOftenAsItSays) {
  for (const double failure : {0.05, 1e-7}) {
    Calibration calibration;
    for (std::uint64_t number = 0; number < 200; ++number) {
      const Case c(number);
      const RowSample sample(c.problem, failure, number, {});
      calibration.add(sample.tile_error(), (c.single - c.exact).norm(), c.text());
      EXPECT_GE(sample.operator_error(), sample.tile_error());
    }
    EXPECT_GE(calibration.share(), 0.95) << failure;
  }
}

TEST(RowSample, BoundsTheErrorOfFloatProductsAsOftenAsItSays) {
  for (const double failure : {0.05, 1e-7}) {
    Calibration calibration;
    for (std::uint64_t number = 0; number < 200; ++number) {
      const Case c(number);
      Block v = test::random_orthonormal(c.x.rows(), 2, number + 1000);
      if (c.problem.center) remove_means(v);
      Block truth = c.exact * v;
      if (c.problem.center) remove_means(truth);
      const Block image = c.image(v);
      const RowSample sample(c.problem, failure, number, {});
      const Vector stated = sample.product_error(v, image, c.removed());
      for (Index j = 0; j < 2; ++j)
        calibration.add(stated[j], (truth - image).col(j).norm(), c.text());
    }
    EXPECT_GE(calibration.share(), 0.95) << failure;
  }
}

TEST(RowSample, OfAllRowsIsExactButForItsMargin) {
  const Points x = test::random_points({.n = 100, .dim = 6, .seed = 3});
  const GramProblem problem{x, Kernel("gaussian:sigma=2"), false, 1};
  Context single;
  single.budget.precision = Precision::single_;
  const auto a = operator_recipe("blocked_gram").build(problem, single);
  const Block v = test::random_orthonormal(100, 3, 4);
  Block image(100, 3);
  a->apply(v, image, nullptr);
  const Block k = test::dense_kernel(problem.kernel, x);
  const Vector truth = (k * v - image).colwise().norm();
  const Vector stated = RowSample(problem, 1e-3, 0, {}).product_error(v, image, Block(100, 0));
  const Vector wary = RowSample(problem, 1e-9, 0, {}).product_error(v, image, Block(100, 0));
  for (Index j = 0; j < 3; ++j) {
    EXPECT_GE(stated[j], truth[j]);
    EXPECT_GT(wary[j], stated[j]) << "a smaller probability of failure needs a larger margin";
    EXPECT_LE(wary[j], 3 * truth[j]);
  }
}

TEST(RowSample, SeesAnErrorThatIsNotRounding) {
  const Points x = test::random_points({.n = 400, .dim = 5, .seed = 5});
  const GramProblem problem{x, Kernel("gaussian:sigma=2"), true, 1};
  const Block v = test::random_orthonormal(400, 1, 6);
  const Block off = 1e-3 * test::random_orthonormal(400, 1, 7);
  const Block k = test::dense_kernel(problem.kernel, x);
  const RowSample sample(problem, 1e-7, 1, {});
  const double stated = sample.product_error(v, k * v + off, Block(400, 0))[0];
  EXPECT_GE(stated, 1e-3);
  EXPECT_LE(stated, 3e-3);
}

TEST(RowSample, KnowsThatVectorsAreRoundedTooWhereTilesAreExact) {
  // K is the identity to the last digit, and float passes give vectors back rounded.
  const Points x = test::random_points({.n = 300, .dim = 6, .seed = 14});
  const GramProblem problem{x, Kernel("gaussian:sigma=0.001"), false, 1};
  Context single;
  single.budget.precision = Precision::single_;
  const auto a = operator_recipe("blocked_gram").build(problem, single);
  const Block v = test::random_orthonormal(300, 5, 15);
  Block image(300, 5);
  a->apply(v, image, nullptr);
  const double truth = test::norm2(image - v);
  const RowSample sample(problem, 1e-7, 1, {});
  EXPECT_EQ(sample.tile_error(), 0);
  EXPECT_GT(truth, 0);
  EXPECT_GE(sample.operator_error(), truth);
}

TEST(RowSample, AllowsForFunctionsThatWereTakenOut) {
  const Points x = test::random_points({.n = 500, .dim = 4, .seed = 10});
  const GramProblem problem{x, Kernel("thin_plate_spline:c=3"), true, 1};
  Block functions(500, 5);
  functions << Block::Ones(500, 1), x;
  const Block q = Eigen::HouseholderQR<Block>(functions).householderQ() * Block::Identity(500, 5);
  const Block v = test::random_orthonormal(500, 2, 11), k = test::dense_kernel(problem.kernel, x);
  const Block off = 1e-3 * test::random_orthonormal(500, 2, 12);
  const Block image = k * v - q * (q.transpose() * (k * v)) + off;
  const RowSample sample(problem, 1e-7, 1, {});
  const Vector stated = sample.product_error(v, image, q);
  EXPECT_GE(stated.minCoeff(), 1e-3 * 0.99);
  EXPECT_LE(stated.maxCoeff(), 3e-3);
  const Vector lost = sample.product_error(v, image, test::random_orthonormal(500, 100, 13));
  EXPECT_TRUE(std::isinf(lost[0])) << "128 rows cannot tell 100 functions from the error";
}

TEST(RowSample, SeedsAreReproducibleAndThreadsChangeNothing) {
  const Points x = test::random_points({.n = 1500, .dim = 5, .seed = 8});
  const GramProblem problem{x, Kernel("laplacian:gamma=0.3"), true, 1};
  const RowSample one(problem, 1e-7, 1, {});
  EXPECT_NE(RowSample(problem, 1e-7, 2, {}).tile_error(), one.tile_error());
  for (const Index threads : {1, 2, 3, 4, 8}) {
    Context context;
    context.budget.threads = threads;
    EXPECT_EQ(RowSample(problem, 1e-7, 1, context).tile_error(), one.tile_error()) << threads;
  }
}

TEST(RowSample, StopsWhenTheCallerCancels) {
  const Points x = test::random_points({.n = 50, .dim = 5, .seed = 9});
  Context context;
  context.observer.cancelled = [] { return true; };
  const GramProblem problem{x, Kernel("gaussian:sigma=1"), true, 1};
  EXPECT_EQ(test::code_of([&] { RowSample(problem, 1e-7, 1, context); }), "M001");
}

}  // namespace
}  // namespace mercer
