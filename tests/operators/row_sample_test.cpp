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

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace mercer {
namespace row_sample_test {

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
    problem.facts.integer_tiles = TilePoints<float>(problem.kernel, frame, x, {}).exact_products();
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
      Centered(*a).apply(v, y, nullptr, context);
    else
      a->apply(v, y, nullptr, context);
    return y;
  }
  RowSample sample(double failure) const {
    return RowSample(problem, exact.diagonal(), failure, seed, {});
  }
  RowSample sample_of(const Block& v, const Block& images, double failure) const {
    return RowSample(problem, exact.diagonal(), {v, images, removed(), exact.rowwise().sum()},
                     failure, seed, {});
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
  void add(double stated, double truth, const Block& errors, const std::string& what) {
    ++cases;
    held += stated >= truth ? 1 : 0;
    // Where a few of the rows have all of the error, its size is not known that well.
    const Vector rows = errors.rowwise().squaredNorm();
    const double worth = std::pow(rows.sum(), 2) / rows.squaredNorm();
    if (4 * worth >= static_cast<double>(rows.size())) {
      EXPECT_LE(stated, 10 * truth) << what;
    }
    EXPECT_GE(stated, truth / 2) << what;
  }
  double share() const { return static_cast<double>(held) / static_cast<double>(cases); }
};

/// How many of some hundred figures must hold where one fails with this probability.
double share_for(double failure) { return failure < 1e-3 ? 1 : 1 - failure; }

TEST(RowSample, BoundsTheErrorOfFloatTilesAsOftenAsItSays) {
  for (const double failure : {0.05, 1e-7}) {
    Calibration calibration, with_vectors;
    for (std::uint64_t number = 0; number < 200; ++number) {
      const Case c(number);
      const RowSample sample = c.sample(failure);
      const Block error = c.single - c.exact;
      calibration.add(sample.tile_error(), error.norm(), error, c.text());
      // Vectors are rounded as well: by their root mean square, or alike where they are constant.
      const double vectors = c.problem.center ? 0x1p-24 / std::numbers::sqrt3 : 0x1p-22;
      const double both = std::hypot(error.norm(), vectors * c.exact.norm());
      with_vectors.add(sample.operator_error(), both, error, c.text());
    }
    EXPECT_GE(calibration.share(), share_for(failure)) << failure;
    EXPECT_GE(with_vectors.share(), share_for(failure)) << failure;
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
      const Vector stated = c.sample_of(v, image, failure).product_error();
      for (Index j = 0; j < 2; ++j) {
        const Block error = (truth - image).col(j);
        calibration.add(stated[j], error.norm(), error, c.text());
      }
    }
    EXPECT_GE(calibration.share(), share_for(failure)) << failure;
  }
}

// What other tests measure: the problem of these rows, its matrix, and a sample of products.
struct Measured {
  GramProblem problem;
  Block k;

  Measured(const Points& x, const char* kernel, bool center)
      : problem{x, Kernel(kernel), center, 1}, k(test::dense_kernel(problem.kernel, x)) {}
  Vector errors(const Block& v, const Block& images, const Block& removed,
                double failure = 1e-7) const {
    return RowSample(problem, k.diagonal(), {v, images, removed}, failure, 1, {}).product_error();
  }
};

TEST(RowSample, OfAllRowsIsExact) {
  const Points x = test::random_points({.n = 100, .dim = 6, .seed = 3});
  const Measured m(x, "gaussian:sigma=2", false);
  Context single;
  single.budget.precision = Precision::single_;
  const auto a = operator_recipe("blocked_gram").build(m.problem, single);
  const Block v = test::random_orthonormal(100, 3, 4);
  Block image(100, 3);
  a->apply(v, image, nullptr, single);
  const Vector truth = (m.k * v - image).colwise().norm();
  const Vector stated = m.errors(v, image, Block(100, 0));
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(stated[j], truth[j], 1e-6 * truth[j]);
}

TEST(RowSample, SeesAnErrorThatIsNotRounding) {
  const Points x = test::random_points({.n = 400, .dim = 5, .seed = 5});
  const Measured m(x, "gaussian:sigma=2", true);
  const Block v = test::random_orthonormal(400, 1, 6);
  const Block off = 1e-3 * test::random_orthonormal(400, 1, 7);
  const double stated = m.errors(v, m.k * v + off, Block(400, 0))[0];
  EXPECT_GE(stated, 1e-3);
  EXPECT_LE(stated, 3e-3);
  EXPECT_GT(m.errors(v, m.k * v + off, Block(400, 0), 1e-9)[0], stated)
      << "a smaller probability of failure needs a larger margin";
}

TEST(RowSample, KnowsThatVectorsAreRoundedTooWhereTilesAreExact) {
  // K is the identity to the last digit, and float passes give vectors back rounded.
  const Points x = test::random_points({.n = 300, .dim = 6, .seed = 14});
  const Measured m(x, "gaussian:sigma=0.001", false);
  Context single;
  single.budget.precision = Precision::single_;
  const auto a = operator_recipe("blocked_gram").build(m.problem, single);
  const Block v = test::random_orthonormal(300, 5, 15);
  Block image(300, 5);
  a->apply(v, image, nullptr, single);
  const double truth = test::norm2(image - v);
  const RowSample sample(m.problem, m.k.diagonal(), 1e-7, 1, {});
  EXPECT_EQ(sample.tile_error(), 0);
  EXPECT_GT(truth, 0);
  EXPECT_GE(sample.operator_error(), truth);
}

TEST(RowSample, AllowsForFunctionsThatWereTakenOut) {
  const Points x = test::random_points({.n = 500, .dim = 4, .seed = 10});
  const Measured m(x, "thin_plate_spline:c=3", true);
  Block functions(500, 5);
  functions << Block::Ones(500, 1), x;
  const Block q = test::orthonormal(functions);
  const Block v = test::random_orthonormal(500, 2, 11);
  const Block off = 1e-3 * test::random_orthonormal(500, 2, 12);
  const Block image = m.k * v - q * (q.transpose() * (m.k * v)) + off;
  const Vector stated = m.errors(v, image, q);
  EXPECT_GE(stated.minCoeff(), 1e-3 * 0.99);
  EXPECT_LE(stated.maxCoeff(), 3e-3);
  EXPECT_TRUE(std::isinf(m.errors(v, image, test::random_orthonormal(500, 100, 13))[0]))
      << "128 rows cannot tell 100 functions from the error";
}

TEST(RowSample, RefusesProductsOfAnotherSpace) {
  // A factor's products are as long as it is wide, not as long as the table.
  const Points x = test::random_points({.n = 300, .dim = 4, .seed = 10});
  const Measured m(x, "linear", true);
  const Block ones = Block::Ones(300, 1), v = test::random_orthonormal(300, 2, 11);
  const Block small = test::random_orthonormal(4, 2, 12);
  EXPECT_EQ(test::code_of([&] { m.errors(v, small, ones); }), "M000");
  EXPECT_EQ(test::code_of([&] { m.errors(small, small, ones); }), "M000");
}

TEST(RowSample, SeedsAreReproducibleAndThreadsChangeNothing) {
  const Points x = test::random_points({.n = 1500, .dim = 5, .seed = 8});
  const GramProblem problem{x, Kernel("laplacian:gamma=0.3"), true, 1};
  const Vector diagonal = Vector::Ones(1500);
  const RowSample one(problem, diagonal, 1e-7, 1, {});
  EXPECT_NE(RowSample(problem, diagonal, 1e-7, 2, {}).tile_error(), one.tile_error());
  for (const Index threads : {1, 2, 3, 4, 8}) {
    Context context;
    context.budget.threads = threads;
    EXPECT_EQ(RowSample(problem, diagonal, 1e-7, 1, context).tile_error(), one.tile_error())
        << threads;
  }
}

TEST(RowSample, StopsWhenTheCallerCancels) {
  const Points x = test::random_points({.n = 50, .dim = 5, .seed = 9});
  Context context;
  context.observer.cancelled = [] { return true; };
  const GramProblem problem{x, Kernel("gaussian:sigma=1"), true, 1};
  EXPECT_EQ(test::code_of([&] { RowSample(problem, Vector::Ones(50), 1e-7, 1, context); }), "M001");
}

}  // namespace row_sample_test
}  // namespace mercer
