// Pixels by the protocols of terminals: kitty's takes a PNG file in pieces of base64; sixel's takes
// strips of six rows, one pass for each colour of a palette.
#include "mercer/plot/base64.h"
#include "mercer/plot/terminal_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mercer::plot {
namespace {

// 6 x 7 x 6 levels of red, green and blue: greens are told apart best.
constexpr int kReds = 6, kGreens = 7, kBlues = 6;

int level_of(int value, int levels) { return (value * (levels - 1) + 127) / 255; }

std::size_t colour_number(const std::uint8_t* pixel) {
  return static_cast<std::size_t>(
      (level_of(pixel[0], kReds) * kGreens + level_of(pixel[1], kGreens)) * kBlues +
      level_of(pixel[2], kBlues));
}

std::string palette_text(const std::vector<bool>& used) {
  std::string text;
  for (int r = 0; r < kReds; ++r)
    for (int g = 0; g < kGreens; ++g)
      for (int b = 0; b < kBlues; ++b) {
        const int number = (r * kGreens + g) * kBlues + b;
        if (used[static_cast<std::size_t>(number)])
          text += fmt::format("#{};2;{};{};{}", number, 100 * r / (kReds - 1),
                              100 * g / (kGreens - 1), 100 * b / (kBlues - 1));
      }
  return text;
}

// A run of one sixel, repeated.
void put_run(std::string& out, char sixel, Index length) {
  if (length > 3)
    out += fmt::format("!{}{}", length, sixel);
  else
    out.append(static_cast<std::size_t>(length), sixel);
}

std::string strip_text(const std::vector<std::size_t>& numbers, Index width, Index rows,
                       Index top) {
  std::vector<std::size_t> here;
  for (Index i = 0; i < rows * width; ++i)
    here.push_back(numbers[static_cast<std::size_t>(top * width + i)]);
  std::vector<std::size_t> colours = here;
  std::ranges::sort(colours);
  colours.erase(std::ranges::unique(colours).begin(), colours.end());
  std::string out;
  for (const std::size_t colour : colours) {
    out += fmt::format("#{}", colour);
    char last = 0;
    Index run = 0;
    for (Index c = 0; c < width; ++c) {
      int bits = 0;
      for (Index r = 0; r < rows; ++r)
        if (here[static_cast<std::size_t>(r * width + c)] == colour) bits |= 1 << r;
      const char sixel = static_cast<char>('?' + bits);
      if (sixel != last && run > 0) {
        put_run(out, last, run);
        run = 0;
      }
      last = sixel;
      ++run;
    }
    put_run(out, last, run);
    out += '$';
  }
  return out + "-";
}

}  // namespace

std::string kitty_image(const std::string& png) {
  constexpr std::size_t kPiece = 4096;
  const std::string text = base64(png);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += kPiece) {
    const bool more = at + kPiece < text.size();
    out += fmt::format("\x1b_G{}m={};{}\x1b\\", at == 0 ? "f=100,a=T," : "", more ? 1 : 0,
                       text.substr(at, kPiece));
  }
  return out + "\n";
}

std::string sixel_image(const Pixels& pixels) {
  std::vector<std::size_t> numbers(static_cast<std::size_t>(pixels.width * pixels.height));
  std::vector<bool> used(static_cast<std::size_t>(kReds * kGreens * kBlues), false);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = colour_number(pixels.rgba.data() + 4 * i);
    used[numbers[i]] = true;
  }
  std::string out =
      fmt::format("\x1bPq\"1;1;{};{}", pixels.width, pixels.height) + palette_text(used);
  for (Index top = 0; top < pixels.height; top += 6)
    out += strip_text(numbers, pixels.width, std::min<Index>(6, pixels.height - top), top);
  return out + "\x1b\\\n";
}

}  // namespace mercer::plot
