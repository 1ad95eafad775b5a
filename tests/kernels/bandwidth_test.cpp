// The median distance against brute force, at every scale a double has.
#include "mercer/kernels/bandwidth.h"

#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/nearest_distance.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"
#include "tests/support/sparse_rows.h"

#include <gtest/gtest.h>

namespace mercer {
namespace bandwidth_test {

using test::kUnit;

/// Median of the positive distances, by sorting all of them in long double.
double brute_median(const Points& x, Metric metric = Metric::euclidean) {
  std::vector<long double> distances;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      long double sum = 0;
      for (Index k = 0; k < x.cols(); ++k) {
        const long double difference = static_cast<long double>(x(i, k)) - x(j, k);
        sum += metric == Metric::euclidean ? difference * difference : std::abs(difference);
      }
      if (sum > 0) distances.push_back(metric == Metric::euclidean ? std::sqrt(sum) : sum);
    }
  std::sort(distances.begin(), distances.end());
  const std::size_t half = distances.size() / 2;
  if (distances.size() % 2 == 1) return static_cast<double>(distances[half]);
  return static_cast<double>((distances[half - 1] + distances[half]) / 2);
}

TEST(MedianDistance, EqualsBruteForceForEvenAndOddNumbersOfPairs) {
  for (const Index n : {2, 3, 4, 5, 6, 50, 51}) {
    const Points x = test::random_points({.n = n, .dim = 3, .seed = static_cast<std::uint64_t>(n)});
    const Bandwidth width = median_distance(x, {});
    EXPECT_TRUE(width.exact);
    EXPECT_EQ(width.pairs, n * (n - 1) / 2);
    EXPECT_NEAR(width.median, brute_median(x), 8 * kUnit * width.median) << n;
    const double by_sum = median_distance(x, {}, Metric::coordinate_sum).median;
    EXPECT_NEAR(by_sum, brute_median(x, Metric::coordinate_sum), 8 * kUnit * by_sum) << n;
    EXPECT_GT(by_sum, width.median);
  }
}

TEST(MedianDistance, FollowsPowersOfTwoWithoutRounding) {
  const Points x = test::random_points({.n = 40, .dim = 4, .seed = 1});
  const double base = median_distance(x, {}).median;
  for (const int power : {-1000, -500, -1, 1, 500, 1000}) {
    const double factor = std::ldexp(1.0, power);
    EXPECT_EQ(median_distance(Points(x * factor), {}).median, base * factor) << power;
  }
}

TEST(MedianDistance, NeitherOverflowsNorVanishesAtExtremeScales) {
  const Points x = test::random_points({.n = 40, .dim = 4, .seed = 2});
  const double base = median_distance(x, {}).median;
  for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
    const double median = median_distance(Points(x * scale), {}).median;
    EXPECT_NEAR(median / scale, base, 30 * kUnit * base) << scale;
  }
}

TEST(MedianDistance, LeavesOutZeroDistancesAndSaysSo) {
  Points x = Points::Zero(10, 1);
  x(8, 0) = 1;
  x(9, 0) = 4;  // 28 of 45 pairs are equal; distances 1 (8 times), 4 (8 times) and 3
  const Bandwidth width = median_distance(x, {});
  EXPECT_EQ(width.median, 3);
  EXPECT_TRUE(test::has_warning(width.warnings, WarningCode::many_duplicates));
  const Points distinct = test::random_points({.n = 10, .dim = 1, .seed = 3});
  EXPECT_FALSE(
      test::has_warning(median_distance(distinct, {}).warnings, WarningCode::many_duplicates));
}

TEST(MedianDistance, RefusesEqualRowsAndSingleRows) {
  EXPECT_EQ(test::code_of([] { median_distance(Points(Points::Ones(5, 2)), {}); }), "M231");
  EXPECT_EQ(test::code_of([] { median_distance(Points(Points::Ones(1, 2)), {}); }), "M230");
}

TEST(MedianDistance, WarnsWhenDistancesConcentrate) {
  const Points wide = test::random_points({.n = 60, .dim = 2000, .seed = 4});
  const Bandwidth width = median_distance(wide, {});
  EXPECT_LT(width.variation, 0.1);
  EXPECT_TRUE(test::has_warning(width.warnings, WarningCode::distances_concentrate));
  const Points flat = test::random_points({.n = 60, .dim = 2, .seed = 5});
  EXPECT_FALSE(
      test::has_warning(median_distance(flat, {}).warnings, WarningCode::distances_concentrate));
}

TEST(MedianDistance, OfASampleIsCloseAndAPropertyOfTheData) {
  const Points x = test::random_points({.n = 2500, .dim = 3, .seed = 6});
  const Bandwidth width = median_distance(x, {});
  EXPECT_FALSE(width.exact);
  EXPECT_EQ(width.pairs, 1'000'000);
  // |x - y|^2 / 2 is chi-square with 3 degrees of freedom, whose median is 2.36597. Five standard
  // errors: 5e-4 / (f med) of the sampling (f med > 0.5), and 1 / sqrt(n) of the data themselves.
  const double exact = std::sqrt(2 * 2.36597);
  EXPECT_NEAR(width.median, exact, 5 * (1e-3 + 0.5 / std::sqrt(2500)) * exact);
  EXPECT_NEAR(width.median, brute_median(x), 5e-3 * exact);
  Context three;
  three.budget.threads = 3;
  EXPECT_EQ(median_distance(x, three).median, width.median);
}

TEST(MedianDistance, IsTheSameForEveryElementTypeAndOrder) {
  const Points whole =
      (test::random_points({.n = 30, .dim = 4, .seed = 7}) * 20).array().round() + 100;
  const double expected = median_distance(whole, {}).median;
  const Eigen::MatrixXf single = whole.cast<float>();
  const Eigen::Matrix<unsigned char, -1, -1, Eigen::RowMajor> bytes = whole.cast<unsigned char>();
  EXPECT_EQ(median_distance(single, {}).median, expected);
  EXPECT_EQ(median_distance(bytes, {}).median, expected);
}

/// Mean distance to the nearest row that differs, in long double.
double brute_nearest(const Points& x, Metric metric = Metric::euclidean) {
  long double sum_of_all = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    long double nearest = std::numeric_limits<long double>::infinity();
    for (Index j = 0; j < x.rows(); ++j) {
      long double sum = 0;
      for (Index k = 0; k < x.cols(); ++k) {
        const long double difference = static_cast<long double>(x(i, k)) - x(j, k);
        sum += metric == Metric::euclidean ? difference * difference : std::abs(difference);
      }
      if (sum > 0) nearest = std::min(nearest, metric == Metric::euclidean ? std::sqrt(sum) : sum);
    }
    sum_of_all += nearest;
  }
  return static_cast<double>(sum_of_all / static_cast<long double>(x.rows()));
}

TEST(NearestDistance, EqualsBruteForceInBothMetricsAndPassesOverCopies) {
  for (const Index n : {2, 3, 33, 200}) {
    Points x = test::random_points({.n = n, .dim = 3, .seed = static_cast<std::uint64_t>(n)});
    if (n > 2) x.row(2) = x.row(0);
    for (const Metric metric : {Metric::euclidean, Metric::coordinate_sum}) {
      const double expected = brute_nearest(x, metric);
      EXPECT_NEAR(mean_nearest_distance(x, {}, metric), expected, 8 * kUnit * expected) << n;
    }
  }
}

TEST(NearestDistance, OfASampleIsCloseTheSameForSparseRowsAndAnyNumberOfThreads) {
  Points x = test::random_points({.n = 2500, .dim = 3, .seed = 6});
  x = (x.array() < -0.5).select(0.0, x);
  const double sampled = mean_nearest_distance(x, {});
  // The distances vary about as much as they are long: 1000 of them err by 3 hundredths.
  EXPECT_NEAR(sampled, brute_nearest(x), 0.15 * sampled);
  Context three;
  three.budget.threads = 3;
  EXPECT_EQ(mean_nearest_distance(x, three), sampled);
  const Dataset sparse = test::sparse_rows(x);
  EXPECT_NEAR(mean_nearest_distance(sparse, {}), sampled, 8 * kUnit * sampled);
}

TEST(NearestDistance, FollowsPowersOfTwoAndRefusesEqualRows) {
  const Points x = test::random_points({.n = 40, .dim = 4, .seed = 1});
  const double base = mean_nearest_distance(x, {});
  for (const int power : {-1000, 1000}) {
    const double factor = std::ldexp(1.0, power);
    EXPECT_EQ(mean_nearest_distance(Points(x * factor), {}), base * factor) << power;
  }
  EXPECT_EQ(test::code_of([] { mean_nearest_distance(Points(Points::Ones(5, 2)), {}); }), "M231");
  EXPECT_EQ(test::code_of([] { mean_nearest_distance(Points(Points::Ones(1, 2)), {}); }), "M230");
}

TEST(Resolve, WidthsAreFoundByTheRuleThatWasWritten) {
  const Points x = test::random_points({.n = 30, .dim = 2, .seed = 8});
  const double median = median_distance(x, {}).median, nearest = mean_nearest_distance(x, {});
  const auto sigma = [&](const char* spec) {
    return std::get<Gaussian>(Kernel(spec).resolve(x, {}).terms()[0].factors[0]).sigma;
  };
  EXPECT_EQ(sigma("gaussian:sigma=0.5*median"), 0.5 * median);
  EXPECT_EQ(sigma("gaussian:sigma=median/4"), 0.25 * median);
  EXPECT_EQ(sigma("gaussian:sigma=nearest"), nearest);
  EXPECT_EQ(sigma("gaussian:sigma=3*nearest"), 3 * nearest);
}

TEST(Resolve, EachFactorOfASumOfProductsHasItsOwnRule) {
  const Points x = test::random_points({.n = 30, .dim = 2, .seed = 8});
  const double median = median_distance(x, {}).median, nearest = mean_nearest_distance(x, {});
  const Kernel asked(
      "linear*gaussian:sigma=2*median*gaussian:sigma=nearest+gaussian:sigma=median*3");
  EXPECT_EQ(
      asked.spec(),
      "linear:offset=0*gaussian:sigma=2*median*gaussian:sigma=nearest+3*gaussian:sigma=median");
  EXPECT_EQ(Kernel(asked.spec()).spec(), asked.spec());
  EXPECT_EQ(asked.found_from_data(), "sigma = 2 times the median distance");
  const Kernel kernel = asked.resolve(x, {});
  EXPECT_EQ(std::get<Gaussian>(kernel.terms()[0].factors[1]).sigma, 2 * median);
  EXPECT_EQ(std::get<Gaussian>(kernel.terms()[0].factors[2]).sigma, nearest);
  EXPECT_EQ(std::get<Gaussian>(kernel.terms()[1].factors[0]).sigma, median);
  EXPECT_EQ(kernel.terms()[1].weight, 3);
}

TEST(Resolve, RulesWithoutASenseAreRefused) {
  for (const char* spec : {"gaussian:sigma=0*median", "gaussian:sigma=-1*median",
                           "gaussian:sigma=median/0", "gaussian:sigma=median/", "gaussian:sigma=/2",
                           "gaussian:sigma=mean", "polynomial:offset=median"})
    EXPECT_EQ(test::code_of([&] { Kernel{spec}; }), "M105") << spec;
}

TEST(Resolve, PutsTheMedianIntoEveryFamilyThatAsksForIt) {
  const Points x = test::random_points({.n = 30, .dim = 2, .seed = 8});
  const double median = median_distance(x, {}).median;
  const Kernel kernel = Kernel("gaussian+2*gaussian:sigma=3+linear").resolve(x, {});
  EXPECT_TRUE(kernel.resolved());
  EXPECT_EQ(std::get<Gaussian>(kernel.terms()[0].factors[0]).sigma, median);
  EXPECT_EQ(std::get<Gaussian>(kernel.terms()[1].factors[0]).sigma, 3);
}

/// Every parameter of the catalogue that may be found from the data, spelt out.
std::vector<std::string> found_specs() {
  std::vector<std::string> specs;
  for (const FamilyInfo& family : kernel_families()) {
    for (const char* name : {"sigma", "length", "c"}) {
      const std::string spec = family.name + ":" + name + "=median";
      if (test::code_of([&] { Kernel{spec}; }) == "no error") specs.push_back(spec);
    }
  }
  return specs;
}

TEST(Resolve, EveryFamilyWithALengthTakesTheMedianOfItsOwnDistance) {
  const std::vector<std::string> specs = found_specs();
  EXPECT_EQ(specs.size(), 9U);  // five lengths by default, four c on request
  const Points x = test::random_points({.n = 41, .dim = 3, .seed = 9});
  for (const std::string& spec : specs) {
    const Kernel asked(spec);
    EXPECT_FALSE(asked.resolved()) << spec;
    EXPECT_EQ(Kernel(asked.spec()).spec(), asked.spec());
    const Kernel kernel = asked.resolve(x, {});
    const bool by_sum = kernel.uses(Form::differences);
    const double expected = brute_median(x, by_sum ? Metric::coordinate_sum : Metric::euclidean);
    const std::string text = kernel.spec(), name = spec.substr(0, spec.find("=median"));
    const std::string parameter = name.substr(name.find(':') + 1) + "=";
    const std::size_t at = text.find(parameter) + parameter.size();
    EXPECT_NEAR(std::stod(text.substr(at)), expected, 8 * kUnit * expected) << text;
  }
}

TEST(Resolve, TheMedianOfSparseRowsIsThatOfTheSameRowsWrittenOut) {
  Points x = test::random_points({.n = 30, .dim = 6, .seed = 10});
  x = (x.array() < 0.5).select(0.0, x);
  const Dataset sparse = test::sparse_rows(x);
  for (const Metric metric : {Metric::euclidean, Metric::coordinate_sum}) {
    const double dense = median_distance(x, {}, metric).median;
    EXPECT_NEAR(median_distance(sparse, {}, metric).median, dense, 8 * kUnit * dense);
    EXPECT_NEAR(dense, brute_median(x, metric), 8 * kUnit * dense);
  }
}

}  // namespace bandwidth_test
}  // namespace mercer
