// New rows of scaling by stress: where they have the least stress, by a scan of all places.
#include "mercer/models/detail/stress/place_point.h"
#include "mercer/models/kind/metric_mds.h"
#include "tests/models/mds_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace metric_mds_new_rows_test {

using namespace mds_cases;

TEST(MetricMds, ANewRowIsPlacedByTheDistancesItHas) {
  const Points d = read_reference("eurodist");
  const MetricMds model = MetricMds::fit(d, {.components = 2, .as = "distance"});
  EXPECT_TRUE(model.takes_gaps());
  // Distances of a place in the plane to the cities: most of them find it, too.
  Points fresh(1, d.cols());
  const Vector place = model.configuration().colwise().mean();
  for (Index i = 0; i < d.cols(); ++i)
    fresh(0, i) = (model.configuration().row(i).transpose() - place).norm();
  for (const Index gap : {0, 4, 5, 11}) fresh(0, gap) = std::nan("");
  const Block placed = model.transform(fresh);
  EXPECT_LE((placed.row(0).transpose() - place).norm(), 1e-9 * fresh(0, 1));
  fresh.setConstant(std::nan(""));
  EXPECT_EQ(test::code_of([&] { model.transform(fresh); }), "M212");
  const MetricMds table = MetricMds::fit(test::random_points({.n = 9, .dim = 3, .seed = 1}));
  EXPECT_FALSE(table.takes_gaps());
}

TEST(MetricMds, NewPointsHaveTheLeastStressOfAllPlaces) {
  const Points x = test::random_points({.n = 15, .dim = 4, .seed = 6});
  const MetricMds model = MetricMds::fit(x, {.components = 2});
  const Block z = model.configuration();
  const Points fresh = 1.5 * test::random_points({.n = 12, .dim = 4, .seed = 7});
  const Points cross = distances(fresh, x);
  const Points placed = model.transform(fresh);
  const MetricMds given = MetricMds::fit(distances(x, x), {.components = 2, .as = "distance"});
  EXPECT_LE(test::max_abs(given.configuration() - z), 1e-8);
  EXPECT_LE(test::max_abs(given.transform(cross) - placed), 1e-6);
  const Vector ones = Vector::Ones(15);
  for (Index i = 0; i < 12; ++i) {
    const Vector wanted = cross.row(i).transpose();
    const double reached = detail::stress_of_point(z, wanted, ones, placed.row(i).transpose());
    double least = 1e300;
    for (int s = -200; s <= 200; ++s)
      for (int t = -200; t <= 200; ++t)
        least =
            std::min(least, detail::stress_of_point(z, wanted, ones, Eigen::Vector2d(s, t) * 0.03));
    EXPECT_LE(reached, least * (1 + 1e-9)) << i;
  }
  // Training rows are where they are.
  EXPECT_TRUE(model.transform(x) == z);
  EXPECT_TRUE(model.training_scores(x) == z);
}

TEST(MetricMds, NewPointsOnALineHaveTheLeastStressToo) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Block z = 2 * test::random_points({.n = 12, .dim = 1, .seed = seed + 20});
    const Vector wanted = test::random_points({.n = 12, .dim = 1, .seed = seed + 80}).cwiseAbs();
    const Vector weights = test::random_points({.n = 12, .dim = 1, .seed = seed + 160}).cwiseAbs2();
    const Vector placed = detail::place_point(z, wanted, weights);
    double least = 1e300;
    for (int s = -4000; s <= 4000; ++s)
      least = std::min(least,
                       detail::stress_of_point(z, wanted, weights, Vector::Constant(1, s * 0.003)));
    EXPECT_LE(detail::stress_of_point(z, wanted, weights, placed), least * (1 + 1e-12)) << seed;
  }
}

TEST(MetricMds, NewPointsOfEmbeddableDataFindTheirPlace) {
  const Points x = test::random_points({.n = 40, .dim = 3, .seed = 8});
  const Points fresh = test::random_points({.n = 30, .dim = 3, .seed = 9});
  const MetricMds model = MetricMds::fit(x, {.components = 3});
  const Points placed = model.transform(fresh), z = model.configuration();
  EXPECT_LE(test::max_abs(distances(placed, z) - distances(fresh, x)), 1e-11);
}

}  // namespace metric_mds_new_rows_test
}  // namespace mercer
