#include "apps/cli/render/scatter.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace mercer::cli {
namespace {

// A class is drawn as the last letter or digit of its name where those differ, else as a, b, c ...
std::string marks_of(const std::vector<std::string>& classes) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::string marks;
  for (const std::string& name : classes) marks += name.empty() ? '\0' : name[0];
  std::string sorted = marks;
  std::ranges::sort(sorted);
  const bool good = std::ranges::all_of(sorted, [](char c) { return c > ' ' && c < 127; }) &&
                    std::ranges::adjacent_find(sorted) == sorted.end();
  if (good) return marks;
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = kLetters[i % kLetters.size()];
  return marks;
}

struct Axis {
  double low, span;
  explicit Axis(const Eigen::Ref<const Vector>& values)
      : low(values.minCoeff()), span(values.maxCoeff() - low) {}
  Index cell(double value, Index cells) const {
    const double share = span > 0 ? (value - low) / span : 0.5;
    return std::clamp(static_cast<Index>(share * static_cast<double>(cells)), Index{0}, cells - 1);
  }
};

std::string braille(const std::vector<unsigned>& dots, Index width, Index height) {
  std::string text;
  for (Index r = 0; r < height; ++r) {
    for (Index c = 0; c < width; ++c) {
      const unsigned code = 0x2800U + dots[static_cast<std::size_t>(r * width + c)];
      text +=
          {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
           static_cast<char>(0x80 | (code & 0x3F))};
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string scatter(ConstBlockRef scores, const Labels& labels, Index width, Index height) {
  if (scores.rows() == 0 || scores.cols() == 0) return {};
  const Vector x = scores.col(0),
               y = scores.cols() > 1 ? Vector(scores.col(1)) : Vector(Vector::Zero(x.size()));
  const Axis across(x), up(y);
  if (labels.empty()) {
    static constexpr unsigned kDots[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    std::vector<unsigned> dots(static_cast<std::size_t>(width * height), 0);
    for (Index i = 0; i < x.size(); ++i) {
      const Index c = across.cell(x[i], 2 * width), r = 4 * height - 1 - up.cell(y[i], 4 * height);
      dots[static_cast<std::size_t>(r / 4 * width + c / 2)] |= kDots[r % 4][c % 2];
    }
    return braille(dots, width, height);
  }
  const std::string marks = marks_of(labels.classes);
  std::vector<std::map<Index, int>> cells(static_cast<std::size_t>(width * height));
  for (Index i = 0; i < x.size(); ++i) {
    const Index c = across.cell(x[i], width), r = height - 1 - up.cell(y[i], height);
    ++cells[static_cast<std::size_t>(r * width + c)][labels.of_row[static_cast<std::size_t>(i)]];
  }
  std::string text;
  for (Index r = 0; r < height; ++r) {
    std::string line;
    for (Index c = 0; c < width; ++c) {
      const auto& counts = cells[static_cast<std::size_t>(r * width + c)];
      const auto most =
          std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
      line += most == counts.end() ? ' ' : marks[static_cast<std::size_t>(most->first)];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  // A mark that does not say its class is explained.
  constexpr std::size_t kExplained = 12;
  for (std::size_t i = 0; i < std::min(kExplained, labels.classes.size()); ++i)
    if (labels.classes[i] != std::string(1, marks[i]))
      text +=
          fmt::format("{}{} = {}", i == 0 ? "\n" : "  ", marks[i], printable(labels.classes[i]));
  return text + "\n";
}

}  // namespace mercer::cli
