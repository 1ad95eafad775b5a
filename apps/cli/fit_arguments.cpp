#include "apps/cli/fit_arguments.h"

#include "apps/cli/calibration.h"
#include "apps/cli/fit_tables.h"
#include "apps/cli/model_table.h"
#include "apps/cli/shell.h"
#include "mercer/core/text.h"
#include "mercer/data/fingerprint.h"
#include "mercer/io/model.h"
#include "mercer/models/cross_validate.h"
#include "mercer/operators/recipe.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <vector>

namespace mercer::cli {

void FitArguments::add_shared(Command& command) {
  command.positional("TABLE", tables,
                     "table to fit on; - is standard input; several tables of the same columns are "
                     "read as one");
  command.group("Method");
  std::vector<std::string>& names =
      command
          .option("method", method,
                  "what to fit (mercer list methods; mercer fit --method NAME --help)", "NAME")
          .choices;
  for (const ModelKind* kind : model_kinds()) names.emplace_back(kind->name);
  reading.columns.describe_targets(command);
  command.option("start", start,
                 "model of the same rows, of another kernel width say, to begin the search from",
                 "FILE");
  command.option(
      "on", on,
      "model that transforms: fit on its scores of the table's rows; the new model holds "
      "it and takes the rows of its table (methods that predict)",
      "FILE");
  command.option("weights", weights,
                 "table of weights of pairs of rows, one row and one column for each (metric_mds)",
                 "FILE");
  command.method_options(given);
  command.group("Machine");
  command.words(budget);
  budget.describe_plan(command);
  for (const OperatorRecipe* recipe : operator_recipes())
    command.described("operator").choices.emplace_back(recipe->name);
  for (const SolverRecipe* recipe : solver_recipes())
    command.described("solver").choices.emplace_back(recipe->name);
  command.group("Table");
  command.words(reading);
  command.flag(
      "chunks", chunks,
      "read the table in chunks, at every walk over its rows anew (pca; done unasked where "
      "it would take more than half of --memory)");
}

void FitArguments::add_to(Command& command) {
  add_shared(command);
  command.group("Output");
  command.option("-o,--output", output, "model file to write (default: TABLE's name + .mercer)",
                 "FILE");
  command.option("scores", scores, "also write the scores of the table's rows", "FILE");
  command.option(
      "cross-validate", cross_validate,
      "folds: how right the method is for rows that were left out (methods that predict; "
      "everything is learnt from the other rows alone)",
      "N");
  command.option("checkpoint", keep.checkpoint,
                 "keep what was computed in this file, to go on from after a stop "
                 "(long fits do so unasked, beside the model)",
                 "FILE");
  command.option("resume", keep.resume, "go on from this checkpoint", "FILE");
  command.flag("reproducible", reproducible, "byte-equal model files from equal runs");
  command.flag("explain", explain, "show every plan considered, and predicted against measured");
  command.flag("force", force, "replace the output whatever file it is");
  command.flag("draw", draw, "draw the first two components in the terminal");
}

void FitArguments::add_to_plan(Command& command) {
  add_to(command);
  for (const char* name :
       {"output", "scores", "cross-validate", "checkpoint", "resume", "explain", "force", "draw"})
    command.described(name).listed = false;  // taken, so that one word turns a fit into its plan
}

namespace {

// What the rows are, for methods that take pairs too.
bool has_pairs(const Value& given) {
  return !given["as"].is_null() && given["as"] != Value("table");
}

// Methods that take pairs have rows without gaps: it is distances that may be missing.
bool fits_gaps(const ModelKind& kind, const Value& given) {
  return kind.takes.missing && kind.takes.pairs == has_pairs(given);
}

std::vector<std::string_view> methods_for_gaps(const Value& given) {
  std::vector<std::string_view> able;
  for (const ModelKind* kind : model_kinds())
    if (fits_gaps(*kind, given)) able.push_back(kind->name);
  return able;
}

// Rows and columns of a matrix of pairs are the samples: neither can be left out by itself, and no
// column has a mean.
std::string hint_for_pairs(const ModelKind& kind, const Value& given) {
  if (given["as"] == Value("kernel")) return "complete the matrix: kernel values cannot be missing";
  if (fits_gaps(kind, given)) return "leave those pairs out with --missing model";
  return fmt::format(
      "complete the matrix, or use a method that leaves missing pairs out: --method "
      "{} --missing model",
      fmt::join(methods_for_gaps(given), ", "));
}

[[noreturn]] void refuse_missing_model(const std::string& method, const Value& given) {
  const std::vector<std::string_view> able = methods_for_gaps(given);
  if (has_pairs(given))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--missing model: method {} needs every pair", method),
                hint_for_pairs(model_kind(method), given));
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--missing model: method {} cannot fit rows with missing values", method),
              fmt::format("use --missing drop, mean or median, or a method that can: {}",
                          fmt::join(able, ", ")));
}

}  // namespace

namespace {

void check_on(const ModelKind& kind, const ReadWords& reading) {
  if (!kind.abilities.has(Ability::predicts))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--on is for methods that predict; {} does not", kind.name),
                "fit it on a table of scores: mercer transform MODEL TABLE -o scores.csv");
  const std::string& missing = reading.columns.missing;
  if (!missing.empty() && missing != "error" && missing != "drop")
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--missing {}: with --on, rows with missing values have no scores", missing),
        "use --missing drop");
}

}  // namespace

const ModelKind& FitArguments::kind() const {
  refuse_keeping(reading,
                 "a fit learns from whole rows; transform, predict and score leave the "
                 "others empty");
  refuse_unknown_texts(reading);
  const ModelKind& chosen = model_kind(method);
  for (const auto& [name, value] : given.as_object()) {
    if (chosen.has_option(name)) continue;
    std::vector<std::string_view> others;
    for (const ModelKind* kind : model_kinds())
      if (kind->has_option(name)) others.push_back(kind->name);
    throw Error(ErrorCode::bad_option_value, fmt::format("method {} has no --{}", method, name),
                fmt::format("drop it, or use a method that has it: {}", fmt::join(others, ", ")));
  }
  if (reading.columns.missing == "model" && !fits_gaps(chosen, given))
    refuse_missing_model(method, given);
  if (!start.empty() && !chosen.takes.start) refuse_start(method);
  if (tables.size() > 1 && !reading.rejects.empty())
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--rejects: one file cannot take the rows of {} tables", tables.size()),
        "fit on one table, or set the rows aside first: mercer convert IN OUT --rejects FILE");
  static_cast<void>(chosen.record(given));
  static_cast<void>(folds());
  if (!on.empty()) check_on(chosen, reading);
  return chosen;
}

Index FitArguments::folds() const {
  if (cross_validate.empty()) return 0;
  const std::optional<double> count = parse_number(cross_validate);
  if (!count || *count != std::floor(*count) || std::abs(*count) > 1e15)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--cross-validate {}: not a number of folds", printable(cross_validate)),
        "5 or 10 are usual");
  const auto whole = static_cast<Index>(*count);
  check_cross_validation(method, whole);
  return whole;
}

namespace {

// None where columns were left out: the others are no image.
std::vector<Index> image_shape_of(const std::vector<Index>& shape, Index dim) {
  Index pixels = 1;
  for (const Index extent : shape) pixels *= extent;
  return pixels == dim ? shape : std::vector<Index>();
}

}  // namespace

Training training_of(const FitArguments& args, Table& table) {
  Training training = Training::taking(table.data);
  training.targets = {table.targets.view(), table.targets.column_names};
  InputInfo& input = training.input;
  input.name = args.name();
  input.named_columns = table.named_columns;
  input.use = std::move(table.use);
  // Names lead to the columns of another table; without them, their places do.
  if (input.named_columns || input.column_names->empty()) input.use.width = 0;
  input.use.places = input.use.targets = {};
  input.first_index = table.first_index;
  input.image_shape = image_shape_of(table.image_shape, training.rows.dim());
  remember_missing(table, args.reading.options().columns.missing, input);
  return training;
}

namespace {

// What can be done about missing values depends on the method, which no reader knows.
std::string hint_for_gaps(const FitArguments& args, const std::string& hint) {
  const ModelKind& kind = model_kind(args.method);
  if (has_pairs(args.given)) return hint_for_pairs(kind, args.given);
  return fits_gaps(kind, args.given) ? hint + ", or leave them to the model with --missing model"
                                     : hint;
}

Table read_table_for(const FitArguments& args, ReadOptions reading, const Context& context,
                     Terminal& terminal) {
  if (has_pairs(args.given)) reading.pairs = args.given["as"].as_text();
  try {
    return read_all(args, reading, context, terminal);
  } catch (const Error& error) {
    // Infinite values and gaps in targets have other hints, which stand.
    const bool gaps = error.code() == ErrorCode::missing_values &&
                      error.hint().find("--missing mean") != std::string::npos;
    if (!gaps) throw;
    throw Error(error.code(), error.message(), hint_for_gaps(args, error.hint()), error.place());
  }
}

void tell_of_distances(const FitArguments& args, const Table& table, Terminal& terminal) {
  if (has_pairs(args.given) || !args.given["as"].is_null()) return;
  if (!looks_like_distances(table.data)) return;
  const bool able = model_kind(args.method).has_option("as");
  terminal.line(
      fmt::format("         the table is symmetric with a diagonal of zeros, as distances "
                  "are; read as {} rows of {} columns   {}--as distance",
                  grouped(table.data.n()), grouped(table.data.dim()), able ? "" : "--method mds "));
}

// The table's place is taken by its scores.
void score_by(std::shared_ptr<const Model> on, const FitArguments& args, const Context& context,
              FitTable& read, Terminal& terminal) {
  const auto& transforms = need<Transforms>(*on);
  Dataset& data = read.table.data;
  Dataset rows = about(args.place(),
                       [&] { return match_columns(read.table, on->first(), context, terminal); });
  const auto wanted = sizeof(double) * static_cast<std::uint64_t>(rows.n()) *
                      static_cast<std::uint64_t>(transforms.score_columns());
  MemoryAccount::Hold held = context.hold(2 * wanted, "the scores of the rows");
  Dataset scores(about(args.place(), [&] { return Points(transforms.transform(rows, context)); }));
  held = {};
  scores.hold(context);
  scores.labels = std::move(data.labels);
  scores.ids = std::move(data.ids);
  scores.column_names = score_names(scores.dim());
  data = std::move(scores);
  read.table.named_columns = false;
  read.table.use.width = 0;
  read.before = std::move(rows);
  terminal.say("On", fmt::format("{} scores of the {} model {}", data.dim(), on->kind(),
                                 printable(args.on)));
  read.on = std::move(on);
}

}  // namespace

FitTable read_for_fit(const FitArguments& args, const ReadOptions& reading, const Context& context,
                      Terminal& terminal) {
  FitTable read;
  if (!args.on.empty()) {
    std::shared_ptr<const Model> on = load_model(args.on, context);
    ReadOptions same = reading;
    same.columns.known = columns_known_to(on->first());
    read.table = read_all(args, same, context, terminal);
    score_by(std::move(on), args, context, read, terminal);
    return read;
  }
  const bool able = args.kind().takes.chunks;
  if (args.tables.size() == 1)
    read.chunks =
        rows_in_chunks(args.table(), reading, args.chunks, able, args.method, context, terminal);
  else if (args.chunks)
    throw Error(ErrorCode::bad_option_value, "several tables cannot be read in chunks",
                "drop --chunks, or put them into one table first");
  if (read.chunks == nullptr)
    read.table = read_table_for(args, reading, context, terminal);
  else if (!args.start.empty())
    throw Error(ErrorCode::bad_option_value, "a table in chunks has no use for --start",
                "drop --start");
  if (read.chunks == nullptr) tell_of_distances(args, read.table, terminal);
  return read;
}

Training training_of(const FitArguments& args, FitTable& table) {
  if (table.chunks == nullptr) return training_of(args, table.table);
  Training training(*table.chunks);
  training.input.name = args.name();
  training.input.missing = args.reading.options().columns.missing;
  training.input.image_shape = image_shape_of(table.chunks->image_shape(), training.source->dim());
  return training;
}

Block start_of(const FitArguments& args, const Training& training, const Context& context) {
  if (args.start.empty()) return {};
  const std::unique_ptr<Model> model = load_model(args.start, context);
  if (model->input.fingerprint != fingerprint(training.rows))
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--start {}: the model was fitted on other rows", printable(args.start)),
        "start from a model of the same table, or drop --start");
  return start_from(*model, training.rows, context);
}

Dataset weights_of(const FitArguments& args, const Context& context, Terminal& terminal) {
  if (args.weights.empty()) return {};
  ReadWords words = args.reading;
  words.columns = {};  // those of the other table
  words.rejects.clear();
  ReadOptions options = words.options();
  options.of_another = true;
  return read_and_tell(args.weights, options, context, terminal).data;
}

namespace {

// Whether the planner finds something where nothing is named: then the names are at fault.
bool free_choice_serves(const FitArguments& args, const Prepared& prepared, Context context) {
  context.budget.operator_name = context.budget.solver_name = {};
  try {
    model_kind(args.method).plan(prepared, args.given, context);
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    return false;
  }
}

// The error of names that cannot serve leads to those that can.
Plan plan_or_way(const FitArguments& args, const Prepared& prepared, const Context& context,
                 const Terminal& terminal) {
  try {
    return about(args.place(),
                 [&] { return model_kind(args.method).plan(prepared, args.given, context); });
  } catch (const Error& error) {
    std::vector<std::string> named;
    if (!context.budget.operator_name.empty())
      named.push_back("--operator " + args.budget.operator_name);
    if (!context.budget.solver_name.empty()) named.push_back("--solver " + args.budget.solver_name);
    if (error.code() != ErrorCode::bad_option_value || named.empty() ||
        !free_choice_serves(args, prepared, context))
      throw;
    throw Error(error.code(), error.message(),
                fmt::format("drop {}, or see what can be used here, and why not the others: {}",
                            fmt::join(named, " and "),
                            printable(command_without({"--operator", "--solver"}, "plan",
                                                      terminal.arguments))),
                error.place());
  }
}

// Where there is one way to fit a method, none can be named.
void refuse_choice(const FitArguments& args) {
  for (const auto& [option, name] : {std::pair("operator", args.budget.operator_name),
                                     std::pair("solver", args.budget.solver_name)})
    if (name != "auto")
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--{} {}: there is one way to fit this {}", option, printable(name),
                              args.method),
                  fmt::format("drop --{}", option));
}

}  // namespace

Plan plan_of(const FitArguments& args, const Prepared& prepared, const Context& context,
             const Terminal& terminal) {
  Plan plan = plan_or_way(args, prepared, context, terminal);
  if (plan.operator_name.empty()) refuse_choice(args);
  return plan;
}

Plan plan_with_rates(const FitArguments& args, const Prepared& prepared, Context& context,
                     std::optional<Machine>& machine, Terminal& terminal) {
  constexpr double kLong = 3;  // seconds of which those for measuring are a tenth
  Plan plan = plan_of(args, prepared, context, terminal);
  const bool guessed = plan.predicted.rates == RateOrigin::estimated && !args.reproducible;
  if (!guessed || plan.predicted.seconds < kLong) return plan;
  machine = quick_calibration(context, terminal);
  context.budget.machine = &*machine;
  return plan_of(args, prepared, context, terminal);
}

std::string problem_line(const FitArguments& args, const Prepared& prepared) {
  const Value options = model_kind(args.method).record(args.given);
  const auto told = [&](const char* name) {
    return options[name].is_text() ? fmt::format("   {} {}", name, options[name].as_text()) : "";
  };
  return fmt::format("{}   n {}   dim {}{}{}", args.method, grouped(prepared.rows.n()),
                     grouped(prepared.rows.dim()), told("components"), told("tolerance"));
}

}  // namespace mercer::cli
