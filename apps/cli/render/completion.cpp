#include "apps/cli/render/completion.h"

#include <fmt/format.h>

#include <string_view>

namespace mercer::cli {
namespace {

// The words that a value can be: those that were given, or those that stand for it, as "yes|no".
std::vector<std::string> words_of(const DescribedOption& option) {
  if (!option.choices.empty()) return option.choices;
  std::vector<std::string> words;
  const std::string& value = option.value;
  if (value.find('|') == value.npos) return words;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    words.push_back(value.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// What bash completes a value by: words, names of files, or nothing.
std::string bash_action(const std::vector<std::string>& words, bool file) {
  if (!words.empty()) return fmt::format("words='{}'", fmt::join(words, " "));
  return file ? "files=1" : "";
}

std::string bash_case(const DescribedCommand& command) {
  std::string text = fmt::format("    {})\n      case \"$before\" in\n", command.name), options;
  for (const DescribedOption& option : command.options) {
    if (!option.listed) continue;
    options += fmt::format("{}{}", options.empty() ? "" : " ", fmt::join(option.flags, " "));
    if (option.value.empty()) continue;
    text += fmt::format("        {}) value=1 {} ;;\n", fmt::join(option.flags, "|"),
                        bash_action(words_of(option), option.value == "FILE"));
  }
  const bool any = !command.arguments.empty();
  const std::string argument = any ? bash_action(command.arguments[0].choices, true) : "";
  return text + fmt::format("      esac\n      options='{}'\n      [ -n \"$value\" ] || {} ;;\n",
                            options, argument.empty() ? ":" : argument);
}

// Text inside single quotes of zsh, within the brackets of a description.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  return out;
}

std::string zsh_values(const std::vector<std::string>& words, bool file) {
  if (!words.empty())
    return fmt::format("({})", zsh_text(fmt::format("{}", fmt::join(words, " "))));
  return file ? "_files" : " ";
}

std::string zsh_case(const DescribedCommand& command) {
  std::string text = fmt::format("    {})\n      _arguments \\\n", command.name);
  for (const DescribedOption& option : command.options)
    for (const std::string& flag : option.flags) {
      if (!option.listed) continue;
      const bool takes = !option.value.empty();
      text += fmt::format("        '*{}[{}]{}' \\\n", flag, zsh_text(option.help),
                          takes ? fmt::format(":{}:{}", zsh_text(option.value),
                                              zsh_values(words_of(option), option.value == "FILE"))
                                : "");
    }
  int position = 2;  // the command is the first word
  for (const DescribedArgument& argument : command.arguments)
    text += fmt::format("        '{}:{}:{}' \\\n",
                        argument.repeated ? "*" : fmt::format("{}", position++),
                        zsh_text(argument.name), zsh_values(argument.choices, true));
  return text + "        && return ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<DescribedCommand>& commands) {
  std::string names, cases;
  for (const DescribedCommand& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    cases += bash_case(command);
  }
  return fmt::format(R"(# Completion of mercer for bash, made by `mercer completion bash`.
_mercer() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local value='' words='' files='' options=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  if [ "$current" = = ]; then current=''; elif [ "$before" = = ]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;; esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); return; fi
  if [ -n "$files" ]; then COMPREPLY=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null; fi
}}
complete -F _mercer mercer
)",
                     names, cases);
}

std::string zsh_completion(const std::vector<DescribedCommand>& commands) {
  std::string names, cases;
  for (const DescribedCommand& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
    cases += zsh_case(command);
  }
  return fmt::format(R"(#compdef mercer
# Completion of mercer for zsh, made by `mercer completion zsh`.
_mercer() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
{}  esac
}}
_mercer "$@"
)",
                     names, cases);
}

}  // namespace mercer::cli
