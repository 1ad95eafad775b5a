// mercer help [COMMAND]: what a command takes; --man gives it as a manual page.
#include "apps/cli/render/help.h"

#include "apps/cli/command.h"
#include "mercer/core/text.h"
#include "mercer/models/kind.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {
namespace help_command {
namespace {

struct Arguments {
  std::string command, method = std::string(kDefaultMethod);
  bool manual = false;
};

using Methods = std::vector<std::pair<std::string, DescribedCommand>>;

// The command as every method has it, where it has options of methods.
Methods methods_of(const Program& program, const DescribedCommand& command) {
  Methods methods;
  if (!std::ranges::any_of(command.options, &DescribedOption::of_method)) return methods;
  for (const ModelKind* kind : model_kinds())
    methods.emplace_back(kind->name, program.described(command.name, kind->name));
  return methods;
}

int run(const Arguments& args, const Program& program, Terminal& terminal) {
  const std::vector<std::string> known = program.commands();
  if (args.command.empty()) {
    terminal.data(args.manual ? manual_overview(program.itself(), program.described())
                              : program.help_of(nullptr, terminal.json));
    return 0;
  }
  if (std::ranges::find(known, args.command) == known.end())
    throw Error(ErrorCode::unknown_command,
                fmt::format("unknown command \"{}\"", printable(args.command)),
                suggest(args.command, known, "commands"));
  static_cast<void>(model_kind(args.method));
  const DescribedCommand command = program.described(args.command, args.method);
  terminal.data(args.manual ? manual_page(command, methods_of(program, command))
                            : program.help_of(&command, terminal.json));
  return 0;
}

}  // namespace
}  // namespace help_command

void add_help(Program& program) {
  using namespace help_command;
  const auto args = std::make_shared<Arguments>();
  Command command = program.command("help", "what a command takes, as --help; or its manual page");
  command.positional("COMMAND", args->command, "command (default: the list of them)", false);
  command.flag("man", args->manual, "a manual page in roff, for man(1)");
  command.option("method", args->method, "of fit and plan: the method whose options are shown",
                 "NAME");
  command.quick();
  command.run([args, &program](Terminal& terminal) { return run(*args, program, terminal); });
}

}  // namespace mercer::cli
