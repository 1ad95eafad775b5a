// mercer explain CODE: an error or warning in full.
#include "apps/cli/command.h"
#include "apps/cli/render/table.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {
namespace explain_command {
namespace {

std::string code_of(const CodeInfo& info) {
  return fmt::format("{}{:03}", info.letter, info.number);
}

Value as_value(const CodeInfo& info) {
  Value value;
  value["schema"] = 1;
  value["code"] = code_of(info);
  value["name"] = info.name;
  value["summary"] = info.summary;
  value["text"] = info.text;
  if (info.letter == 'M') value["exit_status"] = exit_status(static_cast<ErrorCode>(info.number));
  return value;
}

int run(std::string code, Terminal& terminal) {
  if (code.empty()) {
    TextTable table({"code", "summary"});
    Value list = Value::list();
    for (const CodeInfo& info : all_codes()) {
      table.add({code_of(info), std::string(info.summary)});
      list.push_back(as_value(info));
    }
    Value value;
    value["schema"] = 1;
    value["codes"] = list;
    if (terminal.json)
      terminal.result(value);
    else
      terminal.data(table.text());
    return 0;
  }
  std::ranges::transform(code, code.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  if (!code.empty() && code[0] >= '0' && code[0] <= '9') code = "M" + code;
  const auto codes = all_codes();
  const auto found = std::ranges::find(codes, code, code_of);
  if (found == codes.end())
    throw Error(ErrorCode::unknown_code, fmt::format("there is no code \"{}\"", printable(code)),
                "mercer explain lists all of them");
  if (terminal.json)
    terminal.result(as_value(*found));
  else {
    const std::string status =
        found->letter == 'M'
            ? fmt::format("Exit status {}.\n", exit_status(static_cast<ErrorCode>(found->number)))
            : "";
    terminal.data(
        fmt::format("{}: {}\n\n{}\n{}", code_of(*found), found->summary, found->text, status));
  }
  return 0;
}

}  // namespace
}  // namespace explain_command

void add_explain(Program& program) {
  using namespace explain_command;
  const auto code = std::make_shared<std::string>();
  std::vector<std::string> codes;
  for (const CodeInfo& info : all_codes()) codes.push_back(code_of(info));
  Command command = program.command("explain", "an error or warning code in full");
  command.positional("CODE", *code, "such as M204 or W233 (default: list all)", false).choices =
      std::move(codes);
  command.quick();
  command.run([code](Terminal& terminal) { return run(*code, terminal); });
}

}  // namespace mercer::cli
