// mercer transform MODEL TABLE: scores of new rows.
#include "apps/cli/chunked_table.h"
#include "apps/cli/model_table.h"
#include "apps/cli/reached_rows.h"
#include "apps/cli/row_command.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/models/kind.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace transform_command {
namespace {

Warning far_rows_warning(const RowCount& doubtful, Index n, const std::string& first) {
  return {WarningCode::far_rows,
          fmt::format("{} of {} rows {} so far from the training rows that their scores have few "
                      "digits left (the first is {})",
                      grouped(doubtful.count), grouped(n), doubtful.count == 1 ? "lies" : "lie",
                      first)};
}

// Scores of a row do not depend on the rows beside it where a method learns from chunks.
std::unique_ptr<RowFile> chunks_for(const RowArguments& args, const ReadOptions& reading,
                                    const Model& model, const Context& context,
                                    Terminal& terminal) {
  std::unique_ptr<RowFile> chunks =
      rows_in_chunks(args.table, reading_for(model, reading), false,
                     model_kind(model.kind()).takes.chunks, model.kind(), context, terminal);
  // More columns than the model's: those it knows are taken out of the whole table.
  const Model& first = model.first();
  if (chunks != nullptr && chunks->dim() == first.input.use.width &&
      chunks->dim() != first.report.dim)
    chunks.reset();
  if (chunks != nullptr) about(args.table, [&] { model.check_width(chunks->dim()); });
  return chunks;
}

// Of the chunks where there are any, else of the rows. Returns the seconds it took without those of
// taking the scores.
double make_scores(const Transforms& model, RowFile* chunks, const NewRows& rows,
                   const TakeRows& take, RowCount& doubtful, const Context& context) {
  const Stopwatch clock;
  double taking = 0;
  const auto timed = [&](DataView block) {
    const Stopwatch writing;
    take(block);
    taking += writing.seconds();
  };
  if (chunks != nullptr)
    model.transform_chunks(*chunks, context, timed, &doubtful);
  else
    rows.written.make(
        model.score_columns(),
        [&](const TakeRows& each) { model.transform_blocks(rows.data, context, each, &doubtful); },
        timed);
  return clock.seconds() - taking;
}

int run(const RowArguments& args, Terminal& terminal) {
  const Stopwatch total;
  Context context = context_of(args.budget, terminal);
  RowNotes out_of_reach;
  context.out_of_reach = &out_of_reach;
  const ReadOptions reading = args.reading.options();
  OpenModel open = open_model(args, "the table", reading, context, terminal);
  const auto& model = need<Transforms>(*open.model);
  const std::unique_ptr<RowFile> chunks = chunks_for(args, reading, model, context, terminal);
  const NewRows rows =
      chunks != nullptr ? NewRows{} : read_new_rows(args.table, reading, model, context, terminal);
  const double read = total.seconds();
  const Index n = chunks != nullptr ? chunks->n() : rows.written.n(),
              components = model.score_columns();
  RowCount doubtful;
  double transformed = 0;  // seconds, without those of writing

  Delivery delivery{.n = n, .columns = components};
  delivery.make = [&](const TakeRows& take) {
    transformed += make_scores(model, chunks.get(), rows, take, doubtful, context);
  };
  delivery.write = {.column_names = score_names(components),
                    .ids = &rows.written.ids(rows.data),
                    .ids_name = rows.ids_name,
                    .labels = &rows.written.labels(rows.data),
                    .format = {},
                    .rows_file = true};
  delivery.name = "scores";
  delivery.before["components"] = components;
  delivery.before["missing"] = rows.missing;
  delivery.after = [&] {
    if (doubtful.count > 0) {
      open.warnings.push_back(
          far_rows_warning(doubtful, n, rows.written.row_text(doubtful.first, rows.data)));
      terminal.warn(open.warnings.back());
    }
    open.warnings.insert(open.warnings.end(), rows.warnings.begin(), rows.warnings.end());
    Value rest;
    tell_out_of_reach(out_of_reach, rows, open.warnings, rest, terminal);
    rest["warnings"] = warning_list(open.warnings);
    Value& seconds = rest["seconds"];
    seconds["read"] = read;
    seconds["transform"] = transformed;
    seconds["total"] = total.seconds();
    rest["peak_bytes"] = peak_memory();
    return rest;
  };
  deliver(args, delivery, context, terminal);
  return 0;
}

}  // namespace
}  // namespace transform_command

void add_transform(Program& program) {
  using namespace transform_command;
  const auto args = std::make_shared<RowArguments>();
  Command command = program.command("transform", "scores of new rows under a model");
  args->add_to(command, "TABLE", "table with the model's columns; - is standard input");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
