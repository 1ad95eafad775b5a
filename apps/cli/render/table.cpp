#include "apps/cli/render/table.h"

#include <algorithm>

namespace mercer::cli {
namespace {

// Characters of UTF-8 text: bytes that do not continue one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_)
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], width(row[j]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t j = 0; j < row.size(); ++j) {
      line += row[j];
      if (j + 1 < row.size()) line.append(widths[j] - width(row[j]) + 3, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

}  // namespace mercer::cli
