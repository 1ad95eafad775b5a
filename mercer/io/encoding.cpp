#include "mercer/io/encoding.h"

#include <fmt/format.h>

#include <unordered_set>

namespace mercer {

std::vector<std::string> made_names(const Encoding& encoding) {
  if (encoding.as == "date")
    return {encoding.column + ".day", encoding.column + ".year_fraction",
            encoding.column + ".weekday"};
  if (encoding.as != "onehot") return {encoding.column};
  std::vector<std::string> names;
  for (const std::string& level : encoding.levels)
    names.push_back(fmt::format("{}={}", encoding.column, level));
  return names;
}

std::vector<std::string> source_names(const std::vector<std::string>& columns,
                                      const std::vector<Encoding>& encoded) {
  if (encoded.empty()) return columns;
  std::unordered_set<std::string> made;
  for (const Encoding& encoding : encoded)
    for (std::string& name : made_names(encoding)) made.insert(std::move(name));
  std::vector<std::string> sources;
  for (const std::string& name : columns)
    if (!made.contains(name)) sources.push_back(name);
  for (const Encoding& encoding : encoded) sources.push_back(encoding.column);
  return sources;
}

}  // namespace mercer
