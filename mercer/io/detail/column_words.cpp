#include "mercer/io/detail/column_words.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace mercer::detail {
namespace {

std::optional<Index> whole_number(std::string_view text) {
  Index number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size() || text.starts_with('-'))
    return std::nullopt;
  return number;
}

std::optional<Index> named_column(std::string_view asked, const FileColumns& columns) {
  const auto found = std::find(columns.names.begin(), columns.names.end(), asked);
  if (found == columns.names.end()) return std::nullopt;
  return found - columns.names.begin();
}

[[noreturn]] void refuse_word(std::string_view asked, const FileColumns& columns) {
  const std::string known = fmt::format("columns are numbered 1 to {}", columns.count);
  // Beyond some thousands of names the list helps nobody and takes long.
  const bool by_name = !columns.names.empty() && columns.names.size() <= 2000;
  throw Error(
      ErrorCode::unknown_column,
      fmt::format("there is no column \"{}\" among {}", printable(asked), grouped(columns.count)),
      by_name ? suggest(asked, columns.names, "columns") + "; " + known : known, columns.file);
}

[[noreturn]] void refuse_range(std::string_view asked, const FileColumns& columns,
                               const std::string& why) {
  throw Error(ErrorCode::unknown_column,
              fmt::format("the range of columns \"{}\" {}", printable(asked), why),
              fmt::format("columns are numbered 1 to {}; a range goes up, such as 1-{}",
                          columns.count, columns.count),
              columns.file);
}

// Whether the text is the pattern with something, or nothing, in place of each star.
bool matches(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, next = 0, star = pattern.npos, mark = 0;
  while (at < text.size()) {
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      mark = at;
    } else if (next < pattern.size() && pattern[next] == text[at]) {
      ++at;
      ++next;
    } else if (star != pattern.npos) {
      next = star + 1;
      at = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', next) == pattern.npos;
}

std::vector<Index> matching(std::string_view pattern, const FileColumns& columns) {
  std::vector<Index> found;
  for (std::size_t j = 0; j < columns.names.size(); ++j)
    if (matches(columns.names[j], pattern)) found.push_back(static_cast<Index>(j));
  return found;
}

using Ends = std::pair<Index, Index>;

std::optional<Ends> numbered_range(std::string_view asked, const FileColumns& columns) {
  const std::size_t hyphen = asked.find('-');
  if (hyphen == asked.npos) return std::nullopt;
  const auto first = whole_number(asked.substr(0, hyphen));
  const auto last = whole_number(asked.substr(hyphen + 1));
  if (!first || !last) return std::nullopt;
  if (*first < 1 || *last > columns.count)
    refuse_range(asked, columns, fmt::format("goes beyond the {}", grouped(columns.count)));
  return Ends{*first - 1, *last - 1};
}

// Names may have hyphens, too: width-height is a range where one way to part it gives two names.
std::optional<Ends> named_range(std::string_view asked, const FileColumns& columns) {
  std::optional<Ends> found;
  for (std::size_t hyphen = asked.find('-'); hyphen != asked.npos;
       hyphen = asked.find('-', hyphen + 1)) {
    const auto first = named_column(asked.substr(0, hyphen), columns);
    const auto last = first ? named_column(asked.substr(hyphen + 1), columns) : std::nullopt;
    if (!first || !last) continue;
    if (found) refuse_range(asked, columns, "can be read in two ways");
    found = Ends{*first, *last};
  }
  return found;
}

}  // namespace

Index column_meant(std::string_view asked, const FileColumns& columns) {
  if (const auto named = named_column(asked, columns)) return *named;
  const auto number = whole_number(asked);
  if (!number || *number < 1 || *number > columns.count) refuse_word(asked, columns);
  return *number - 1;
}

std::vector<Index> columns_meant(std::string_view asked, const FileColumns& columns) {
  if (const auto named = named_column(asked, columns)) return {*named};
  if (asked.find('*') != asked.npos) {
    std::vector<Index> found = matching(asked, columns);
    if (found.empty()) refuse_word(asked, columns);
    return found;
  }
  std::optional<Ends> ends = numbered_range(asked, columns);
  if (!ends) ends = named_range(asked, columns);
  if (!ends) return {column_meant(asked, columns)};
  if (ends->first > ends->second) refuse_range(asked, columns, "goes down");
  std::vector<Index> range;
  for (Index j = ends->first; j <= ends->second; ++j) range.push_back(j);
  return range;
}

}  // namespace mercer::detail
