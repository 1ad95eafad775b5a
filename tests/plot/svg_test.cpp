// What is written as SVG: numbers, texts that look like code, the same bytes for the same scene.
#include "mercer/plot/svg.h"

#include "mercer/plot/draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace mercer::plot {
namespace svg_test {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST(Svg, WritesCoordinatesToHundredths) {
  EXPECT_EQ(coordinate(0), "0");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(1.5), "1.5");
  EXPECT_EQ(coordinate(-0.05), "-0.05");
  EXPECT_EQ(coordinate(123.456), "123.46");
  EXPECT_EQ(coordinate(std::nan("")), "0");
  EXPECT_EQ(coordinate(std::numeric_limits<double>::infinity()), "0");
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-3000, 3000);
  for (int i = 0; i < 1000; ++i) {
    const double value = any(random);
    const std::string text = coordinate(value);
    EXPECT_LE(std::abs(std::stod(text) - value), 0.005 + 1e-9);
    EXPECT_TRUE(text.find('.') == text.npos || text.back() != '0') << text;
  }
}

TEST(Svg, ShowsCodeAsText) {
  const std::string code = "<script>alert('x')</script>&\"";
  EXPECT_EQ(escaped(code), "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;");
  Figure figure{.title = code, .subtitle = code, .panels = {}};
  Panel& panel = figure.panels.emplace_back();
  panel.title = code;
  panel.x.title = panel.y.title = code;
  DotLayer dots{.x = {0, 1}, .y = {0, 1}, .looks = {{Theme::light().main()}}};
  dots.names = dots.titles = {code, code};
  panel.layers.push_back(dots);
  figure.legend_title = code;
  figure.legend = {{code, {Theme::light().main()}}};
  const std::string svg = svg_of(draw(figure, {}));
  EXPECT_EQ(svg.find("<script"), svg.npos);
  EXPECT_EQ(svg.find(" on"), svg.npos);
  EXPECT_GE(count_of(svg, "&lt;script"), 5U);
}

TEST(Svg, HasNoControlCharactersAndNoBrokenText) {
  const Figure figure{.title = std::string("a\x1b[31m\xff\0b", 9), .panels = {}};
  const std::string svg = svg_of(draw(figure, {}));
  for (const char c : svg) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 32);
}

TEST(Svg, ClosesWhatItOpensAndNamesNothing) {
  Figure figure{.title = "two", .panels = {}};
  for (int i = 0; i < 2; ++i) {
    Panel& panel = figure.panels.emplace_back();
    panel.layers.push_back(DotLayer{.x = {0.1, 0.9}, .y = {0.2, 0.7}, .looks = {{}}});
    panel.layers.push_back(LineLayer{{{{0, 0}, {1, 1}}}, Pen{}});
  }
  const std::string svg = svg_of(draw(figure, {}));
  EXPECT_EQ(count_of(svg, "<svg"), count_of(svg, "</svg>"));
  EXPECT_EQ(svg.find(" id="), svg.npos);
  EXPECT_EQ(svg.find("url("), svg.npos);
  EXPECT_EQ(svg, svg_of(draw(figure, {})));
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_TRUE(svg_of(draw(figure, {}), {.xml = false}).starts_with("<svg"));
}

TEST(Svg, TellsOfEveryDotWhereThatIsAsked) {
  Figure figure{.panels = {}};
  figure.panels.emplace_back().layers.push_back(DotLayer{.x = {0.1, 0.5, 0.9},
                                                         .y = {0.1, 0.5, 0.9},
                                                         .looks = {{}},
                                                         .titles = {"one", "two", "three"}});
  const std::string svg = svg_of(draw(figure, {}));
  EXPECT_EQ(count_of(svg, "<circle"), 3U);
  EXPECT_NE(svg.find("<title>two</title>"), svg.npos);
}

}  // namespace svg_test
}  // namespace mercer::plot
