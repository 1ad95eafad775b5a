// mercer score MODEL TABLE: one number for each new row: what the method rates rows by, or the
// logarithm of their density under the model.
#include "apps/cli/model_table.h"
#include "apps/cli/reached_rows.h"
#include "apps/cli/row_command.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/models/kind.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace score_command {
namespace {

constexpr std::string_view kLogDensity = "log_density";

// Whether the model rates rows, or knows their density; M715 where it does neither.
const Rates* rates_of(const Model& model) {
  if (const Rates* rates = ability<Rates>(model)) return rates;
  if (ability<Likelihood>(model) != nullptr) return nullptr;
  std::vector<std::string_view> able;
  for (const ModelKind* kind : model_kinds())
    if (kind->abilities.has(Ability::rates) || kind->abilities.has(Ability::likelihood))
      able.push_back(kind->name);
  throw Error(ErrorCode::lacks_ability,
              fmt::format("a {} model has no score for a row", model.kind()),
              fmt::format("methods that have one: {}", fmt::join(able, ", ")));
}

int run(const RowArguments& args, Terminal& terminal) {
  const Stopwatch total;
  Context context = context_of(args.budget, terminal);
  RowNotes out_of_reach;
  context.out_of_reach = &out_of_reach;
  const ReadOptions reading = args.reading.options();
  OpenModel open = open_model(args, "the table", reading, context, terminal);
  const Model& model = *open.model;
  const Rates* rates = rates_of(model);
  const std::string heading(rates != nullptr ? rates->rating() : kLogDensity);
  const NewRows rows = read_new_rows(args.table, reading, model, context, terminal);
  const double read = total.seconds();
  const Vector numbers = about(args.table, [&]() -> Vector {
    if (rows.data.n() == 0) return {};
    return rates != nullptr ? rates->rate(rows.data, context)
                            : need<Likelihood>(model).log_density(rows.data, context);
  });
  const double scored = total.seconds() - read;
  if (rates == nullptr && numbers.size() > 0)
    terminal.say("Likelihood", fmt::format("log density of all rows {}, {} a row on average",
                                           brief(numbers.sum(), 6), brief(numbers.mean(), 4)));

  Delivery delivery{.n = rows.written.n(), .columns = 1};
  delivery.make = [&](const TakeRows& take) {
    rows.written.make(
        1, [&](const TakeRows& each) { each(numbers); }, take);
  };
  delivery.write = {.column_names = {heading},
                    .ids = &rows.written.ids(rows.data),
                    .ids_name = rows.ids_name,
                    .labels = &rows.written.labels(rows.data),
                    .format = {},
                    .rows_file = true};
  delivery.name = "scores";
  delivery.before["method"] = model.kind();
  delivery.before["column"] = heading;
  delivery.before["missing"] = rows.missing;
  if (rates == nullptr) delivery.before["log_likelihood"] = numbers.sum();
  delivery.after = [&] {
    open.warnings.insert(open.warnings.end(), rows.warnings.begin(), rows.warnings.end());
    Value rest;
    tell_out_of_reach(out_of_reach, rows, open.warnings, rest, terminal);
    rest["warnings"] = warning_list(open.warnings);
    Value& seconds = rest["seconds"];
    seconds["read"] = read;
    seconds["score"] = scored;
    seconds["total"] = total.seconds();
    rest["peak_bytes"] = peak_memory();
    return rest;
  };
  deliver(args, delivery, context, terminal);
  return 0;
}

}  // namespace
}  // namespace score_command

void add_score(Program& program) {
  using namespace score_command;
  const auto args = std::make_shared<RowArguments>();
  Command command =
      program.command("score", "one number for each new row: a rating, or its log density");
  args->add_to(command, "TABLE", "table with the model's columns; - is standard input");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
