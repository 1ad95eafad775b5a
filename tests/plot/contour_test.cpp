// Contour lines against fields whose lines are known, and maps against transform().
#include "mercer/plot/contour.h"

#include "mercer/data/generator.h"
#include "mercer/models/kind.h"
#include "mercer/plot/component_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace mercer::plot {
namespace contour_test {

Field field_of(Extent x, Extent y, Index columns, Index rows,
               const std::function<double(double, double)>& f) {
  Field field{x, y, Points(rows, columns)};
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) field.values(r, c) = f(field.x_of(c), field.y_of(r));
  return field;
}

double length_of(const std::vector<Place>& line) {
  double sum = 0;
  for (std::size_t i = 1; i < line.size(); ++i)
    sum += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
  return sum;
}

// Of a plane marching squares is exact: every point is on the line, and its length is that of the
// line within the rectangle.
TEST(Contour, OfAPlaneIsTheStraightLine) {
  const auto plane = [](double x, double y) { return 2 * x - 3 * y + 0.5; };
  const Field field = field_of({-1, 2}, {-2, 1}, 31, 17, plane);
  const auto lines = contour_lines(field, 0.3);
  ASSERT_EQ(lines.size(), 1U);
  for (const Place& at : lines[0]) EXPECT_NEAR(plane(at.x, at.y), 0.3, 1e-12);
  // 2x - 3y = -0.2 enters at x = -1, y = -0.6 and leaves at x = 1.4, y = 1.
  EXPECT_NEAR(length_of(lines[0]), std::hypot(2.4, 1.6), 1e-12);
}

// Linear between nodes, the squared distance is off by at most h^2 / 4 on an edge of length h.
TEST(Contour, OfARadiusIsAClosedCircle) {
  const double h = 3.0 / 60;
  const Field field =
      field_of({-1.5, 1.5}, {-1.5, 1.5}, 61, 61, [](double x, double y) { return x * x + y * y; });
  const auto lines = contour_lines(field, 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  EXPECT_EQ(lines[0].front().y, lines[0].back().y);
  for (const Place& at : lines[0]) EXPECT_NEAR(at.x * at.x + at.y * at.y, 1, h * h / 4 + 1e-12);
  EXPECT_NEAR(length_of(lines[0]), 2 * std::numbers::pi, 1e-2);
}

// Two hills: above the saddle two closed lines, below it one around both; at a cell that is a
// saddle itself the halves do not cross.
TEST(Contour, OfTwoHillsPartsAtTheSaddle) {
  const auto hills = [](double x, double y) {
    return std::exp(-((x - 1) * (x - 1) + y * y)) + std::exp(-((x + 1) * (x + 1) + y * y));
  };
  const Field field = field_of({-3, 3}, {-2.5, 2.5}, 121, 101, hills);
  const double saddle = hills(0, 0);
  EXPECT_EQ(contour_lines(field, saddle + 0.05).size(), 2U);
  EXPECT_EQ(contour_lines(field, saddle - 0.05).size(), 1U);
  const Field cell{{0, 1}, {0, 1}, (Points(2, 2) << 1, 0, 0, 1).finished()};
  EXPECT_EQ(contour_lines(cell, 0.4).size(), 2U);
  EXPECT_EQ(contour_lines(cell, 0.6).size(), 2U);
  // Below the middle the corners of value 0 are cut off, above it those of value 1.
  for (const double level : {0.4, 0.6})
    for (const auto& line : contour_lines(cell, level)) {
      const double x = (line[0].x + line[1].x) / 2, y = (line[0].y + line[1].y) / 2;
      EXPECT_EQ((x < 0.5) == (y < 0.5), level > 0.5) << x << " " << y;
    }
}

// Every edge between a node above and one below is crossed exactly once, whatever the field.
TEST(Contour, CrossesEveryEdgeItMustAndNoOther) {
  unsigned state = 1;
  const auto drawn = [&state](double, double) {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / (1 << 24);
  };
  const Field field = field_of({0, 8}, {0, 6}, 9, 7, drawn);
  std::size_t edges = 0, interior = 0;
  for (Index r = 0; r < 7; ++r)
    for (Index c = 0; c < 9; ++c) {
      const bool above = field.values(r, c) >= 0.5;
      if (c < 8 && above != (field.values(r, c + 1) >= 0.5)) ++edges;
      if (r < 6 && above != (field.values(r + 1, c) >= 0.5)) ++edges;
    }
  for (const auto& line : contour_lines(field, 0.5)) {
    const bool closed = line.front().x == line.back().x && line.front().y == line.back().y;
    interior += line.size() - (closed ? 1 : 0);
  }
  EXPECT_EQ(interior, edges);
}

TEST(Contour, OfALevelOutsideOrOfNothingIsEmpty) {
  const Field field = field_of({0, 1}, {0, 1}, 5, 5, [](double x, double) { return x; });
  EXPECT_TRUE(contour_lines(field, 2).empty());
  EXPECT_TRUE(contour_lines(Field{{0, 1}, {0, 1}, Points(1, 1)}, 0).empty());
  const Field holes =
      field_of({0, 1}, {0, 1}, 5, 5, [](double x, double y) { return y > 0.4 ? std::nan("") : x; });
  for (const auto& line : contour_lines(holes, 0.5))
    for (const Place& at : line) EXPECT_TRUE(std::isfinite(at.x) && std::isfinite(at.y));
}

// Nodes of a map hold what transform() gives for the same rows, which are written out here.
TEST(ComponentMap, IsTransformOfTheGrid) {
  const Dataset data = generate("ring", {.n = 60, .noise = 0.1, .seed = 3});
  for (const char* kernel : {"polynomial:degree=2,offset=0.1", "sigmoid:scale=5,offset=0.5",
                             "gaussian:sigma=0.3", "thin_plate_spline:c=1"}) {
    const auto model = fit_model(kDefaultMethod, Training(data),
                                 Value::Object{{"kernel", kernel}, {"components", "3"}});
    const Context context;
    const PlotSource source(*model, {}, context);
    const MapAxes axes{0, 1, {-1.5, 1.5}, {-1.2, 1.4}, 13, 9};
    const std::vector<Field> maps = component_maps(axes, source);
    ASSERT_EQ(maps.size(), 3U);
    Points rows(13 * 9, 2);
    for (Index r = 0; r < 9; ++r)
      for (Index c = 0; c < 13; ++c) {
        rows(r * 13 + c, 0) = -1.5 + 3.0 * static_cast<double>(c) / 12;
        rows(r * 13 + c, 1) = -1.2 + 2.6 * static_cast<double>(r) / 8;
      }
    const Block scores = need<Transforms>(*model).transform(rows);
    for (Index k = 0; k < 3; ++k)
      for (Index r = 0; r < 9; ++r)
        for (Index c = 0; c < 13; ++c)
          EXPECT_NEAR(maps[static_cast<std::size_t>(k)].values(r, c), scores(r * 13 + c, k),
                      1e-12 * scores.col(k).cwiseAbs().maxCoeff())
              << kernel;
  }
}

// The columns that are not drawn are held at their median, of an even number of rows the mean of
// the two in the middle; scaling is undone.
TEST(ComponentMap, HoldsOtherColumnsAtTheirMedian) {
  const Dataset data = generate("blobs", {.n = 40, .noise = 0.3, .seed = 1, .dim = 4});
  const auto model =
      fit_model(kDefaultMethod, Training(data),
                Value::Object{{"kernel", "gaussian"}, {"components", "2"}, {"scale", "standard"}});
  const Context context;
  const PlotSource source(*model, {}, context);
  const Points grid = grid_rows({2, 0, {-1, 1}, {-2, 2}, 3, 3}, source);
  ASSERT_EQ(grid.rows(), 9);
  for (const Index held : {1, 3}) {
    std::vector<double> values;
    for (Index i = 0; i < 40; ++i) values.push_back(data.view().at(i, held));
    std::sort(values.begin(), values.end());
    for (Index i = 0; i < 9; ++i) EXPECT_NEAR(grid(i, held), (values[19] + values[20]) / 2, 1e-12);
  }
  EXPECT_EQ(grid(1, 2), 0);
  EXPECT_EQ(grid(0, 0), -2);
  EXPECT_EQ(grid(8, 0), 2);
}

}  // namespace contour_test
}  // namespace mercer::plot
