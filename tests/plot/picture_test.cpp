// Pictures as files and characters, and what is said of rows in place of what the model says.
#include "mercer/plot/picture.h"

#include "mercer/core/error.h"
#include "mercer/data/generator.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/plot/kind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace mercer::plot {
namespace {

ErrorCode code_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

Figure small_figure() {
  Figure figure;
  figure.title = "three dots";
  Panel panel;
  panel.x.extent = panel.y.extent = {0, 2};
  panel.layers.push_back(DotLayer{.x = {0, 1, 2}, .y = {0, 1, 0}, .looks = {{}}});
  figure.panels.push_back(panel);
  return figure;
}

TEST(Picture, TheNameOfAFileSaysItsFormat) {
  EXPECT_EQ(picture_format("a.svg"), PictureFormat::svg);
  EXPECT_EQ(picture_format("folder.pdf/A.PNG"), PictureFormat::png);
  EXPECT_EQ(picture_format("-"), PictureFormat::svg);
  EXPECT_EQ(code_of([] { picture_format("a.gif"); }), ErrorCode::unknown_format);
}

TEST(Picture, FilesBeginAsTheirFormatDoes) {
  const Figure figure = small_figure();
  const PictureSize size = usual_size(figure);
  const auto file = [&](PictureFormat format) {
    return picture_file(figure, format, size, 96, Theme::light());
  };
  EXPECT_TRUE(file(PictureFormat::svg).starts_with("<?xml"));
  EXPECT_TRUE(file(PictureFormat::png).starts_with("\x89PNG"));
  EXPECT_TRUE(file(PictureFormat::pdf).starts_with("%PDF"));
}

TEST(Picture, CharactersKeepToTheirColumns) {
  for (const Index columns : {30, 80, 160}) {
    const std::string text =
        picture_characters(small_figure(), columns, 50, TerminalColours::none, Theme::light());
    Index widest = 0, width = 0;
    for (const char c : text) {
      if (c == '\n') width = 0;
      if (c != '\n' && (c & 0xC0) != 0x80) widest = std::max(widest, ++width);
    }
    EXPECT_LE(widest, columns);
    EXPECT_GT(widest, columns / 2);
  }
}

TEST(Picture, MarksOfRowsStandInPlaceOfTheModels) {
  const Dataset data = generate("circles", {.n = 40});
  const KernelPca model = KernelPca::fit(data, {.kernel = "gaussian:sigma=1", .components = 2});
  const Context context;
  RowMarks marks{.labels = Labels::from_texts("side", {}), .names = {"only one"}};
  marks.labels->classes = {"left", "right"};
  for (Index i = 0; i < 40; ++i) marks.labels->of_row.push_back(i < 20 ? 0 : 1);
  const PlotSource source(model, {}, context, marks);
  const Figure named = figure_of(plot_kind("scatter", source), source, {});
  ASSERT_EQ(named.legend.size(), 2U);
  EXPECT_EQ(named.legend_title, "side");
  EXPECT_EQ(named.legend[1].name, "right");
  EXPECT_FALSE(named.bar.has_value());

  RowMarks numbered{.numbers = std::vector<double>(40, 1), .numbers_name = "height"};
  numbered.numbers[7] = 3;
  const PlotSource shaded(model, {}, context, numbered);
  const Figure figure = figure_of(plot_kind("scatter", shaded), shaded, {});
  ASSERT_TRUE(figure.bar.has_value());
  EXPECT_EQ(figure.bar->title, "height");
  const auto& dots = std::get<DotLayer>(figure.panels[0].layers[0]);
  EXPECT_FALSE(dots.colours[7] == dots.colours[6]);
  EXPECT_TRUE(dots.colours[5] == dots.colours[6]);
}

}  // namespace
}  // namespace mercer::plot
