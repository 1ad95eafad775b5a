// mercer fit TABLE: learn an embedding, write a model (and scores), say what was chosen and how
// good it is.
#include "apps/cli/calibration.h"
#include "apps/cli/command.h"
#include "apps/cli/fit_arguments.h"
#include "apps/cli/fit_checkpoint.h"
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
#include "apps/cli/render/bars.h"
#include "apps/cli/render/scatter.h"
#include "apps/cli/shell.h"
#include "mercer/core/cpu.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/core/version.h"
#include "mercer/data/summary.h"
#include "mercer/io/model.h"
#include "mercer/io/model_file.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/blas_info.h"

#include <fmt/format.h>
#include <limits.h>

#include <algorithm>
#include <filesystem>

namespace mercer::cli {
namespace {

// The table's name without its table and compression extensions, in the current folder.
std::string default_output(const std::string& table) {
  std::string name = table == "-" ? "stdin" : base_name(table);
  if (const auto member = name.rfind(".npz:"); member != name.npos) name.resize(member + 4);
  if (name.empty()) name = base_name(table.substr(0, table.size() - 1));  // a folder with a slash
  const auto drop = [&](const std::vector<std::string>& extensions) {
    for (const std::string& extension : extensions) {
      if (!name.ends_with(extension) || name.size() == extension.size()) continue;
      name.resize(name.size() - extension.size());
      return;
    }
  };
  drop({".gz", ".zst"});
  std::vector<std::string> extensions = {".data"};
  for (const TableFormat* format : table_formats())
    extensions.insert(extensions.end(), format->extensions.begin(), format->extensions.end());
  drop(extensions);
  return name + ".mercer";
}

// Everything about the names that would spoil a result, or lose it in the end.
std::string checked_output(const FitArguments& args, const ReadOptions& reading,
                           const Terminal& terminal) {
  const std::string output = args.output.empty() ? default_output(args.table) : args.output;
  if (args.output.empty() && output.size() > NAME_MAX)
    throw Error(ErrorCode::write_failed,
                fmt::format("the model would be called after its table, by a name of {} bytes; "
                            "names have at most {}",
                            output.size(), NAME_MAX),
                "name it with -o, such as -o model.mercer", printable(output));
  Files files(terminal);
  files.reads_table("the table", args.table, reading);
  files.reads("the stored calibration", calibration_path());
  files.writes("the model", output);
  files.writes_table("the scores (--scores)", args.scores);
  const bool asked = !args.keep.checkpoint.empty() || !args.keep.resume.empty();
  const std::string checkpoint = checkpoint_path(args.keep, output);
  if (asked)
    files.writes("the checkpoint", checkpoint);
  else
    files.may_write("the checkpoint that a long fit keeps", checkpoint);
  files.check();
  std::error_code unknown;
  if (args.output.empty() && !args.force && std::filesystem::exists(output, unknown) &&
      !looks_like_model(output))
    throw Error(ErrorCode::would_overwrite,
                fmt::format("{} exists and is not a Mercer model", printable(output)),
                fmt::format("name an output with -o FILE, or add --force: mercer fit {} --force",
                            printable(quoted_path(args.table))));
  return output;
}

void tell_kernel(const Model& model, const FitArguments& args, Terminal& terminal) {
  const Value kernel = model.kernel();
  if (kernel.is_null()) return;
  const Value& gamma = kernel["gamma"];
  const bool given = args.fit.as != "table";
  const std::string found = given ? "" : Kernel(args.fit.kernel).found_from_data();
  terminal.say(
      "Kernel",
      fmt::format("{}   {}{}{}   {} to change", kernel["name"].as_text(),
                  kernel["formula"].as_text(),
                  found.empty() ? "" : fmt::format("   {} = median distance", found),
                  gamma.is_null() ? "" : fmt::format(" (gamma = {})", brief(gamma.as_number())),
                  given ? "--as" : "--kernel"));
}

void tell_result(const Model& model, double seconds, Terminal& terminal) {
  const FitReport& report = model.report;
  const std::string passes =
      report.plan.solver_name == "dense"
          ? ""
          : fmt::format(", {} pass{}", report.plan.passes, report.plan.passes == 1 ? "" : "es");
  terminal.say("Solved",
               fmt::format("{} component{} in {}{}, {}, complete: {}", report.eigenvalues.size(),
                           report.eigenvalues.size() == 1 ? "" : "s", duration(seconds), passes,
                           accuracy_text(report), completeness_text(report.certificate)));
  std::string shares;
  const Vector ratios = report.ratio_bounds();
  const char* at_most = report.ratios.allFinite() ? "" : "≤ ";
  for (Index i = 0; i < std::min<Index>(3, ratios.size()); ++i)
    shares += fmt::format("PC{} {}{:.1f} %  ", i + 1, at_most, 100 * ratios[i]);
  terminal.say("Variance", fmt::format("{}first {}: {}{:.1f} %   {}", shares, ratios.size(),
                                       at_most, 100 * ratios.sum(), spark_bars(ratios, 40)));
  for (const Warning& warning : report.warnings) terminal.warn(warning);
}

Value options_record(const FitArguments& args) {
  Value options;
  options["components"] = args.fit.components.text();
  options["center"] = args.fit.center;
  options["tolerance"] = args.fit.tolerance.text();
  options["certify"] = args.fit.certify;
  options["seed"] = args.fit.seed;
  if (args.method == "pca") {
    options["whiten"] = args.fit.whiten;
  } else {
    options["kernel"] = args.fit.as == "table" ? Value(args.fit.kernel) : Value();
    options["indefinite"] = args.fit.indefinite;
    options["as"] = args.fit.as;
    options["nullspace"] = args.fit.nullspace;
  }
  return options;
}

Value json_of(const Model& model, const Plan& plan, const Table& table, double read, double planned,
              double solve, double total) {
  Value value = model.summary();
  Plan made = plan;  // predictions and candidates, with what was done in the end
  made.operator_name = model.report.plan.operator_name;
  made.solver_name = model.report.plan.solver_name;
  made.precision = model.report.plan.precision;
  made.passes = model.report.plan.passes;
  value["plan"] = made.report();
  const Value of_table = warning_list(table.warnings);
  for (const Value& entry : of_table.as_list()) value["warnings"].push_back(entry);
  Value& seconds = value["seconds"];
  seconds["read"] = read;
  seconds["plan"] = planned;
  seconds["solve"] = solve;
  seconds["total"] = total;
  value["peak_bytes"] = peak_memory();
  return value;
}

// Standard output carries one thing.
void check_standard_output(const FitArguments& args, const Terminal& terminal) {
  const int wanted =
      (args.output == "-" ? 1 : 0) + (args.scores == "-" ? 1 : 0) + (terminal.json ? 1 : 0);
  if (wanted > 1)
    throw Error(ErrorCode::bad_option_value,
                "standard output can carry one of the model, the scores and the JSON object",
                "name files for the others");
}

void tell_constant_columns(const Dataset& data, const Context& context, Terminal& terminal) {
  const Overview overview = look_over(data, context);
  if (overview.constant_columns == 0 || overview.all_rows_equal) return;
  std::vector<std::string> names;
  for (const Index j : overview.first_constant)
    names.push_back(data.column_names.empty()
                        ? fmt::format("{}", j + 1)
                        : printable(data.column_names[static_cast<std::size_t>(j)]));
  const bool more = overview.constant_columns > static_cast<Index>(names.size());
  terminal.line(fmt::format("         {} column{} constant: {}{}   --drop",
                            grouped(overview.constant_columns),
                            overview.constant_columns == 1 ? " is" : "s are",
                            fmt::join(names, ", "), more ? ", ..." : ""));
}

// Names and labels move from the table into the model.
void describe_input(const FitArguments& args, Table& table, Model& model) {
  model.options = options_record(args);
  model.input.name = args.table == "-" ? "-" : base_name(args.table);
  model.input.fingerprint = fingerprint(table.data);
  model.input.column_names = std::move(table.data.column_names);
  model.input.named_columns = table.named_columns;
  model.input.first_index = table.first_index;
  model.input.labels = std::move(table.data.labels);
  remember_missing(table, args.reading.missing, model.input);
}

// Before the fit: a model that cannot be saved is none.
void check_size(const FitArguments& args, const std::string& output, const Dataset& data) {
  const Components& asked = args.fit.components;
  try {
    check_names_fit(data, asked.is_all() ? data.n() : asked.count());
  } catch (const Error& error) {
    throw error.at(output == "-" ? "standard output" : printable(output));
  }
}

// The folder has gone since it was looked at: the model must not go with it.
[[noreturn]] void rescue(const Error& error, const std::string& output, const Model& model) {
  std::error_code none;
  std::string folder = (std::filesystem::temp_directory_path(none) / "mercer-XXXXXX").string();
  if (none || mkdtemp(folder.data()) == nullptr) throw error;
  const std::string kept = folder + "/" + base_name(output);
  save_model(kept, model);
  throw Error(error.code(), fmt::format("{}; the model is in {}", error.message(), printable(kept)),
              fmt::format("{}, then: mv {} {}", error.hint(), printable(quoted(kept)),
                          printable(quoted_path(output))),
              error.place());
}

// Writes the model; says what was written.
std::string write_to(const std::string& output, const Model& model, Terminal& terminal) {
  if (output == "-") {
    terminal.clear_progress();
    StandardOutput out;
    write_model(model, out);
    out.flush();
    return "the model to standard output";
  }
  try {
    save_model(output, model);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::folder_missing) rescue(error, output, model);
    throw;
  }
  std::error_code no_size;  // of devices and pipes
  const auto size = std::filesystem::file_size(output, no_size);
  return no_size ? printable(output) : fmt::format("{} ({})", printable(output), bytes(size));
}

// The first two columns of the scores, which a picture shows.
Block leading_scores(const Model& model, DataView rows, const Context& context) {
  Block scores(rows.n(), std::min<Index>(2, model.score_columns()));
  Index first = 0;
  model.training_score_blocks(rows, context, [&](DataView block) {
    for (Index i = 0; i < block.n(); ++i, ++first)
      for (Index j = 0; j < scores.cols(); ++j) scores(first, j) = block.at(i, j);
  });
  return scores;
}

void write_results(const FitArguments& args, const std::string& output, const Table& table,
                   const Model& model, const Context& context, Terminal& terminal) {
  std::string wrote = write_to(output, model, terminal);
  const Index n = table.data.n(), columns = model.score_columns();
  if (!args.scores.empty()) {
    const auto make = [&](const TakeRows& take) {
      model.training_score_blocks(table.data, context, take);
    };
    write_table(args.scores, TableRows(n, columns, make, context),
                {.column_names = score_names(columns),
                 .ids = &table.data.ids,
                 .ids_name = table.ids_name,
                 .labels = &model.input.labels,
                 .format = {}});
    wrote += fmt::format(", {} ({} × {})", printable(args.scores), grouped(n), columns);
  }
  if (args.draw)
    terminal.line("\n" + scatter(leading_scores(model, table.data, context), model.input.labels, 78,
                                 columns > 1 ? 24 : 3));
  terminal.say("Wrote", wrote);
  if (output == "-") return;
  terminal.say("Next", fmt::format("mercer info {0}    mercer transform {0} NEW_TABLE",
                                   printable(quoted_path(output))));
}

// What the steps of a fit depend on, apart from the number of threads, which changes no byte.
Value work_of(const FitArguments& args, const Table& table, const Plan& plan) {
  Value work;
  work["version"] = version();
  work["processor level"] = name_of(cpu_level());
  work["BLAS kernels"] = blas_info().kernels;
  work["method"] = args.method;
  work["data"]["rows"] = table.data.n();
  work["data"]["columns"] = table.data.dim();
  work["data"]["numbers"] = fingerprint(table.data);
  work["options"] = options_record(args);
  work["options"]["scale"] = args.fit.scale;
  work["plan"] = plan.choice();
  work["plan"]["widths"] = plan.search.report();
  return work;
}

// A fit that does not come to its end says how it goes on.
template <class Work>
auto keeping(const std::unique_ptr<Checkpoint>& checkpoint, Terminal& terminal, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!checkpoint) throw;
    if (checkpoint->steps() == 0) checkpoint->remove();  // nothing is in it
    throw with_way_on(error, *checkpoint, terminal);
  }
}

Value checkpoint_record(const Checkpoint& checkpoint) {
  Value value;
  value["file"] = checkpoint.path();
  value["passes"] = checkpoint.steps();
  value["replayed"] = checkpoint.replayed();
  return value;
}

bool out_of_time(const Model& model) {
  return std::ranges::any_of(model.report.warnings, [](const Warning& warning) {
    return warning.code == WarningCode::time_ran_out;
  });
}

int run(const FitArguments& args, Terminal& terminal) {
  const Stopwatch total;
  Context context = args.budget.context(terminal);
  std::optional<Machine> machine = args.reproducible ? std::nullopt : stored_calibration(terminal);
  if (machine) context.budget.machine = &*machine;
  model_kind(args.method);  // a mistyped name should not wait for the table
  if (args.method == "kernel_pca") static_cast<void>(Kernel(args.fit.kernel));
  check_standard_output(args, terminal);
  check_arguments(args.keep, terminal);
  const ReadOptions reading = args.reading.options();
  const std::string output = checked_output(args, reading, terminal);
  Table table = read_and_tell(args.table, reading, context, terminal);
  check_size(args, output, table.data);
  const double read = total.seconds();
  const Plan plan = plan_with_rates(args, table.data, context, machine, terminal);
  const double planned = total.seconds() - read;
  if (!terminal.quiet && args.fit.as == "table")
    tell_constant_columns(table.data, context, terminal);
  if (args.explain)
    terminal.line(problem_line(args, table.data) + "\n\n" + plan_table(plan));
  else
    terminal.say("Plan", plan_line(plan, context.budget) + "   mercer plan");

  const Stopwatch clock;
  std::unique_ptr<Checkpoint> checkpoint =
      open_checkpoint(args.keep, plan, output, args.table, work_of(args, table, plan), terminal);
  if (checkpoint) context.journal = &*checkpoint;
  const std::unique_ptr<Model> model = keeping(checkpoint, terminal, [&] {
    return about(args.table, [&] { return fit_model(args.method, table.data, args.fit, context); });
  });
  const double solve = clock.seconds();
  tell_kernel(*model, args, terminal);
  if (model->report.plan.solver_name != plan.solver_name)
    terminal.say("Solver", fmt::format("{} could not show that nothing is missing: all eigenvalues "
                                       "were computed by {}",
                                       plan.solver_name, model->report.plan.solver_name));
  tell_result(*model, solve, terminal);
  if (args.explain)
    terminal.say("Measured", fmt::format("{} (predicted {}), {} (predicted {})", duration(solve),
                                         duration(plan.predicted_seconds), bytes(peak_memory()),
                                         bytes(plan.predicted_bytes)));
  describe_input(args, table, *model);
  keeping(checkpoint, terminal,
          [&] { write_results(args, output, table, *model, untimed(context), terminal); });
  if (checkpoint) close_checkpoint(*checkpoint, out_of_time(*model), terminal);
  if (terminal.json) {
    Value value = json_of(*model, plan, table, read, planned, solve, total.seconds());
    if (checkpoint) value["checkpoint"] = checkpoint_record(*checkpoint);
    terminal.result(value);
  }
  return model->report.converged ? 0 : 6;
}

}  // namespace

void add_fit(Program& program) {
  const auto args = std::make_shared<FitArguments>();
  Command command = program.command("fit", "learn an embedding of a table and write a model");
  args->add_to(command);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
