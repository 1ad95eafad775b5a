// mercer sample MODEL -n N: new rows drawn from a model.
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
#include "apps/cli/row_command.h"
#include "mercer/core/text.h"
#include "mercer/io/model.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer::cli {
namespace sample_command {
namespace {

struct Arguments {
  std::string model, output = "-", rows, seed = "0";
  bool force = false;
  BudgetWords budget;
};

Index whole_number(const char* option, const std::string& text, double least) {
  const auto number = parse_number(text);
  if (number && std::isfinite(*number) && *number >= least && *number <= 0x1p48 &&
      *number == std::floor(*number))
    return static_cast<Index>(*number);
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--{} {}: must be a whole number >= {}", option, printable(text), least),
              fmt::format("such as --{} {}", option, least + 10));
}

int run(const Arguments& args, Terminal& terminal) {
  const Context context = context_of(args.budget, terminal);
  if (args.rows.empty())
    throw Error(ErrorCode::missing_argument, "how many rows is missing", "such as -n 100");
  const Index n = whole_number("rows", args.rows, 1), seed = whole_number("seed", args.seed, 0);
  Files files(terminal);
  files.reads("the model", args.model);
  if (!terminal.json || args.output != "-") files.writes_table("the output", args.output);
  files.may_force(args.force);
  files.check();
  const std::unique_ptr<Model> open = load_model(args.model, context);
  Warnings warnings = inherited_warnings(*open);
  for (const Warning& warning : warnings) terminal.warn(warning);
  const auto& model = need<Samples>(*open);
  const Points rows = model.sample(n, static_cast<std::uint64_t>(seed), context);

  const RowArguments names{.model = args.model,
                           .table = args.model,
                           .output = args.output,
                           .force = args.force,
                           .reading = {},
                           .budget = {}};
  Delivery delivery{.n = n, .columns = model.report.dim};
  delivery.make = [&](const TakeRows& take) { take(rows); };
  if (model.input.named_columns) delivery.write.column_names = model.input.column_names;
  delivery.name = "rows";
  delivery.before["method"] = model.kind();
  delivery.before["seed"] = seed;
  delivery.after = [&] {
    Value rest;
    rest["warnings"] = warning_list(warnings);
    return rest;
  };
  deliver(names, delivery, context, terminal);
  return 0;
}

}  // namespace
}  // namespace sample_command

void add_sample(Program& program) {
  using namespace sample_command;
  const auto args = std::make_shared<Arguments>();
  Command command = program.command("sample", "new rows drawn from a model");
  command.positional("MODEL", args->model, "model file");
  command.option("-n,--rows", args->rows, "how many rows", "N");
  command.option("seed", args->seed, "of the random numbers: the same one gives the same rows",
                 "N");
  command.option("-o,--output", args->output, "file to write (default: standard output, as CSV)",
                 "FILE");
  command.flag("force", args->force, kForceHelp);
  command.group("Machine");
  command.words(args->budget);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
