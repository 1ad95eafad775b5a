// mercer fit TABLE: learn an embedding, write a model (and scores), say what was chosen and how
// good it is.
#include "apps/cli/calibration.h"
#include "apps/cli/command.h"
#include "apps/cli/fit_arguments.h"
#include "apps/cli/fit_checkpoint.h"
#include "apps/cli/fit_folds.h"
#include "apps/cli/fit_plan.h"
#include "apps/cli/fit_words.h"
#include "apps/cli/fit_work.h"
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
#include "apps/cli/render/scatter.h"
#include "apps/cli/report_text.h"
#include "apps/cli/shell.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/io/model.h"
#include "mercer/io/model_file.h"
#include "mercer/io/rows_file.h"

#include <fmt/format.h>
#include <limits.h>

#include <algorithm>
#include <filesystem>

namespace mercer::cli {
namespace fit_command {
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
  drop({".gz", ".zst", ".xz", ".bz2"});
  std::vector<std::string> extensions = {".data"};
  for (const TableFormat* format : table_formats())
    extensions.insert(extensions.end(), format->extensions.begin(), format->extensions.end());
  drop(extensions);
  return name + ".mercer";
}

// Everything about the names that would spoil a result, or lose it in the end.
std::string checked_output(const FitArguments& args, const ReadOptions& reading,
                           const Terminal& terminal) {
  const std::string output = args.output.empty() ? default_output(args.table()) : args.output;
  if (args.output.empty() && output.size() > NAME_MAX)
    throw Error(ErrorCode::write_failed,
                fmt::format("the model would be called after its table, by a name of {} bytes; "
                            "names have at most {}",
                            output.size(), NAME_MAX),
                "name it with -o, such as -o model.mercer", printable(output));
  Files files(terminal);
  for (const std::string& table : args.tables) files.reads_table("the table", table, reading);
  files.reads("the stored calibration", calibration_path());
  if (!args.start.empty()) files.reads("the model to start from (--start)", args.start);
  if (!args.on.empty()) files.reads("the model whose scores are fitted (--on)", args.on);
  if (!args.weights.empty()) files.reads_table("the weights (--weights)", args.weights, reading);
  files.writes("the model", output);
  files.writes_rows("the scores (--scores)", args.scores);
  const bool asked = !args.keep.checkpoint.empty() || !args.keep.resume.empty();
  const std::string checkpoint = checkpoint_path(args.keep, output);
  if (asked)
    files.writes("the checkpoint", checkpoint);
  else
    files.may_write("the checkpoint that a long fit keeps", checkpoint);
  files.may_force(args.force);
  files.check();
  if (args.force) return output;
  std::error_code unknown;
  const bool exists = std::filesystem::is_regular_file(output, unknown);
  if (const auto format = format_named_by(output); !exists && !format.empty())
    throw Error(ErrorCode::would_overwrite,
                fmt::format("{} is the name of a table ({}), and a model would be written",
                            printable(output), format),
                "end its name in .mercer, or add --force; --scores writes the scores as a table");
  if (exists && holds_something_else(output))
    throw Error(
        ErrorCode::would_overwrite,
        fmt::format("{} exists and is not a Mercer model", printable(output)),
        fmt::format("name {} output with -o FILE, or add --force: mercer fit {} --force",
                    args.output.empty() ? "an" : "another", printable(quoted_path(args.table()))));
  return output;
}

struct Times {
  double read = 0, plan = 0, solve = 0;
};

Value json_of(const Model& model, const Table& table, const Times& times, double total) {
  Value value = model.summary();
  if (!model.report.plan.operator_name.empty()) value["plan"] = model.report.plan.report();
  const Value of_table = warning_list(table.warnings);
  for (const Value& entry : of_table.as_list()) value["warnings"].push_back(entry);
  Value& seconds = value["seconds"];
  seconds["read"] = times.read;
  seconds["plan"] = times.plan;
  seconds["solve"] = times.solve;
  seconds["total"] = total;
  value["peak_bytes"] = peak_memory();
  return value;
}

// Standard output carries one thing.
void check_outputs(const FitArguments& args, const Terminal& terminal) {
  const int wanted =
      (args.output == "-" ? 1 : 0) + (args.scores == "-" ? 1 : 0) + (terminal.json ? 1 : 0);
  if (wanted > 1)
    throw Error(ErrorCode::bad_option_value,
                "standard output can carry one of the model, the scores and the JSON object",
                "name files for the others");
  check_arguments(args.keep);
}

// Before the fit: a model that cannot be saved is none.
void check_size(const ModelKind& kind, const Value& given, const std::string& output,
                const FitTable& table) {
  const Value options = kind.record(given);
  const Value& asked = options["components"];
  const Components components = asked.is_text() ? Components::parse(asked.as_text()) : Components();
  try {
    // Methods that learn from classes have fewer components than rows, and list none one by one.
    const bool many = components.is_all() && kind.takes.labels != Need::must;
    check_names_fit(table.table.data, table.table.use, many ? table.n() : components.count());
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

void each_training_score(const Transforms& model, const FitTable& table, const Context& context,
                         const TakeRows& take) {
  if (table.chunks != nullptr) return model.transform_chunks(*table.chunks, context, take);
  model.training_score_blocks(table.on != nullptr ? table.before : table.table.data, context, take);
}

// The first two columns of the scores, which a picture shows.
Block leading_scores(const Transforms& model, const FitTable& table, const Context& context) {
  Block scores(table.n(), std::min<Index>(2, model.score_columns()));
  Index first = 0;
  each_training_score(model, table, context, [&](DataView block) {
    for (Index i = 0; i < block.n(); ++i, ++first)
      for (Index j = 0; j < scores.cols(); ++j) scores(first, j) = block.at(i, j);
  });
  return scores;
}

// The scores of the training rows, written and drawn; says what was written.
std::string write_scores(const FitArguments& args, const FitTable& table, const Model& fitted,
                         const Context& context, Terminal& terminal) {
  if (args.scores.empty() && !args.draw) return "";
  const auto& model = need<Transforms>(fitted);
  const Index n = table.n(), columns = model.score_columns();
  const Labels& labels = model.input.labels;
  std::string wrote;
  if (!args.scores.empty()) {
    const auto make = [&](const TakeRows& take) {
      each_training_score(model, table, context, take);
    };
    const WriteOptions options{.column_names = score_names(columns),
                               .ids = &table.table.data.ids,
                               .ids_name = table.table.texts.ids_name,
                               .labels = &labels,
                               .format = {},
                               .rows_file = true};
    write_table(args.scores, TableRows(n, columns, make, context), options);
    wrote = fmt::format(", {} ({} × {})", printable(args.scores), grouped(n), columns);
    if (const std::string beside = rows_file_of(args.scores, options); !beside.empty())
      wrote += ", " + printable(beside);
  }
  if (args.draw)
    terminal.line("\n" +
                  scatter(leading_scores(model, table, context), labels, 78, columns > 1 ? 24 : 3));
  return wrote;
}

// The command that gives what the method is for.
std::string_view best_use_of(const Model& model) {
  if (ability<Predicts>(model) != nullptr) return "predict";
  return ability<Rates>(model) != nullptr ? "score" : "transform";
}

// Pictures, where the model has what they are made of.
std::string ways_to_look(const Model& model, const std::string& name) {
  const auto* able = ability<Transforms>(model);
  const bool seen = model.report.spectrum || model.stored_rows() != nullptr ||
                    (able != nullptr && able->knows_training_scores());
  return seen ? fmt::format("mercer plot {0}    mercer report {0}", name) : "mercer info " + name;
}

void write_results(const FitArguments& args, const std::string& output, const FitTable& table,
                   const Model& model, const Context& context, Terminal& terminal) {
  const std::string wrote = write_to(output, model, terminal);
  terminal.say("Wrote", wrote + write_scores(args, table, model, context, terminal));
  if (output == "-") return;
  const std::string name = printable(quoted_path(output));
  terminal.say("Next", fmt::format("{}    mercer {} {} NEW_TABLE", ways_to_look(model, name),
                                   best_use_of(model), name));
}

// A fit that does not come to its end says how it goes on.
template <class Work>
auto keeping(const std::unique_ptr<Checkpoint>& checkpoint, Terminal& terminal, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!checkpoint) throw;
    if (checkpoint->steps() == 0) {  // nothing is in it
      checkpoint->remove();
      terminal.after_cancel("nothing was kept yet: start the fit again");
    }
    throw with_way_on(error, *checkpoint, terminal);
  }
}

bool out_of_time(const Model& model) {
  return std::ranges::any_of(model.report.warnings, [](const Warning& warning) {
    return warning.code == WarningCode::time_ran_out;
  });
}

void begin_solving(const FitArguments& args, const Plan& plan, const Prepared& prepared,
                   const Checkpoint* checkpoint, Terminal& terminal) {
  terminal.after_cancel(way_after_cancel(plan, checkpoint));
  terminal.stage("solve", args.folds() > 0 ? 0.5 : 0.94);
  expect_phases(plan, prepared, terminal);
}

int run(const FitArguments& args, Terminal& terminal) {
  const Stopwatch total;
  Context context = context_of(args.budget, terminal);
  std::optional<Machine> machine = args.reproducible ? std::nullopt : stored_calibration(terminal);
  if (machine) context.budget.machine = &*machine;
  const ModelKind& kind = args.kind();
  check_outputs(args, terminal);
  const ReadOptions reading = args.reading.options();
  const std::string output = checked_output(args, reading, terminal);
  // Where there is no matrix of all pairs of rows, reading them is a large part.
  const bool of_pairs = kind.has_option("kernel") || kind.has_option("as");
  terminal.stage("read", of_pairs ? 0.1 : 0.4);
  FitTable table = read_for_fit(args, reading, context, terminal);
  terminal.stage("plan", of_pairs ? 0.12 : 0.45);
  check_size(kind, args.given, output, table);
  Times times{.read = total.seconds()};
  Training training = training_of(args, table);
  tell_columns(training.input, terminal);
  const Block start = about(args.start, [&] { return start_of(args, training, context); });
  if (start.size() > 0) training.start = &start;
  const Dataset weights = weights_of(args, context, terminal);
  if (weights.n() > 0) training.weights = weights;
  const Prepared prepared =
      about(args.place(), [&] { return kind.prepare(training, args.given, context); });
  const Value work = work_of(args, prepared);
  take_rates_of_beginning(checkpoint_path(args.keep, output), work, context, machine);
  const Plan plan = plan_with_rates(args, prepared, context, machine, terminal);
  times.plan = total.seconds() - times.read;
  tell_plan(args, prepared, plan, context, terminal);
  const bool kernel_told = tell_kernel(args, plan, terminal);

  const Stopwatch clock;
  std::unique_ptr<Checkpoint> checkpoint = open_checkpoint(
      args.keep, plan, output, args.place(), with_plan(work, plan), notes_of(context), terminal);
  if (checkpoint) context.journal = &*checkpoint;
  begin_solving(args, plan, prepared, checkpoint.get(), terminal);
  const std::unique_ptr<Model> model = keeping(checkpoint, terminal, [&] {
    return about(args.place(), [&] { return kind.fit(prepared, args.given, plan, context); });
  });
  times.solve = clock.seconds();
  if (!kernel_told) tell_kernel(args, model->kernel_description(), terminal);
  tell_changes(plan, model->report.plan, terminal);
  tell_result(*model, times.solve, terminal);
  const bool judged = keeping(checkpoint, terminal, [&] {
    if (args.folds() > 0) terminal.stage("folds", 0.94);
    return judge_by_folds(args, training, *model, context, terminal);
  });
  if (table.on != nullptr) stand_on(*model, table.on);
  if (args.explain) tell_measured(plan, times.solve, terminal);
  terminal.stage("write", 1);
  keeping(checkpoint, terminal,
          [&] { write_results(args, output, table, *model, untimed(context), terminal); });
  Value value = json_of(*model, table.table, times, total.seconds());
  if (checkpoint) {
    close_checkpoint(*checkpoint, out_of_time(*model), terminal);
    value["checkpoint"] = checkpoint_record(*checkpoint);
  }
  if (terminal.json) terminal.result(value);
  return model->report.converged && judged ? 0 : 6;
}

}  // namespace
}  // namespace fit_command

void add_fit(Program& program) {
  using namespace fit_command;
  const auto args = std::make_shared<FitArguments>();
  Command command = program.command("fit", "learn an embedding of a table and write a model");
  args->add_to(command);
  command.example("mercer fit digits.csv --components 8 --scores scores.csv --draw",
                  "kernel PCA with a Gaussian kernel of median width; the scores as a table");
  command.example("mercer fit wine.csv --method pca --scale standard --components 0.95",
                  "as many principal components as hold 95 % of the variance");
  command.example("mercer fit big.npy --kernel gaussian:sigma=0.5*median --memory 4G --time 10min",
                  "a narrower kernel, within limits; mercer plan tells first what it will take");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
