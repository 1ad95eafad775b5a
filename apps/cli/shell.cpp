#include "apps/cli/shell.h"

#include <algorithm>
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

std::string command_without(const std::vector<std::string>& options, const std::string& command,
                            const std::vector<std::string>& arguments, const std::string& more) {
  std::string text = "mercer " + command, names;
  bool skip = false;  // the value of an option that was left out
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const auto equals = word.find('=');
    if (!names.empty() || (!skip && word == "--")) {
      names += " " + quoted(word);
      continue;
    }
    if (!skip && std::ranges::find(options, word.substr(0, equals)) != options.end()) {
      skip = equals == word.npos;
      continue;
    }
    if (!skip) text += " " + quoted(word);
    skip = false;
  }
  return text + (more.empty() ? "" : " " + more) + names;
}

}  // namespace mercer::cli
