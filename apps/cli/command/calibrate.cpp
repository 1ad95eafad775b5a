// mercer calibrate: measure what this machine does per second, for the planner's predictions.
#include "mercer/plan/calibrate.h"

#include "apps/cli/calibration.h"
#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "apps/cli/render/table.h"
#include "mercer/core/cpu.h"
#include "mercer/core/text.h"
#include "mercer/plan/machine.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace calibrate_command {
namespace {

struct Arguments {
  double seconds = 0.4;  // for each rate: five in all
  bool dry_run = false, remove = false;
};

std::string rate_text(double rate, std::string_view unit) {
  return fmt::format("{} {}", brief(rate / 1e9, 3), unit);
}

std::string rates_table(const Machine& measured) {
  const Machine listed = machine_of(cpu_level(), {});
  TextTable table({"rate of one thread", "built in", "measured", ""});
  for (const MachineRate& rate : machine_rates())
    table.add({std::string(rate.name), rate_text(listed.*rate.value, rate.unit),
               rate_text(measured.*rate.value, rate.unit), std::string(rate.summary)});
  return table.text();
}

int remove_stored(Terminal& terminal) {
  const std::string path = calibration_path();
  const bool removed = remove_calibration();
  if (removed)
    terminal.say("Removed", printable(path) + "; plans use the built-in rates again");
  else
    terminal.say("Nothing", "to remove: plans use the built-in rates");
  if (!terminal.json) return 0;
  Value value;
  value["schema"] = 1;
  value["removed"] = removed ? Value(path) : Value();
  terminal.result(value);
  return 0;
}

int run(const Arguments& args, Terminal& terminal) {
  if (args.remove && args.dry_run)
    throw Error(ErrorCode::bad_option_value, "--remove and --dry-run exclude each other",
                "use one of them");
  if (!(args.seconds > 0 && args.seconds <= 60))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--seconds {}: must be above 0 and at most 60", brief(args.seconds)),
                "such as --seconds 0.4");
  if (args.remove) return remove_stored(terminal);
  const std::string path = args.dry_run ? std::string() : writable_calibration_path();
  Files files(terminal);
  files.writes("the stored rates", path);
  files.check();
  Context context;
  context.observer = terminal.observer();
  terminal.say("Machine", "measuring; other programs should rest");
  const Machine machine = calibrate(context, args.seconds);
  terminal.line("\n" + rates_table(machine));
  if (args.dry_run) {
    terminal.say("Stored", "nothing   --dry-run");
  } else {
    store_calibration(path, machine);
    terminal.say("Stored",
                 printable(path) + "; plans use it from now on   mercer calibrate --remove");
  }
  if (!terminal.json) return 0;
  Value value = calibration_record(machine);
  value["stored"] = args.dry_run ? Value() : Value(path);
  terminal.result(value);
  return 0;
}

}  // namespace
}  // namespace calibrate_command

void add_calibrate(Program& program) {
  using namespace calibrate_command;
  const auto args = std::make_shared<Arguments>();
  Command command = program.command("calibrate", "measure this machine's rates for the planner");
  command("seconds", args->seconds, "time for each of the nine rates (default 0.4)");
  command.flag("dry-run", args->dry_run, "measure and show, but store nothing");
  command.flag("remove", args->remove, "remove the stored rates");
  command.run([args](Terminal& terminal) { return run(*args, terminal); });
}

}  // namespace mercer::cli
