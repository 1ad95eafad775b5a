// The command line, one argument per line, parsed but not run. The first byte names the command, or
// leaves that to the arguments. A command of the target's own has all shared options, whose values
// are turned into what they mean.
#include "apps/cli/command.h"
#include "apps/cli/fit_arguments.h"
#include "tests/fuzz/target.h"

#include <vector>

namespace mercer::cli {

#define MERCER_ENTRY(name, Type) void add_##name(Program& program);
#include "mercer/cli/catalog.def"
#undef MERCER_ENTRY

namespace {

void add_probe(Program& program) {
  const auto arguments = std::make_shared<FitArguments>();
  Command command = program.command("probe", "read the shared options");
  arguments->add_to(command);
  command.run([arguments](Terminal& terminal) {
    arguments->reading.options();
    refuse_filling(arguments->reading);
    context_of(arguments->budget, terminal);
    arguments->kind();
    return 0;
  });
}

struct Entry {
  const char* name;
  void (*add)(Program& program);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = {
    {"probe", add_probe},
#define MERCER_ENTRY(name, Type) {#name, add_##name},
#include "mercer/cli/catalog.def"
#undef MERCER_ENTRY
  };
  return kEntries;
}

void append_lines(std::string_view text, std::vector<std::string>& arguments) {
  while (!text.empty() && arguments.size() < 64) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    // As the system passes them, arguments end at a zero.
    arguments.emplace_back(std::string(text.substr(0, end)).c_str());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void parse(fuzz::Input input) {
  Program program;
  std::vector<std::string> arguments = {"mercer"};
  const std::size_t chosen = input.choice(entries().size() + 1);
  // To describe every command takes longer than to parse.
  for (std::size_t i = 0; i < entries().size(); ++i)
    if (chosen == i || chosen == entries().size()) entries()[i].add(program);
  if (chosen < entries().size()) arguments.emplace_back(entries()[chosen].name);
  append_lines(input.rest(), arguments);

  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  Terminal terminal;
  const Program::Invocation asked =
      program.parse(static_cast<int>(pointers.size()), pointers.data(), terminal);
  fuzz::expect(asked.print.has_value() || asked.action, "a text to print or something to do");
  if (chosen == 0 && asked.action) asked.action(terminal);
}

}  // namespace
}  // namespace mercer::cli

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    mercer::cli::parse(mercer::fuzz::Input(data, size));
  } catch (const mercer::Error&) {
  }
  return 0;
}
