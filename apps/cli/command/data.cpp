// mercer data NAME: toy and bundled data as a table.
#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "mercer/core/text.h"
#include "mercer/data/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer::cli {
namespace data_command {
namespace {

struct Arguments {
  std::string name, output = "-", rows, noise, seed, dim, classes, density;
  bool force = false;
};

template <class T>
void set(T& value, const char* option, const std::string& text) {
  if (text.empty()) return;
  const auto number = parse_number(text);
  const bool whole = std::is_integral_v<T>;
  if (!number || !std::isfinite(*number) || *number < 0 || *number > 1e12 ||
      (whole && *number != std::floor(*number)))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--{} {}: must be a {} >= 0", option, printable(text),
                            whole ? "whole number" : "number"),
                fmt::format("such as --{} {}", option, whole ? "5" : "0.1"));
  value = static_cast<T>(*number);
}

// An option that would change nothing is refused: somebody who gives it expects another table.
void check_given(const Arguments& args) {
  const auto known = generators();
  const auto made = std::ranges::find(known, args.name, &Generator::name);
  if (made == known.end()) return;  // refused when it is made, with a better name
  const std::vector<std::string> takes = split((*made)->takes, ',');
  const std::pair<std::string_view, const std::string&> given[] = {
      {"rows", args.rows}, {"noise", args.noise},     {"seed", args.seed},
      {"dim", args.dim},   {"classes", args.classes}, {"density", args.density}};
  for (const auto& [option, text] : given) {
    const bool taken = std::ranges::find(takes, option, trim) != takes.end();
    if (text.empty() || taken) continue;
    std::vector<std::string> flags;
    for (const std::string& name : takes) flags.push_back(fmt::format("--{}", trim(name)));
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--{} {}: the data set {} does not take it", option, printable(text),
                            args.name),
                fmt::format("{} takes {}", args.name, fmt::join(flags, ", ")));
  }
}

int run(const Arguments& args, Terminal& terminal) {
  check_given(args);
  GeneratorOptions options;
  if (args.name == "digits") options.n = 1797;
  if (args.name == "grid") options.n = 2500;
  const Index all = options.n;
  set(options.n, "rows", args.rows);
  if (args.name == "digits" && options.n > all)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--rows {}: there are {} digits", printable(args.rows), all),
                "leave --rows out for all of them");
  set(options.noise, "noise", args.noise);
  set(options.seed, "seed", args.seed);
  set(options.dim, "dim", args.dim);
  set(options.classes, "classes", args.classes);
  options.density = args.density;
  Files files(terminal);
  if (!terminal.json || args.output != "-") files.writes_table("the output", args.output);
  files.may_force(args.force);
  files.check();
  const Dataset data = generate(args.name, options);
  const bool to_stdout = args.output == "-";
  if (!(to_stdout && terminal.json))
    write_table(args.output, data,
                {.column_names = data.column_names, .labels = &data.labels, .format = {}});
  if (!to_stdout)
    terminal.say(
        "Wrote",
        fmt::format("{} ({} × {}{})", printable(args.output), grouped(data.n()), data.dim(),
                    data.labels.empty() || args.output.ends_with(".npy") ? "" : ", with labels"));
  if (!terminal.json) return 0;
  Value value;
  value["schema"] = 1;
  value["name"] = args.name;
  value["n"] = data.n();
  value["dim"] = data.dim();
  value["labels"] = static_cast<std::int64_t>(data.labels.classes.size());
  value["output"] = to_stdout ? Value() : Value(args.output);
  terminal.result(value);
  return 0;
}

}  // namespace
}  // namespace data_command

void add_data(Program& program) {
  using namespace data_command;
  const auto args = std::make_shared<Arguments>();
  std::vector<std::string> names;
  for (const Generator* generator : generators()) names.emplace_back(generator->name);
  Command command =
      program.command("data", fmt::format("toy and bundled data: {}", fmt::join(names, ", ")));
  command.positional("NAME", args->name, "data set").choices = names;
  command.option("-o,--output", args->output, "file to write (default: standard output, as CSV)",
                 "FILE");
  command.option("-n,--rows", args->rows, "rows (default 500; digits: all 1797; grid: 2500)", "N");
  command.option("noise", args->noise,
                 "standard deviation of the noise (default 0.05; toy shapes only)", "X");
  command.option("seed", args->seed, "seed of the random numbers (default 0; not digits, grid)",
                 "N");
  command.option("dim", args->dim, "columns, of blobs, sources and mixtures only (default 2)", "N");
  command.option("classes", args->classes, "classes, blobs only (default 3)", "N");
  command.option("density", args->density,
                 "of sources and mixtures only: its name, or random (default: all in turn)",
                 "NAME");
  command.flag("force", args->force, kForceHelp);
  command.described("progress").listed = false;  // there is none
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
