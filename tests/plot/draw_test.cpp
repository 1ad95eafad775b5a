// Where things stand in a picture: the legend outside the data, labels that do not overlap, dots
// where the scale says, in pictures of many sizes.
#include "mercer/plot/draw.h"

#include "mercer/plot/raster.h"
#include "mercer/plot/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mercer::plot {
namespace draw_test {

Figure classes_figure(Index classes, std::size_t rows, const std::string& long_name = "") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Figure figure{.title = "A title", .subtitle = "and more", .panels = {}};
  Panel& panel = figure.panels.emplace_back();
  panel.x = {.title = "PC1 (40 %)", .extent = {-4, 4}};
  panel.y = {.title = "PC2 (20 %)", .extent = {-4, 4}};
  DotLayer dots;
  for (Index c = 0; c < classes; ++c) {
    dots.looks.push_back(look_of_class(c, Theme::light()));
    figure.legend.push_back({"class " + std::to_string(c) + long_name, dots.looks.back()});
  }
  for (std::size_t i = 0; i < rows; ++i) {
    dots.x.push_back(normal(random));
    dots.y.push_back(normal(random));
    dots.group.push_back(static_cast<Index>(i) % classes);
    dots.names.push_back("row " + std::to_string(i));
  }
  panel.layers.push_back(std::move(dots));
  return figure;
}

std::vector<TextMark> texts_of(const Scene& scene) {
  std::vector<TextMark> texts;
  for (const Scene::Entry& entry : scene.marks)
    if (const auto* text = std::get_if<TextMark>(&entry.mark);
        text != nullptr && !text->text.empty())
      texts.push_back(*text);
  return texts;
}

// The box of a text's letters, as wide as the ruler says.
Box box_of(const TextMark& text, const TextRuler& ruler) {
  const double width = ruler.width(text.text, text.size, text.bold);
  const double share = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? 0.5 : 1;
  if (text.upright)
    return {text.at.x - 0.75 * text.size, text.at.y - (1 - share) * width, 0.75 * text.size, width};
  return {text.at.x - share * width, text.at.y - 0.75 * text.size, width, 0.75 * text.size};
}

TEST(Draw, TextsStayInsideAndDoNotOverlap) {
  for (const Index classes : {1, 2, 5, 8, 12, 40})
    for (const auto& [width, height] : {std::pair{640.0, 460.0},
                                        {420.0, 300.0},
                                        {1200.0, 500.0},
                                        {300.0, 300.0},
                                        {120.0, 90.0}}) {
      for (const char* name : {"", ", which has a name that is very long indeed"}) {
        Style style{.width = width, .height = height};
        const Scene scene = draw(classes_figure(classes, 30, name), style);
        const std::vector<TextMark> texts = texts_of(scene);
        for (std::size_t i = 0; i < texts.size(); ++i) {
          const Box box = box_of(texts[i], style.ruler);
          EXPECT_GE(box.left, -0.5) << texts[i].text;
          EXPECT_LE(box.right(), width + 0.5) << texts[i].text << " " << width << "x" << height;
          EXPECT_GE(box.top, -0.5) << texts[i].text;
          EXPECT_LE(box.bottom(), height + 0.5) << texts[i].text << " " << width << "x" << height;
          for (std::size_t j = 0; j < i; ++j)
            EXPECT_FALSE(box.overlaps(box_of(texts[j], style.ruler)))
                << texts[i].text << " / " << texts[j].text << " " << width << "x" << height << " "
                << classes;
        }
      }
    }
}

TEST(Draw, LegendStandsOutsideTheData) {
  for (const double width : {640.0, 350.0}) {
    const Style style{.width = width, .height = 460};
    const Scene scene = draw(classes_figure(4, 200), style);
    Box inside;
    for (const Scene::Entry& entry : scene.marks)
      if (entry.clip) inside = *entry.clip;
    ASSERT_GT(inside.width, 0.4 * width);
    int entries = 0;
    for (const TextMark& text : texts_of(scene)) {
      if (!text.text.starts_with("class ")) continue;
      ++entries;
      EXPECT_FALSE(box_of(text, style.ruler).overlaps(inside)) << text.text;
    }
    EXPECT_EQ(entries, 4);
  }
}

TEST(Draw, DotsLieWhereTheScaleSays) {
  Figure figure{.panels = {}};
  Panel& panel = figure.panels.emplace_back();
  panel.x.extent = {10, 20};
  panel.y.extent = {-1, 1};
  panel.layers.push_back(DotLayer{.x = {10, 15, 20}, .y = {-1, 0, 1}, .looks = {{}}});
  const Scene scene = draw(figure, {});
  for (const Scene::Entry& entry : scene.marks) {
    const auto* dots = std::get_if<DotsMark>(&entry.mark);
    if (dots == nullptr) continue;
    const Box& in = *entry.clip;
    ASSERT_EQ(dots->at.size(), 3U);
    EXPECT_NEAR(dots->at[0].x, in.left, 1e-9);
    EXPECT_NEAR(dots->at[0].y, in.bottom(), 1e-9);
    EXPECT_NEAR(dots->at[1].x, in.left + in.width / 2, 1e-9);
    EXPECT_NEAR(dots->at[2].x, in.right(), 1e-9);
    EXPECT_NEAR(dots->at[2].y, in.top, 1e-9);
  }
}

TEST(Draw, EqualUnitsAreEquallyLong) {
  Figure figure{.panels = {}};
  Panel& panel = figure.panels.emplace_back();
  panel.x.extent = {0, 1};
  panel.y.extent = {0, 1};
  panel.equal = true;
  panel.layers.push_back(LineLayer{{{{0, 0}, {1, 0}, {1, 1}}}, Pen{}});
  for (const auto& [width, height] : {std::pair{900.0, 300.0}, {300.0, 700.0}}) {
    const Scene scene = draw(figure, {.width = width, .height = height});
    const auto& path = std::get<PathMark>(scene.marks.back().mark);
    EXPECT_NEAR(path.lines[0][1].x - path.lines[0][0].x, path.lines[0][1].y - path.lines[0][2].y,
                1e-9);
  }
}

// Of any picture, the inside of a panel that has a shape keeps it, within its part of the picture.
TEST(Draw, ShapesAreKept) {
  Figure figure{.panels = {}};
  for (int i = 0; i < 3; ++i) {
    Panel& panel = figure.panels.emplace_back();
    panel.title = "a map";
    panel.x = {.title = "x", .extent = {-1, 1}};
    panel.y = {.title = "y", .extent = {-1, 1}};
    panel.shape = 1.25;
    panel.layers.push_back(DotLayer{.x = {0}, .y = {0}, .looks = {{}}});
  }
  for (const auto& [width, height] :
       {std::pair{900.0, 300.0}, {170.0, 900.0}, {640.0, 640.0}, {1200.0, 260.0}}) {
    int panels = 0;
    for (const Scene::Entry& entry : draw(figure, {.width = width, .height = height}).marks) {
      if (!entry.clip) continue;
      ++panels;
      EXPECT_NEAR(entry.clip->height, 1.25 * entry.clip->width, 1e-9);
      EXPECT_GE(entry.clip->left, 0);
      EXPECT_LE(entry.clip->right(), width);
      EXPECT_LE(entry.clip->bottom(), height);
    }
    EXPECT_EQ(panels, 3);
  }
}

// A name cannot turn what stands beside it.
TEST(Draw, NamesDoNotTurnTheWriting) {
  EXPECT_EQ(one_line("a\u202eb\u2066c\u200fd\u00e9\u6f22"), "a\uFFFDb\uFFFDc\uFFFDd\u00e9\u6f22");
}

// Above kManyDots a picture is an image: the file does not grow with the rows.
TEST(Draw, ManyDotsBecomeAnImage) {
  Figure figure = classes_figure(3, 60'000);
  std::get<DotLayer>(figure.panels[0].layers[0]).names.clear();
  const std::string svg = svg_of(draw(figure, {}));
  EXPECT_NE(svg.find("<image"), svg.npos);
  EXPECT_LT(svg.size(), 600'000U);
}

TEST(Draw, NothingOrOnePointOrEqualOnesAreDrawn) {
  for (const std::size_t rows : {0U, 1U, 50U}) {
    Figure figure{.panels = {}};
    Panel& panel = figure.panels.emplace_back();
    DotLayer dots{.looks = {{}}};
    dots.x = dots.y = std::vector<double>(rows, 3.5);
    panel.x.extent = panel.y.extent = widened(extent_of(dots.x), 0.05);
    panel.layers.push_back(dots);
    const std::string svg = svg_of(draw(figure, {}));
    EXPECT_EQ(svg.find("nan"), svg.npos);
    EXPECT_EQ(svg.find("inf"), svg.npos);
  }
}

TEST(Raster, IsAsLargeAsItsInchesSay) {
  const Scene scene = draw(classes_figure(2, 20), {.width = 200, .height = 100});
  const Pixels pixels = pixels_of(scene, 192);
  EXPECT_EQ(pixels.width, 400);
  EXPECT_EQ(pixels.height, 200);
  EXPECT_EQ(pixels.rgba.size(), 4U * 400 * 200);
  EXPECT_EQ(pixels.rgba[0], 255);  // the background of a corner
  const std::string png = png_of(scene), pdf = pdf_of(scene);
  EXPECT_TRUE(png.starts_with("\x89PNG"));
  EXPECT_TRUE(pdf.starts_with("%PDF"));
  EXPECT_EQ(png, png_of(scene));
  EXPECT_EQ(pdf, pdf_of(scene));
}

// A filled square of known corners: every pixel inside has its colour, every one outside has not.
TEST(Raster, FillsWhatThePathEncloses) {
  Scene scene{40, 30, Theme::light().background, {}, {}, {}};
  scene.add(PathMark{{{{10, 5}, {30, 5}, {30, 25}, {10, 25}}}, true, Colour{200, 0, 0}});
  const Pixels pixels = pixels_of(scene);
  for (Index r = 0; r < 30; ++r)
    for (Index c = 0; c < 40; ++c) {
      const bool in = c >= 10 && c < 30 && r >= 5 && r < 25;
      EXPECT_EQ(pixels.rgba[static_cast<std::size_t>(4 * (r * 40 + c) + 1)], in ? 0 : 255)
          << r << " " << c;
    }
}

}  // namespace draw_test
}  // namespace mercer::plot
