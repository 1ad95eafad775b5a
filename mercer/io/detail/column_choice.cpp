#include "mercer/io/detail/column_choice.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace mercer::detail {
namespace {

std::optional<Index> numbered(std::string_view text, Index count) {
  Index number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (number < 1 || number > count) return std::nullopt;
  return number - 1;
}

// A name goes before a number: a column may be called 2020.
Index find_column(std::string_view asked, Index count, const std::vector<std::string>& names,
                  const std::string& file) {
  const auto named = std::find(names.begin(), names.end(), asked);
  if (named != names.end()) return named - names.begin();
  if (const auto number = numbered(asked, count)) return *number;
  const std::string known = fmt::format("columns are numbered 1 to {}", count);
  // Beyond some thousands of names the list helps nobody and takes long.
  const bool by_name = !names.empty() && names.size() <= 2000;
  throw Error(ErrorCode::unknown_column,
              fmt::format("there is no column \"{}\" among {}", printable(asked), grouped(count)),
              by_name ? suggest(asked, names, "columns") + "; " + known : known, file);
}

}  // namespace

std::string column_text(Index column, const std::vector<std::string>& names) {
  if (names.empty()) return fmt::format("column {}", column + 1);
  return fmt::format("column \"{}\"", printable(names[static_cast<std::size_t>(column)]));
}

ColumnChoice choose_columns(Index count, const std::vector<std::string>& names,
                            const ReadOptions& options, const std::string& file) {
  enum Use : char { open, taken, left_out };
  ColumnChoice choice;
  std::vector<Use> use(static_cast<std::size_t>(count), open);
  const auto find = [&](const std::string& asked) {
    return find_column(asked, count, names, file);
  };
  for (const std::string& asked : options.columns.drop)
    use[static_cast<std::size_t>(find(asked))] = left_out;
  // A column may be called none, too.
  choice.no_label = options.columns.label == "none" &&
                    std::find(names.begin(), names.end(), "none") == names.end();
  const auto likely = std::find(names.begin(), names.end(), options.columns.likely_label);
  if (options.columns.label.empty() && !options.columns.likely_label.empty() &&
      likely != names.end()) {
    choice.label = likely - names.begin();
    use[static_cast<std::size_t>(*choice.label)] = left_out;
  }
  if (!options.columns.label.empty() && !choice.no_label) {
    choice.label = find(options.columns.label);
    use[static_cast<std::size_t>(*choice.label)] = left_out;
  }
  std::vector<Index> wanted;
  for (const std::string& asked : options.columns.only) wanted.push_back(find(asked));
  if (options.columns.only.empty()) {
    wanted.resize(static_cast<std::size_t>(count));
    std::iota(wanted.begin(), wanted.end(), Index{0});
  }
  for (const Index column : wanted) {
    Use& state = use[static_cast<std::size_t>(column)];
    if (state != open) continue;
    choice.kept.push_back(column);
    state = taken;
  }
  return choice;
}

}  // namespace mercer::detail
