// mercer predict MODEL TABLE: classes or numbers for new rows, and how right they are where the
// table has the truth.
#include "apps/cli/class_text.h"
#include "apps/cli/model_table.h"
#include "apps/cli/reached_rows.h"
#include "apps/cli/row_command.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/models/judge.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace predict_command {
namespace {

// Where some rows lack the target, those that do not.
std::string of_rows(Index known, Index all) {
  if (known == all) return "";
  return fmt::format(" (of {} of {} rows, the others lack it)", grouped(known), grouped(all));
}

Value r_squared_told(const Predicts& model, const NewRows& rows, const Block& predictions,
                     Terminal& terminal) {
  Value figures = Value::object();
  if (rows.targets.dim() != predictions.cols()) return figures;
  const auto [r_squared, known] = r_squared_of(predictions, rows.targets);
  figures["r_squared"] = Value::of(r_squared);
  figures["rows_with_target"] = Value::of(known);
  const std::vector<std::string> names = model.prediction_names();
  std::string text;
  for (Index j = 0; j < r_squared.size(); ++j)
    if (known[j] > 0)
      text += fmt::format("{}{} {}{}", text.empty() ? "" : "   ",
                          printable(names[static_cast<std::size_t>(j)]), brief(r_squared[j], 5),
                          of_rows(static_cast<Index>(known[j]), rows.data.n()));
  if (!text.empty()) terminal.say("R²", text);
  return figures;
}

int run(const RowArguments& args, Terminal& terminal) {
  const Stopwatch total;
  Context context = context_of(args.budget, terminal);
  RowNotes out_of_reach;
  context.out_of_reach = &out_of_reach;
  ReadOptions reading = args.reading.options();
  OpenModel open = open_model(args, "the table", reading, context, terminal);
  const auto& model = need<Predicts>(*open.model);
  const NewRows rows = read_new_rows(args.table, reading, model, context, terminal);
  const std::vector<std::string> names = model.prediction_names();
  const Block predictions = about(args.table, [&]() -> Block {
    if (rows.data.n() == 0) return Block(0, static_cast<Index>(names.size()));
    return model.predict(rows.data, context);
  });
  Labels classes;
  if (model.classifies()) classes = predicted_classes(model, predictions);
  const Value figures = model.classifies() ? judged_classes(model, classes.of_row, rows.data.labels,
                                                            open.warnings, terminal)
                                           : r_squared_told(model, rows, predictions, terminal);

  if (model.classifies()) classes = rows.written.spread(std::move(classes));
  Delivery delivery{.n = rows.written.n(), .columns = predictions.cols()};
  delivery.make = [&](const TakeRows& take) {
    rows.written.make(
        predictions.cols(), [&](const TakeRows& each) { each(predictions); }, take);
  };
  delivery.write = {.column_names = names,
                    .ids = &rows.written.ids(rows.data),
                    .ids_name = rows.ids_name,
                    .labels = &classes,
                    .format = {},
                    .rows_file = true};
  delivery.name = "predictions";
  delivery.before["method"] = model.kind();
  delivery.before["columns"] = Value::of(names);
  if (model.classifies()) {
    delivery.before["classes"] = Value::list();
    for (const Index number : classes.of_row) {
      const std::string& name = classes.classes[static_cast<std::size_t>(number)];
      const bool none =
          rows.written.some_are_empty() && number + 1 == static_cast<Index>(classes.classes.size());
      delivery.before["classes"].push_back(none ? Value() : Value(name));
    }
  }
  delivery.before["figures"] = figures;
  delivery.before["missing"] = rows.missing;
  delivery.after = [&] {
    Value object = Value::object();
    tell_out_of_reach(out_of_reach, rows, open.warnings, object, terminal);
    Value rest = closing(open, rows.warnings, total);
    for (const auto& [name, member] : object.as_object()) rest[name] = member;
    return rest;
  };
  deliver(args, delivery, context, terminal);
  return 0;
}

}  // namespace
}  // namespace predict_command

void add_predict(Program& program) {
  using namespace predict_command;
  const auto args = std::make_shared<RowArguments>();
  Command command =
      program.command("predict", "classes or numbers for new rows, and how right they are");
  args->add_to(command, "TABLE", "table with the model's columns; - is standard input");
  command.group("Table");
  args->reading.columns.describe_targets(command);
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
