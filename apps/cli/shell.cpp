#include "apps/cli/shell.h"

#include <string_view>

namespace mercer::cli {

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string result = "'";
  for (const char letter : word) result += letter == '\'' ? "'\\''" : std::string(1, letter);
  return result + "'";
}

std::string quoted_path(const std::string& path) {
  return quoted(path.size() > 1 && path.starts_with('-') ? "./" + path : path);
}

}  // namespace mercer::cli
