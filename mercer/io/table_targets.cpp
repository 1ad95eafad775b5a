#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

Index column_of(const std::string& asked, const Dataset& data) {
  const std::vector<std::string>& names = data.column_names;
  if (const auto named = std::ranges::find(names, asked); named != names.end())
    return named - names.begin();
  const auto number = parse_number(asked);
  if (number && *number == std::floor(*number) && *number >= 1 &&
      *number <= static_cast<double>(data.dim()))
    return static_cast<Index>(*number) - 1;
  throw Error(ErrorCode::unknown_column,
              fmt::format("--target {}: there is no such column of numbers", printable(asked)),
              names.empty() ? fmt::format("columns are numbered 1 to {}", data.dim())
                            : suggest(asked, names, "columns"));
}

Vector entries(const Vector& all, const std::vector<Index>& kept) {
  return all.size() == 0 ? Vector() : Vector(all(kept));
}

}  // namespace

void split_targets(Table& table, const std::vector<std::string>& targets) {
  std::vector<Index> taken, rest;
  for (const std::string& asked : targets) {
    const Index column = column_of(asked, table.data);
    if (std::ranges::find(taken, column) == taken.end()) taken.push_back(column);
  }
  for (Index j = 0; j < table.data.dim(); ++j)
    if (std::ranges::find(taken, j) == taken.end()) rest.push_back(j);
  table.targets = table.data.columns(taken);
  table.data = table.data.columns(rest);
  table.gaps.fill = entries(table.gaps.fill, rest);
}

}  // namespace mercer
