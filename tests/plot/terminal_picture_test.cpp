// Pictures of characters: as many lines and columns as asked, dots where they belong, colours only
// where there are some; what the protocols of terminals are sent can be read back.
#include "mercer/plot/terminal_picture.h"

#include <gtest/gtest.h>

#include <set>

namespace mercer::plot {
namespace terminal_picture_test {

Scene one_dot(double x, double y) {
  Scene scene{10 * kCellWidth, 5 * kCellHeight, Theme::light().background, {}, {}, {}};
  scene.add(DotsMark{Symbol::circle, 3, Colour{255, 0, 0}, {{x, y}}});
  return scene;
}

TEST(Characters, ADotIsTheBrailleDotOfItsPlace) {
  // Column 2, row 1; the right upper dot of the cell (U+2808).
  const std::string text = characters_of(one_dot(2 * 8 + 5, 16 + 1), TerminalColours::none);
  EXPECT_EQ(text, "\n  \u2808\n\n\n\n");
  // The left lower one (U+2840).
  EXPECT_EQ(characters_of(one_dot(1, 15), TerminalColours::none), "\u2840\n\n\n\n\n");
}

TEST(Characters, ColoursComeAndGo) {
  EXPECT_EQ(characters_of(one_dot(1, 1), TerminalColours::all),
            "\x1b[0m\x1b[38;2;255;0;0m\u2801\x1b[0m\n\n\n\n\n");
  EXPECT_EQ(characters_of(one_dot(1, 1), TerminalColours::palette),
            "\x1b[0m\x1b[38;5;196m\u2801\x1b[0m\n\n\n\n\n");
  EXPECT_EQ(characters_of(one_dot(1, 1), TerminalColours::none).find('\x1b'), std::string::npos);
}

TEST(Characters, TextsStandInCells) {
  Scene scene{10 * kCellWidth, 2 * kCellHeight, Theme::light().background, {}, {}, {}};
  scene.add(TextMark{"abc", {80, 16 + 12}, 16, {}, Anchor::end});
  scene.add(TextMark{"é", {40, 12}, 16, {}, Anchor::start});
  EXPECT_EQ(characters_of(scene, TerminalColours::none), "     é\n       abc\n");
}

TEST(Characters, AreAsManyAsAskedFor) {
  Figure figure{.title = "title", .panels = {}};
  Panel& panel = figure.panels.emplace_back();
  panel.x = {.title = "across", .extent = {0, 1}};
  panel.y = {.title = "up", .extent = {0, 1}};
  panel.layers.push_back(DotLayer{.x = {0.2, 0.8}, .y = {0.3, 0.9}, .looks = {{}}});
  for (const auto& [columns, rows] : {std::pair<Index, Index>{80, 24}, {40, 12}, {120, 40}}) {
    const std::string text = characters_of(
        draw(figure, style_of_cells(columns, rows, Theme::light())), TerminalColours::none);
    EXPECT_EQ(static_cast<Index>(std::count(text.begin(), text.end(), '\n')), rows);
    for (const char* word : {"title", "across", "up", "1.0"})
      EXPECT_NE(text.find(word), text.npos) << word << "\n" << text;
  }
}

// Without colours, an image is shaded by how far it is from the background.
TEST(Characters, ImagesAreShadesOfInk) {
  for (const bool dark : {false, true}) {
    const Theme theme = dark ? Theme::dark_one() : Theme::light();
    Scene scene{3 * kCellWidth, kCellHeight, theme.background, {}, {}, {}};
    ImageMark image{{0, 0, scene.width, scene.height}, 3, 1, {}};
    for (const Colour& c : {theme.background, mix(theme.background, theme.ink, 0.5), theme.ink})
      image.rgba.insert(image.rgba.end(), {c.red, c.green, c.blue, 255});
    scene.add(image);
    EXPECT_EQ(characters_of(scene, TerminalColours::none), " ▒█\n");
  }
}

TEST(Protocols, KittyTakesAPngInPieces) {
  const std::string sent = kitty_image(std::string(5000, 'x'));
  EXPECT_TRUE(sent.starts_with("\x1b_Gf=100,a=T,m=1;eHh4"));
  EXPECT_NE(sent.find("\x1b_Gm=0;"), sent.npos);
  for (std::size_t at = 0, end = 0; (at = sent.find(';', end)) != sent.npos;) {
    end = sent.find('\x1b', at);
    EXPECT_LE(end - at - 1, 4096U);
  }
}

// Read back by a little reader of sixels: repeats, colours, ends of lines.
TEST(Protocols, SixelsReadBack) {
  Pixels pixels{7, 8, {}};
  for (Index i = 0; i < 7 * 8; ++i) {
    const std::uint8_t on = i % 3 == 0 ? 255 : 0;
    pixels.rgba.insert(pixels.rgba.end(), {on, 0, static_cast<std::uint8_t>(255 - on), 255});
  }
  const std::string sent = sixel_image(pixels);
  ASSERT_TRUE(sent.starts_with("\x1bPq\"1;1;7;8"));
  std::vector<int> colour(7 * 12, -1);
  int now = -1, x = 0, y = 0, repeat = 1;
  for (std::size_t at = sent.find('#'); at < sent.size() && sent[at] != '\x1b';) {
    const char c = sent[at++];
    if (c == '#') {
      std::size_t used = 0;
      now = std::stoi(sent.substr(at), &used);
      at += used;
      while (sent[at] == ';' || (sent[at] >= '0' && sent[at] <= '9')) ++at;
    } else if (c == '!') {
      std::size_t used = 0;
      repeat = std::stoi(sent.substr(at), &used);
      at += used;
    } else if (c == '$' || c == '-') {
      x = 0;
      if (c == '-') y += 6;
    } else {
      for (; repeat > 0; --repeat, ++x)
        for (int bit = 0; bit < 6; ++bit)
          if ((c - '?') >> bit & 1) colour[static_cast<std::size_t>((y + bit) * 7 + x)] = now;
      repeat = 1;
    }
  }
  std::set<int> on, off;
  for (int i = 0; i < 7 * 8; ++i)
    (i % 3 == 0 ? on : off).insert(colour[static_cast<std::size_t>(i)]);
  EXPECT_EQ(on.size(), 1U);
  EXPECT_EQ(off.size(), 1U);
  EXPECT_NE(*on.begin(), *off.begin());
}

}  // namespace terminal_picture_test
}  // namespace mercer::plot
