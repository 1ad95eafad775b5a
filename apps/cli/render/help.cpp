#include "apps/cli/render/help.h"

#include "mercer/core/text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace mercer::cli {
namespace {

constexpr std::size_t kIndent = 2, kMeaning = 28;  // columns where usage and meaning begin

// The words of a text in lines of `width` characters, the first of which has `used` already.
std::string wrapped(const std::string& text, std::size_t used, std::size_t indent,
                    std::size_t width) {
  std::string lines;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const bool first = used == indent;
    if (!first && used + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      lines += " ";
      ++used;
    }
    lines += word;
    used += word.size();
  }
  return lines;
}

// "  usage      meaning", the meaning on lines of its own where the usage is long.
std::string entry(const std::string& usage, const std::string& meaning, std::size_t width) {
  std::string text = std::string(kIndent, ' ') + usage;
  if (text.size() + 2 > kMeaning)
    text += "\n" + std::string(kMeaning, ' ');
  else
    text.resize(kMeaning, ' ');
  return text + wrapped(meaning, kMeaning, kMeaning, width) + "\n";
}

std::string options_of_group(const DescribedCommand& command, const std::string& group,
                             std::size_t width) {
  std::string text;
  for (const DescribedOption& option : command.options)
    if (option.listed && option.group == group)
      text += entry(usage_of(option), meaning_of(option), width);
  return text;
}

}  // namespace

std::size_t help_width() {
  constexpr std::size_t kWidest = 100, kNarrowest = 50;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidest;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
}

std::string help_text(const DescribedCommand& command, std::size_t width) {
  std::string text =
      fmt::format("{}\n\nUsage: {}\n",
                  wrapped(fmt::format("mercer {}: {}", command.name, command.summary), 0, 0, width),
                  usage_of(command));
  if (!command.arguments.empty()) text += "\n";
  for (const DescribedArgument& argument : command.arguments)
    text += entry(argument.name, argument.help, width);
  for (const std::string& group : groups_of(command))
    text += fmt::format("\n{}:\n{}", group, options_of_group(command, group, width));
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const auto& [example, meaning] : command.examples)
    text +=
        fmt::format("  {}\n{}{}\n", example, std::string(6, ' '), wrapped(meaning, 6, 6, width));
  return text +
         fmt::format("\n{}\n", wrapped("mercer explain CODE shows an error in full.", 0, 0, width));
}

std::string overview_text(const DescribedCommand& program,
                          const std::vector<DescribedCommand>& commands, std::size_t width) {
  std::string text =
      wrapped(program.summary, 0, 0, width) + "\n\nUsage: mercer COMMAND [OPTIONS]\n";
  text += "\nCommands:\n";
  for (const DescribedCommand& command : commands)
    text += entry(command.name, command.summary, width);
  text += "\nOptions:\n";
  for (const DescribedOption& option : program.options)
    text += entry(usage_of(option), meaning_of(option), width);
  return text + fmt::format("\n{}\n", wrapped("mercer COMMAND --help shows a command's options; "
                                              "mercer explain CODE an error in full.",
                                              0, 0, width));
}

}  // namespace mercer::cli
