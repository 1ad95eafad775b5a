// Generators: shapes, labels and names; sums of the digits were computed by NumPy from
// scikit-learn's copy.
#include "mercer/data/generator.h"

#include "mercer/core/error.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace mercer {
namespace generator_test {

constexpr double kPi = std::numbers::pi;

std::vector<Index> class_sizes(const Dataset& data) {
  std::vector<Index> sizes(data.labels.classes.size());
  for (const Index c : data.labels.of_row) ++sizes.at(static_cast<std::size_t>(c));
  return sizes;
}

ErrorCode code_of(std::string_view name, const GeneratorOptions& options) {
  try {
    generate(name, options);
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint().empty());
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(Generator, CatalogueHoldsTheSetsInOrder) {
  std::vector<std::string> names;
  for (const Generator* generator : generators()) {
    names.emplace_back(generator->name);
    EXPECT_FALSE(generator->summary.empty());
  }
  const std::vector<std::string> expected = {"blobs",    "circles",   "digits", "grid",
                                             "mixtures", "moons",     "ring",   "s_curve",
                                             "sources",  "swiss_roll"};
  EXPECT_EQ(names, expected);
}

TEST(Generator, EveryRandomSetIsDecidedByItsSeed) {
  for (const char* name :
       {"blobs", "circles", "mixtures", "moons", "ring", "s_curve", "sources", "swiss_roll"}) {
    const Points first = generate(name, {.n = 31, .seed = 5}).view().to_points();
    EXPECT_EQ(first, generate(name, {.n = 31, .seed = 5}).view().to_points()) << name;
    const Points other = generate(name, {.n = 31, .seed = 6}).view().to_points();
    EXPECT_EQ((first.array() == other.array()).count(), 0) << name;
    EXPECT_TRUE(first.allFinite()) << name;
  }
}

TEST(Generator, AGridIsTheLargestSquareThatFitsAndSymmetricAboutTheOrigin) {
  const Dataset grid = generate("grid", {.n = 30});
  ASSERT_EQ(grid.n(), 25);
  const Points points = grid.view().to_points();
  EXPECT_EQ(points.row(0), (Eigen::RowVector2d(-1.5, -1.5)));
  EXPECT_EQ(points.row(4), (Eigen::RowVector2d(1.5, -1.5)));  // x runs first
  EXPECT_EQ(points.row(12), (Eigen::RowVector2d(0, 0)));
  EXPECT_EQ(points.row(24), (Eigen::RowVector2d(1.5, 1.5)));
}

TEST(Generator, ARingHasRadiusOne) {
  const Points points = generate("ring", {.n = 12, .noise = 0}).view().to_points();
  for (Index i = 0; i < 12; ++i) EXPECT_NEAR(points.row(i).norm(), 1, 1e-15);
  EXPECT_NEAR(points.colwise().sum().norm(), 0, 1e-14);
}

TEST(Generator, EverySetHasOneNamePerColumnAndOneLabelPerRowOrNone) {
  for (const Generator* generator : generators())
    for (const Index n : {1, 4, 9, 49}) {  // squares: a grid has no other number of rows
      const Dataset data = generator->make({.n = n});
      EXPECT_EQ(data.n(), n) << generator->name;
      EXPECT_EQ(static_cast<Index>(data.column_names.size()), data.dim()) << generator->name;
      if (data.labels.empty()) continue;
      EXPECT_EQ(static_cast<Index>(data.labels.of_row.size()), n) << generator->name;
      EXPECT_GT(std::ranges::min(class_sizes(data)), 0) << generator->name;
    }
}

TEST(Generator, CirclesWithoutNoiseHaveRadiiOneAndAHalf) {
  const Dataset data = generate("circles", {.n = 101, .noise = 0});
  const std::vector<std::string> classes = {"outer", "inner"}, columns = {"x", "y"};
  EXPECT_EQ(data.labels.classes, classes);
  EXPECT_EQ(data.column_names, columns);
  EXPECT_EQ(class_sizes(data), (std::vector<Index>{51, 50}));

  const Points x = data.view().to_points();
  Eigen::Vector2d sum[2] = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  for (Index i = 0; i < data.n(); ++i) {
    const Index which = data.labels.of_row[static_cast<std::size_t>(i)];
    EXPECT_NEAR(x.row(i).norm(), which == 0 ? 1.0 : 0.5, 1e-15);
    sum[which] += x.row(i).transpose();
  }
  EXPECT_LT(sum[0].norm(), 1e-13);  // evenly spaced points of a whole circle cancel
  EXPECT_LT(sum[1].norm(), 1e-13);
}

TEST(Generator, MoonsWithoutNoiseAreTwoHalfCirclesWithBothEnds) {
  const Dataset data = generate("moons", {.n = 10, .noise = 0});
  EXPECT_EQ(data.labels.classes, (std::vector<std::string>{"upper", "lower"}));
  const Points x = data.view().to_points();
  for (Index i = 0; i < 10; i += 2) {
    EXPECT_NEAR(x.row(i).norm(), 1, 1e-15);
    EXPECT_GE(x(i, 1), 0);
    EXPECT_NEAR(std::hypot(x(i + 1, 0) - 1, x(i + 1, 1) - 0.5), 1, 1e-15);
    EXPECT_LE(x(i + 1, 1), 0.5);
  }
  EXPECT_EQ(x(0, 0), 1);
  EXPECT_NEAR(x(8, 0), -1, 1e-15);
  EXPECT_EQ(x(1, 0), 0);
  EXPECT_NEAR(x(9, 0), 2, 1e-15);
  EXPECT_NEAR(x(5, 1), -0.5, 1e-15);  // the middle of the lower moon
}

TEST(Generator, SwissRollWithoutNoiseLiesOnTheSpiral) {
  const Dataset data = generate("swiss_roll", {.n = 2000, .noise = 0});
  EXPECT_TRUE(data.labels.empty());
  const Points x = data.view().to_points();
  double mean_t = 0;
  for (Index i = 0; i < data.n(); ++i) {
    const double t = std::hypot(x(i, 0), x(i, 2));  // the radius is the angle
    EXPECT_GT(t, 1.5 * kPi);
    EXPECT_LT(t, 4.5 * kPi);
    EXPECT_NEAR(x(i, 0), t * std::cos(t), 1e-12);
    mean_t += t / static_cast<double>(data.n());
  }
  EXPECT_NEAR(mean_t, 3 * kPi, 0.3);  // 5 standard errors of a uniform mean
  EXPECT_GT(x.col(1).minCoeff(), 0);
  EXPECT_LT(x.col(1).maxCoeff(), 21);
  EXPECT_GT(x.col(1).maxCoeff() - x.col(1).minCoeff(), 20.5);
}

TEST(Generator, SCurveWithoutNoiseIsTwoArcsThatMeetAtTheOrigin) {
  const Dataset data = generate("s_curve", {.n = 2000, .noise = 0});
  EXPECT_TRUE(data.labels.empty());
  EXPECT_EQ(data.column_names, (std::vector<std::string>{"x", "y", "z"}));
  const Points x = data.view().to_points();
  Index below = 0;
  for (Index i = 0; i < data.n(); ++i) {
    // t > 0: the circle around (0, -1); t < 0: the one around (0, 1).
    EXPECT_NEAR(std::hypot(x(i, 0), std::abs(x(i, 2)) - 1), 1, 1e-14);
    below += x(i, 2) < 0 ? 1 : 0;
    // Near the origin x = sin t has the sign of t and z the opposite one.
    const bool near_origin = std::abs(x(i, 2)) < 0.5;
    EXPECT_TRUE(!near_origin || x(i, 0) * x(i, 2) <= 0);
  }
  EXPECT_NEAR(static_cast<double>(below) / 2000, 0.5, 0.06);
  EXPECT_LT(x.col(1).maxCoeff(), 2);
  EXPECT_GT(x.col(1).maxCoeff() - x.col(1).minCoeff(), 1.95);
}

TEST(Generator, NoiseHasTheGivenStandardDeviation) {
  const Points exact = generate("circles", {.n = 5000, .noise = 0}).view().to_points();
  const Points noisy = generate("circles", {.n = 5000, .noise = 0.2}).view().to_points();
  const auto difference = (noisy - exact).array();
  EXPECT_NEAR(std::sqrt(difference.square().mean()), 0.2, 0.01);
  EXPECT_NEAR(difference.mean(), 0, 0.01);
}

TEST(Generator, BlobsGiveTheFirstClassesTheRemainder) {
  const Dataset data = generate("blobs", {.n = 14, .noise = 0, .dim = 5, .classes = 4});
  EXPECT_EQ(data.labels.classes, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(class_sizes(data), (std::vector<Index>{4, 4, 3, 3}));
  EXPECT_EQ(data.column_names, (std::vector<std::string>{"x1", "x2", "x3", "x4", "x5"}));
  const Points x = data.view().to_points();
  EXPECT_LT(x.cwiseAbs().maxCoeff(), 1);
  for (Index i = 4; i < 14; ++i) EXPECT_EQ(x.row(i), x.row(i - 4));  // no noise: only the centres
  for (Index i = 1; i < 4; ++i) EXPECT_NE(x.row(i), x.row(0));
}

TEST(Generator, BlobsBeyondZAreNamedAsSpreadsheetColumns) {
  const Dataset data = generate("blobs", {.n = 60, .classes = 54});
  EXPECT_EQ(data.labels.classes[25], "z");
  EXPECT_EQ(data.labels.classes[26], "aa");
  EXPECT_EQ(data.labels.classes[51], "az");
  EXPECT_EQ(data.labels.classes[53], "bb");
}

TEST(Generator, DigitsHaveTheSumsOfTheOriginal) {
  const Dataset data = generate("digits", {.n = 1'000'000});
  ASSERT_EQ(data.n(), 1797);
  ASSERT_EQ(data.dim(), 64);
  EXPECT_EQ(data.type(), Scalar::u8);
  const Points x = data.view().to_points();
  EXPECT_EQ(x.sum(), 561718);
  EXPECT_EQ(x.squaredNorm(), 6907012);
  EXPECT_EQ(x.col(36).sum(), 18512);
  EXPECT_EQ(x.row(10).sum(), 322);
  EXPECT_EQ(x.row(1796).sum(), 392);
  const Vector row_numbers = Vector::LinSpaced(1797, 0, 1796);
  EXPECT_EQ((x.transpose() * row_numbers).sum(), 503342547);  // the order of the rows
  const Vector pixel_numbers = Vector::LinSpaced(64, 0, 63);
  EXPECT_EQ((x * pixel_numbers).sum(), 17660653);  // the order of the pixels
}

TEST(Generator, DigitsAreNamedAndLabelled) {
  const Dataset data = generate("digits", {.n = 5000});
  EXPECT_EQ(class_sizes(data),
            (std::vector<Index>{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}));
  EXPECT_EQ(data.labels.classes.front(), "0");
  EXPECT_EQ(data.labels.classes.back(), "9");
  EXPECT_EQ(data.column_names.front(), "pixel_0_0");
  EXPECT_EQ(data.column_names[17], "pixel_2_1");
  EXPECT_EQ(data.column_names.back(), "pixel_7_7");
}

TEST(Generator, FewDigitsAreTheFirstOnes) {
  const Dataset all = generate("digits", {.n = 1797}), few = generate("digits", {.n = 100});
  EXPECT_EQ(few.n(), 100);
  EXPECT_EQ(few.view().to_points(), Points(all.view().to_points().topRows(100)));
  EXPECT_EQ(class_sizes(few), (std::vector<Index>{11, 12, 10, 12, 8, 9, 11, 10, 8, 9}));
  EXPECT_EQ(generate("digits", {.n = 3}).labels.classes, (std::vector<std::string>{"0", "1", "2"}));
}

// Mean, variance, skewness and excess kurtosis of a column.
std::array<double, 4> shape_of(const Points& column) {
  const auto n = static_cast<double>(column.rows());
  const double mean = column.sum() / n;
  const Eigen::ArrayXd apart = column.col(0).array() - mean;
  const double variance = apart.square().sum() / n;
  return {mean, variance, apart.cube().sum() / n / std::pow(variance, 1.5),
          apart.square().square().sum() / n / (variance * variance) - 3};
}

// Skewness and excess kurtosis by the formulas of the densities; of mixtures by the moments of
// their parts.
TEST(Generator, SourcesHaveTheMomentsOfTheirDensity) {
  struct Known {
    const char* density;
    double skewness, kurtosis;
  };
  // Of two normal parts of width w at -c and c with equal weights, v = w^2 + c^2: the excess
  // kurtosis is (3 w^4 + 6 w^2 c^2 + c^4) / v^2 - 3 = -2 c^4 / v^2; and of two Laplace parts of
  // variance w = 2 (1/2)^2 and kurtosis 6 there, (6 w^2 + 6 w c^2 + c^4) / v^2 - 3.
  const auto two = [](double width) { return -2 * 0.0625 / std::pow(width * width + 0.25, 2); };
  for (const Known& known :
       {Known{"laplace", 0, 3}, Known{"uniform", 0, -1.2}, Known{"exponential", 2, 6},
        Known{"two_apart", 0, two(0.15)}, Known{"two_near", 0, two(0.4)},
        Known{"two_joined", 0, two(0.5)}, Known{"two_laplaces", 0, (1.5 + 3 + 1) / 2.25 - 3}}) {
    const Points drawn =
        generate("sources", {.n = 200000, .dim = 1, .density = known.density}).view().to_points();
    const auto [mean, variance, skewness, kurtosis] = shape_of(drawn);
    // Five standard errors of means, of squares, cubes and fourth powers of exponential numbers,
    // whose spread is the widest: sqrt(1), sqrt(8), about 12 and 150 over sqrt(200 000).
    EXPECT_NEAR(mean, 0, 0.012) << known.density;
    EXPECT_NEAR(variance, 1, 0.035) << known.density;
    EXPECT_NEAR(skewness, known.skewness, 0.14) << known.density;
    EXPECT_NEAR(kurtosis, known.kurtosis, 1.7 * (known.kurtosis > 0 ? 1 : 0.02)) << known.density;
  }
}

TEST(Generator, EveryDensityIsStandardised) {
  const Dataset data = generate("sources", {.n = 100000, .dim = 18});
  const Points drawn = data.view().to_points();
  for (Index j = 0; j < 18; ++j) {
    const auto [mean, variance, skewness, kurtosis] = shape_of(drawn.col(j));
    EXPECT_NEAR(mean, 0, 0.016) << j;
    // The variance of t with 3 degrees of freedom hardly settles: its fourth moment is infinite.
    EXPECT_NEAR(variance, 1, j == 0 ? 0.2 : 0.05) << j;
  }
  const Points squares = (drawn.transpose() * drawn).cwiseAbs() / 100000;
  EXPECT_LT((squares - Points(squares.diagonal().asDiagonal())).maxCoeff(), 0.016);
}

TEST(Generator, MixturesAreTheSourcesTimesAWellConditionedMatrix) {
  const GeneratorOptions options{.n = 400, .seed = 3, .dim = 5, .density = "random"};
  const Block s = generate("sources", options).view().to_points(),
              x = generate("mixtures", options).view().to_points();
  const Block a = s.colPivHouseholderQr().solve(x);
  EXPECT_LT((s * a - x).cwiseAbs().maxCoeff(), 1e-13);
  const Vector stretch = Eigen::JacobiSVD<Block>(a).singularValues();
  EXPECT_LE(stretch[0], 2 + 1e-12);
  EXPECT_GE(stretch[4], 1 - 1e-12);
  EXPECT_EQ(code_of("mixtures", {.density = "two_appart"}), ErrorCode::unknown_name);
}

// What a generator says it takes is what changes its rows, and nothing else does.
TEST(Generator, TakesTheOptionsThatMakeADifference) {
  const GeneratorOptions usual{.n = 31};
  const std::vector<std::pair<std::string, GeneratorOptions>> others = {
      {"rows", {.n = 50}},
      {"noise", {.n = 31, .noise = 0.1}},
      {"seed", {.n = 31, .seed = 1}},
      {"dim", {.n = 31, .dim = 4}},
      {"classes", {.n = 31, .classes = 2}},
      {"density", {.n = 31, .density = "uniform"}}};
  for (const Generator* generator : generators()) {
    const Points rows = generator->make(usual).view().to_points();
    std::string takes;
    for (const auto& [option, changed] : others) {
      const Points other = generator->make(changed).view().to_points();
      const bool same = other.rows() == rows.rows() && other.cols() == rows.cols() && other == rows;
      if (!same) takes += (takes.empty() ? "" : ", ") + option;
    }
    EXPECT_EQ(generator->takes, takes) << generator->name;
  }
}

TEST(Generator, RefusesAnUnknownNameAndSuggestsTheNearest) {
  try {
    generate("mons", {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    EXPECT_NE(error.message().find("mons"), std::string::npos);
    EXPECT_NE(error.hint().find("moons"), std::string::npos);
  }
}

TEST(Generator, RefusesOptionsOutsideTheirLimits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(code_of("circles", {.n = 0}), ErrorCode::bad_option_value);
  EXPECT_EQ(code_of("digits", {.n = -5}), ErrorCode::bad_option_value);
  EXPECT_EQ(code_of("moons", {.noise = -0.1}), ErrorCode::bad_option_value);
  EXPECT_EQ(code_of("moons", {.noise = kNan}), ErrorCode::bad_option_value);
  EXPECT_EQ(code_of("moons", {.noise = kInfinity}), ErrorCode::bad_option_value);
  EXPECT_EQ(code_of("blobs", {.dim = 0}), ErrorCode::bad_option_value);
  EXPECT_EQ(code_of("blobs", {.classes = 0}), ErrorCode::bad_option_value);
}

}  // namespace generator_test
}  // namespace mercer
