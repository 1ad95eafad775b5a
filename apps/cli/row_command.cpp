#include "apps/cli/row_command.h"

#include "apps/cli/json_rows.h"
#include "apps/cli/model_table.h"
#include "apps/cli/outputs.h"
#include "mercer/core/text.h"
#include "mercer/io/model.h"
#include "mercer/io/rows_file.h"

#include <fmt/format.h>

namespace mercer::cli {

void RowArguments::add_to(Command& command, const std::string& name, const std::string& help) {
  command.positional("MODEL", model, "model file");
  command.positional(name, table, help);
  command.group("Table");
  command.words(reading);
  command.group("Machine");
  command.words(budget);
  command.group("Output");
  command.option("-o,--output", output, "file to write (default: standard output, as CSV)", "FILE");
  command.flag("force", force, kForceHelp);
}

OpenModel open_model(const RowArguments& args, const char* table, const ReadOptions& reading,
                     const Context& context, Terminal& terminal) {
  Files files(terminal);
  files.reads("the model", args.model);
  files.reads_table(table, args.table, reading);
  if (!terminal.json || args.output != "-") files.writes_rows("the output", args.output);
  files.may_force(args.force);
  files.check();
  terminal.stage("read", 0.4);
  OpenModel open{load_model(args.model, context), {}};
  open.warnings = inherited_warnings(*open.model);
  for (const Warning& warning : open.warnings) terminal.warn(warning);
  return open;
}

Value closing(const OpenModel& open, const Warnings& of_table, const Stopwatch& total) {
  Warnings warnings = open.warnings;
  warnings.insert(warnings.end(), of_table.begin(), of_table.end());
  Value rest;
  rest["warnings"] = warning_list(warnings);
  rest["seconds"]["total"] = total.seconds();
  rest["peak_bytes"] = peak_memory();
  return rest;
}

void deliver(const RowArguments& args, const Delivery& delivery, const Context& context,
             Terminal& terminal) {
  const auto make = [&](const TakeRows& take) {
    about(args.table, [&] {
      delivery.make([&](DataView block) {
        terminal.clear_progress();  // the rows may go to the same screen
        take(block);
      });
    });
  };
  terminal.stage("write", 1);
  TableRows rows(delivery.n, delivery.columns, make, context);
  const bool to_stdout = args.output == "-", in_object = to_stdout && terminal.json;
  if (in_object)
    rows.all();
  else
    write_table(args.output, std::move(rows), delivery.write);
  const Value after = delivery.after();
  const std::string beside = rows_file_of(args.output, delivery.write);
  if (!to_stdout)
    terminal.say("Wrote",
                 fmt::format("{} ({} × {}){}", printable(args.output), grouped(delivery.n),
                             delivery.columns, beside.empty() ? "" : ", " + printable(beside)));
  if (!terminal.json) return;
  Value value;
  value["schema"] = 1;
  value["n"] = delivery.n;
  for (const auto& [name, member] : delivery.before.as_object()) value[name] = member;
  value["output"] = to_stdout ? Value() : Value(args.output);
  if (!beside.empty()) value["rows_file"] = beside;
  if (in_object)
    return write_json_rows(terminal, value, {delivery.name, rows.all(), delivery.write.ids}, after);
  for (const auto& [name, member] : after.as_object()) value[name] = member;
  terminal.result(value);
}

}  // namespace mercer::cli
