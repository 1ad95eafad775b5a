// The Fourier series of a kernel against the kernel, its small matrix against F'F written out, its
// spectrum against that of the kernel matrix, its scores against sums over the training rows.
#include "mercer/core/random.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/fourier_map.h"
#include "mercer/operators/fourier_series.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

namespace mercer {

const OperatorRecipe& fourier_features_recipe();

namespace fourier_features_test {

/// A problem with its geometry, filled in by hand.
struct Made {
  Points x;
  Kernel kernel;
  Context context;
  GramProblem problem;
  double eps;

  Made(Points rows, const std::string& spec, double allowed, bool center = true, Index threads = 2)
      : x(std::move(rows)), kernel(spec), problem{x, kernel, center, 2}, eps(allowed) {
    context.budget.threads = threads;
    auto geometry = std::make_shared<Geometry>();
    geometry->scale = 0.25;
    geometry->centre = Vector::Constant(x.cols(), 0.125);
    geometry->extent.low = x.colwise().minCoeff().transpose() * 0.25 - geometry->centre;
    geometry->extent.high = x.colwise().maxCoeff().transpose() * 0.25 - geometry->centre;
    if (const auto* gaussian = kernel.only<Gaussian>()) geometry->width = gaussian->sigma * 0.25;
    if (const auto* matern = kernel.only<Matern>()) geometry->width = matern->length * 0.25;
    geometry->allowed = eps;
    problem.facts.geometry = geometry;
  }
  std::optional<std::string> refused() const {
    return fourier_features_recipe().refuse(problem, context.budget);
  }
  std::unique_ptr<FactoredOperator> build() const {
    auto built = fourier_features_recipe().build(problem, context);
    return std::unique_ptr<FactoredOperator>(dynamic_cast<FactoredOperator*>(built.release()));
  }
  Block gram() const {
    const Block k = test::dense_kernel(kernel, x);
    return problem.center ? test::double_centred(k) : k;
  }
  /// F of the operator, by lifting the unit vectors.
  Block features(const FactoredOperator& a) const {
    return a.lift(Block::Identity(a.size(), a.size()), context);
  }
};

Points clustered(Index n, Index dim) {
  Points x = test::random_points({.n = n, .dim = dim, .seed = 21});
  for (Index i = 0; i < n; ++i) x.row(i) = 0.05 * x.row(i).array() + static_cast<double>(i % 3);
  x.row(1) = x.row(0);
  return x;
}

struct Case {
  Points x;
  std::string kernel;
  double eps;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({test::random_points({.n = 60, .dim = 1, .seed = 1}), "gaussian:sigma=0.7", 1e-9});
  all.push_back({test::random_points({.n = 60, .dim = 1, .seed = 2}), "gaussian:sigma=0.1", 1e-12});
  all.push_back({test::random_points({.n = 80, .dim = 2, .seed = 3}), "gaussian:sigma=2", 1e-6});
  all.push_back({test::random_points({.n = 60, .dim = 3, .seed = 4}), "gaussian:sigma=4", 1e-3});
  all.push_back({clustered(90, 2), "gaussian:sigma=1.5", 1e-8});
  all.push_back({clustered(70, 3), "gaussian:sigma=3", 1e-4});
  all.push_back(
      {test::random_points({.n = 50, .dim = 1, .seed = 5}), "matern:nu=1.5,length=2", 1e-4});
  all.push_back(
      {test::random_points({.n = 50, .dim = 2, .seed = 6}), "matern:nu=2.5,length=3", 1e-3});
  Points flat = test::random_points({.n = 70, .dim = 3, .seed = 7});
  flat.col(1).setConstant(0.75);
  all.push_back({flat, "gaussian:sigma=2.5", 1e-6});
  all.push_back({flat, "matern:nu=2.5,length=3", 1e-3});
  return all;
}

double direct_series(const FourierShape& shape, const Vector& c, const Vector& t) {
  double sum = 0;
  Index at = 0;
  for (Index a = -shape.modes[0]; a <= shape.modes[0]; ++a)
    for (Index b = -shape.modes[1]; b <= shape.modes[1]; ++b)
      for (Index d = -shape.modes[2]; d <= shape.modes[2]; ++d) {
        const Extents k = {a, b, d};
        double turns = 0;
        for (Index i = 0; i < t.size(); ++i)
          turns += static_cast<double>(k[static_cast<std::size_t>(i)]) * t[i] /
                   shape.period[static_cast<std::size_t>(i)];
        sum += c[at++] * std::cos(2 * std::numbers::pi * turns);
      }
  return sum;
}

TEST(FourierSeries, StaysWithinItsBoundOverTheWholeBox) {
  const Random random(5);
  std::uint64_t drawn = 0;
  const auto uniform = [&] { return random.uniform(drawn++); };
  Index tried = 0;
  for (Index round = 0; round < 300; ++round) {
    const Index dim = 1 + round % 3;
    const double nu = round % 2 == 0 ? 0 : round % 4 == 1 ? 1.5 : 2.5;
    const FourierKernel kernel{nu, std::exp(4 * uniform() - 2)};
    Vector extent(dim);
    for (Index i = 0; i < dim; ++i) extent[i] = kernel.width * std::exp(5 * uniform() - 3);
    if (round % 7 == 0 && dim > 1) extent[0] = 0;
    const double eps = std::pow(10, -3 - (nu == 0 ? 9 : 3) * uniform());
    const FourierShape shape = fourier_shape(kernel, extent, eps);
    EXPECT_LE(shape.error, eps);
    if (shape.count() > 20000) continue;
    ++tried;
    const Vector c = fourier_coefficients(kernel, shape);
    EXPECT_GT(c.minCoeff(), 0);
    for (Index sample = 0; sample < 12; ++sample) {
      Vector t = extent;
      if (sample > 0) t *= sample < 3 ? 0 : 1;
      if (sample > 2)
        for (Index i = 0; i < dim; ++i) t[i] *= 2 * uniform() - 1;
      EXPECT_LE(std::abs(direct_series(shape, c, t) - kernel(t.norm())), shape.error + 1e-14)
          << "nu " << nu << " dim " << dim << " eps " << eps << " at " << t.transpose();
    }
  }
  EXPECT_GT(tried, 150);
}

TEST(FourierSeries, NarrowKernelsTakeManyModesAndAreNotTried) {
  const Vector extent = Vector::Constant(3, 2.0);
  EXPECT_GT(fourier_shape({0, 1e-150}, extent, 1e-9).count(), 1e20);
  EXPECT_GT(fourier_shape({1.5, 1e-150}, extent, 1e-9).count(), 1e20);
}

TEST(FourierFeatures, TheSmallMatrixIsThatOfItsFeatures) {
  for (const Case& c : cases())
    for (const bool center : {false, true}) {
      SCOPED_TRACE(c.kernel + fmt::format(" {}x{} {}", c.x.rows(), c.x.cols(), center));
      const Made made(c.x, c.kernel, c.eps, center);
      const auto a = made.build();
      const Block f = made.features(*a);
      Block formed(a->size(), a->size());
      a->form(formed, {});
      EXPECT_TRUE(formed == formed.transpose());
      const double n = static_cast<double>(c.x.rows());
      const double allowed = 3 * n * c.eps + 1e-12 * n;
      EXPECT_LE(test::max_abs(formed - f.transpose() * f), allowed);
      EXPECT_LE(test::max_abs(a->diagonal({}) - formed.diagonal()), 1e-13 * n);
      EXPECT_LE(test::norm2(f * f.transpose() - made.gram()), allowed);
    }
}

TEST(FourierFeatures, TheSpectrumIsThatOfTheKernelMatrixWithinTheStatedError) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.kernel + fmt::format(" {}x{}", c.x.rows(), c.x.cols()));
    const Made made(c.x, c.kernel, c.eps);
    const auto a = made.build();
    EXPECT_LE(a->error(), static_cast<double>(c.x.rows()) * c.eps);
    if (a->size() > 1000) continue;
    Block formed(a->size(), a->size());
    a->form(formed, {});
    const Vector got = test::dense_eigen(formed).values;
    const Vector expected = test::dense_eigen(made.gram()).values;
    for (Index i = 0; i < std::min<Index>(10, got.size()); ++i)
      EXPECT_LE(std::abs(got[i] - expected[i]),
                a->error() + 1e-13 * static_cast<double>(c.x.rows()));
  }
}

// Wide enough that the matrix is not stored.
Made wide(bool center, Index threads = 2) {
  return {test::random_points({.n = 300, .dim = 2, .seed = 9}), "gaussian:sigma=0.5", 1e-9, center,
          threads};
}

TEST(FourierFeatures, ProductsByTransformsAreThoseOfTheMatrix) {
  for (const bool center : {false, true}) {
    const Made made = wide(center);
    const auto a = made.build();
    ASSERT_GT(a->size(), 1500);
    Block formed(a->size(), a->size());
    a->form(formed, {});
    for (const Index columns : {1, 5}) {
      const Block x = test::random_points({.n = a->size(), .dim = columns, .seed = 10});
      Block y = Block::Constant(a->size(), columns, 1e300);
      PassSums sums;
      a->apply(x, y, &sums, {});
      EXPECT_LE(test::max_abs(y - formed * x), 1e-11 * 300);
      EXPECT_LE(test::max_abs(sums.row_sums - formed.rowwise().sum()), 1e-11 * 300);
      EXPECT_NEAR(sums.trace, formed.trace(), 1e-10);
      const auto squares =
          static_cast<double>(formed.cast<long double>().colwise().squaredNorm().sum());
      EXPECT_NEAR(sums.frobenius_squared, squares, sums.frobenius_error * squares);
      EXPECT_LE(sums.frobenius_error, 1e-10);
    }
  }
}

TEST(FourierFeatures, LiftAndRestrictAreTransposesOfEachOther) {
  for (const Case& c : cases()) {
    const Made made(c.x, c.kernel, c.eps);
    const auto a = made.build();
    const Block w = test::random_points({.n = a->size(), .dim = 3, .seed = 11});
    const Block u = test::random_points({.n = c.x.rows(), .dim = 3, .seed = 12});
    const Block left = a->lift(w, {}).transpose() * u, right = w.transpose() * a->restrict(u, {});
    EXPECT_LE(test::max_abs(left - right), 1e-12 * w.norm() * u.norm());
  }
}

/// Rows inside the box, on its edge, a little outside, and very far away.
Points new_rows(const Points& x) {
  Points rows(x.rows() + 40, x.cols());
  rows.topRows(x.rows()) = x;
  const Points random = test::random_points({.n = 40, .dim = x.cols(), .seed = 13});
  for (Index i = 0; i < 40; ++i)
    rows.row(x.rows() + i) = random.row(i) * std::pow(10, 0.15 * static_cast<double>(i % 20));
  rows(rows.rows() - 1, 0) = 1e30;
  return rows;
}

TEST(FourierFeatures, ScoresEqualSumsOverTheTrainingRowsEverywhere) {
  for (const Case& c : cases())
    for (const bool center : {false, true}) {
      SCOPED_TRACE(c.kernel + fmt::format(" {}x{} {}", c.x.rows(), c.x.cols(), center));
      const Made made(c.x, c.kernel, c.eps, center);
      const auto a = made.build();
      Block u = test::random_points({.n = c.x.rows(), .dim = 3, .seed = 14});
      if (center) u.rowwise() -= u.colwise().mean().eval();
      const Vector values = Vector::LinSpaced(3, 4, 2);
      const auto scorer = a->scorer(Block::Zero(a->size(), 3), u, values, {});
      if (!scorer) continue;
      const Block weights = u * values.cwiseSqrt().cwiseInverse().asDiagonal();
      const Points rows = new_rows(c.x);
      Block expected = test::dense_kernel(made.kernel, rows, c.x) * weights;
      if (center)
        expected.rowwise() -=
            (test::dense_kernel(made.kernel, c.x) * weights).colwise().mean().eval();
      Block got = scorer->features->times(rows, scorer->weights, made.context);
      got.rowwise() -= scorer->bias.transpose();
      const double allowed = 2 * (c.eps + 1e-13) * weights.cwiseAbs().colwise().sum().maxCoeff();
      EXPECT_LE(test::max_abs(got - expected), allowed);
      const Block one = scorer->features->times(rows.middleRows(3, 1), scorer->weights, {});
      EXPECT_LE(test::max_abs(one - (got.row(3) + scorer->bias.transpose())), allowed);
    }
}

TEST(FourierFeatures, SingleRowsAndManyRowsGetTheSameScores) {
  const Made made = wide(true);
  const auto a = made.build();
  const Block u = test::random_points({.n = 300, .dim = 1, .seed = 15});
  const auto scorer = a->scorer(Block::Zero(a->size(), 1), u, Vector::Ones(1), {});
  const Made large(test::random_points({.n = 4000, .dim = 2, .seed = 9}), "gaussian:sigma=0.5",
                   1e-9);
  ASSERT_FALSE(scorer);  // too many features for so few rows
  const auto b = large.build();
  const Block v = test::random_points({.n = 4000, .dim = 1, .seed = 16});
  const auto wide_scorer = b->scorer(Block::Zero(b->size(), 1), v, Vector::Ones(1), {});
  ASSERT_TRUE(wide_scorer);
  const Block all = wide_scorer->features->times(large.x, wide_scorer->weights, {});
  for (const Index i : {0, 7, 3999}) {
    const Points row = large.x.middleRows(i, 1);
    const double one = wide_scorer->features->times(row, wide_scorer->weights, {})(0, 0);
    EXPECT_NEAR(one, all(i, 0), 1e-9 * v.cwiseAbs().sum());
  }
}

State saved(const FeatureMap& map, const Block& weights) {
  State state;
  map.save(state);
  state.arrays.push_back(Array::of_block("feature_weights", weights));
  return state;
}

TEST(FourierMap, ReadsBackWhatItWrote) {
  const FourierMap map(FourierMap::parts_for({1.5, 0.8}, {0.5, Vector::Constant(2, 0.25)},
                                             Vector::Constant(2, 1.5), 1e-3));
  const Block w = test::random_points({.n = map.width(), .dim = 2, .seed = 17});
  const auto again = FourierMap::from(saved(map, w), 2);
  const Points x = test::random_points({.n = 30, .dim = 2, .seed = 18});
  EXPECT_TRUE(again->times(x, w, {}) == map.times(x, w, {}));
  EXPECT_EQ(again->dim(), 2);
  EXPECT_EQ(again->times(x.topRows(0), w, {}).rows(), 0);
}

TEST(FourierMap, RefusesNumbersThatDoNotFitTogether) {
  const FourierMap map(FourierMap::parts_for({0, 0.8}, {0.5, Vector::Constant(2, 0.25)},
                                             Vector::Constant(2, 1.5), 1e-3));
  const Block w = Block::Zero(map.width(), 1);
  const auto code = [&](auto&& spoil) {
    State state = saved(map, w);
    spoil(state);
    return test::code_of([&] { FourierMap::from(state, 2); });
  };
  EXPECT_EQ(code([](State&) {}), "no error");
  for (const char* field : {"nu", "width", "scale", "tolerance"})
    EXPECT_EQ(code([&](State& s) { s.values["features"][field] = -1.0; }), "M703") << field;
  for (const char* field : {"nu", "width", "modes", "scale"})
    EXPECT_EQ(code([&](State& s) { s.values["features"][field] = "x"; }), "M703") << field;
  for (const std::int64_t modes : {std::int64_t{-1}, std::int64_t{1} << 40, std::int64_t{3}})
    EXPECT_EQ(code([&](State& s) {
                Value list = Value::list();
                list.push_back(modes);
                list.push_back(modes);
                s.values["features"]["modes"] = list;
              }),
              "M703");
  for (const char* name : {"feature_centre", "feature_reach", "feature_period"}) {
    EXPECT_EQ(code([&](State& s) {
                for (Array& array : s.arrays)
                  if (array.name == name) array = Array::of(name, Vector(Vector::Zero(3)));
              }),
              "M703")
        << name;
    EXPECT_EQ(code([&](State& s) {
                for (Array& array : s.arrays)
                  if (array.name == name)
                    array = Array::of(name, Vector(Vector::Constant(2, std::nan(""))));
              }),
              "M703")
        << name;
  }
}

TEST(FourierFeatures, ItsNumbersDoNotDependOnTheNumberOfThreads) {
  std::vector<Block> found[4];
  for (const Index threads : {1, 2, 3, 7}) {
    const Made made(test::random_points({.n = 5000, .dim = 2, .seed = 9}), "gaussian:sigma=0.5",
                    1e-7, true, threads);
    const auto a = made.build();
    const Block x = test::random_points({.n = a->size(), .dim = 3, .seed = 19});
    Block y(a->size(), 3);
    a->apply(x, y, nullptr, {});
    const Block u = a->lift(x, {});
    const auto scorer = a->scorer(x, u, Vector::Ones(3), {});
    ASSERT_TRUE(scorer);
    found[0].push_back(y);
    found[1].push_back(u);
    found[2].push_back(scorer->weights);
    found[3].push_back(scorer->features->times(made.x, scorer->weights, made.context));
  }
  for (const auto& results : found)
    for (const Block& result : results) EXPECT_TRUE(result == results[0]);
}

TEST(FourierFeatures, SaysWhyItCannotServe) {
  const Points x = test::random_points({.n = 500, .dim = 2, .seed = 20});
  EXPECT_FALSE(Made(x, "gaussian:sigma=3", 1e-6).refused());
  Made none(x, "gaussian:sigma=3", 1e-6);
  none.problem.facts.geometry = nullptr;
  EXPECT_EQ(none.refused(), "too few rows, or too many columns");
  EXPECT_EQ(Made(x, "exponential:length=2", 1e-6).refused(), "needs a Gaussian or Matern kernel");
  EXPECT_EQ(Made(x, "matern:nu=0.5,length=2", 1e-6).refused(), "needs a Gaussian or Matern kernel");
  EXPECT_EQ(Made(x, "gaussian:sigma=3+linear", 1e-6).refused(),
            "needs a Gaussian or Matern kernel");
  EXPECT_EQ(Made(test::random_points({.n = 50, .dim = 4}), "gaussian:sigma=3", 1e-6).refused(),
            "more than 3 columns");
  const std::string many = *Made(x, "gaussian:sigma=0.3", 1e-9).refused();
  EXPECT_EQ(many.substr(0, 12), "more modes (");
  const std::string explodes = *Made(x, "gaussian:sigma=1e-5", 1e-9).refused();
  EXPECT_EQ(explodes.substr(0, 10), "would take");
}

}  // namespace fourier_features_test
}  // namespace mercer
