#include "mercer/io/detail/column_names.h"

#include "mercer/core/index.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace mercer::detail {

void rename_doubles(std::vector<std::string>& names, Warnings& warnings) {
  {
    const std::unordered_set<std::string_view> different(names.begin(), names.end());
    if (different.size() == names.size()) return;
  }
  std::unordered_set<std::string> taken(names.begin(), names.end());
  std::unordered_map<std::string, Index> seen;
  std::string list;
  Index renamed = 0;
  for (std::string& name : names) {
    Index& count = seen[name];
    if (count++ == 0) continue;
    std::string other;
    do other = fmt::format("{}.{}", name, count - 1);
    while (!taken.insert(other).second && ++count > 0);
    if (++renamed <= 4) list += fmt::format("{}\"{}\"", renamed == 1 ? "" : ", ", printable(other));
    name = std::move(other);
  }
  warnings.push_back({WarningCode::duplicate_names,
                      fmt::format("{} duplicate column name{} renamed: {}{}", renamed,
                                  renamed == 1 ? "" : "s", list, renamed > 4 ? ", ..." : "")});
}

}  // namespace mercer::detail
