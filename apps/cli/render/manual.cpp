// Manual pages in roff, the language of man(7).
#include "apps/cli/render/help.h"
#include "mercer/core/version.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace {

// Text as roff shows it unchanged: hyphens that are typed, no requests at the start of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string head(const std::string& page, const std::string& summary) {
  std::string title;
  for (const char c : page) title += static_cast<char>(c >= 'a' && c <= 'z' ? c & ~0x20 : c);
  return fmt::format(".TH {} 1 \"\" \"mercer {}\" \"Mercer\"\n.ad l\n.SH NAME\n{} \\- {}\n",
                     roff(title), version(), roff(page), roff(summary));
}

std::string entry_of(const std::string& usage, const std::string& meaning) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(usage), roff(meaning));
}

std::string group_of(const DescribedCommand& command, const std::string& group, bool of_method) {
  std::string text;
  for (const DescribedOption& option : command.options)
    if (option.listed && option.of_method == of_method && (of_method || option.group == group))
      text += entry_of(usage_of(option), meaning_of(option));
  return text;
}

std::string closing_sections() {
  return ".SH EXIT STATUS\n0 where all went well, 130 after Ctrl\\-C; the others are those of the "
         "error's code: \\fBmercer explain\\fR.\n";
}

}  // namespace

std::string manual_page(const DescribedCommand& command,
                        const std::vector<std::pair<std::string, DescribedCommand>>& methods) {
  std::string text = head("mercer-" + command.name, command.summary);
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR\n", roff(usage_of(command)));
  if (!command.arguments.empty()) text += ".SH ARGUMENTS\n";
  for (const DescribedArgument& argument : command.arguments)
    text += entry_of(argument.name, argument.help);
  text += ".SH OPTIONS\n";
  for (const std::string& group : groups_of(command)) {
    const std::string options = group_of(command, group, false);
    if (!options.empty()) text += fmt::format(".SS {}\n{}", roff(group), options);
  }
  if (!methods.empty()) text += ".SH OPTIONS OF METHODS\n";
  for (const auto& [method, described] : methods)
    text += fmt::format(".SS {}\n{}", roff(method), group_of(described, "", true));
  if (!command.examples.empty()) text += ".SH EXAMPLES\n";
  for (const auto& [example, meaning] : command.examples) text += entry_of(example, meaning);
  return text + closing_sections() + ".SH SEE ALSO\n.BR mercer (1)\n";
}

std::string manual_overview(const DescribedCommand& program,
                            const std::vector<DescribedCommand>& commands) {
  std::string text = head("mercer", "kernel principal components of any table, with proofs");
  text += ".SH SYNOPSIS\n\\fBmercer\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" +
          roff(program.summary) + "\n.SH COMMANDS\n";
  for (const DescribedCommand& command : commands) text += entry_of(command.name, command.summary);
  text += ".SH OPTIONS\n";
  for (const DescribedOption& option : program.options)
    text += entry_of(usage_of(option), meaning_of(option));
  text += closing_sections() + ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < commands.size(); ++i)
    text += fmt::format(".BR mercer\\-{} (1){}\n", roff(commands[i].name),
                        i + 1 < commands.size() ? "," : "");
  return text;
}

}  // namespace mercer::cli
