// mercer completion SHELL: a script that completes commands, options and values.
#include "apps/cli/render/completion.h"

#include "apps/cli/command.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace completion_command {
namespace {

int run(const std::string& shell, const Program& program, Terminal& terminal) {
  if (shell != "bash" && shell != "zsh")
    throw Error(ErrorCode::bad_option_value,
                fmt::format("there is no completion for \"{}\"", printable(shell)),
                "shells: bash, zsh");
  terminal.data(shell == "bash" ? bash_completion(program.described())
                                : zsh_completion(program.described()));
  return 0;
}

}  // namespace
}  // namespace completion_command

void add_completion(Program& program) {
  using namespace completion_command;
  const auto shell = std::make_shared<std::string>();
  Command command = program.command("completion", "a script that completes words in a shell");
  command.positional("SHELL", *shell, "bash or zsh").choices = {"bash", "zsh"};
  command.example("source <(mercer completion bash)",
                  "completes in this shell; in ~/.bashrc always");
  command.quick();
  command.run([shell, &program](Terminal& terminal) { return run(*shell, program, terminal); });
}

}  // namespace mercer::cli
