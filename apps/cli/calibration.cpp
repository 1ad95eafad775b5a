#include "apps/cli/calibration.h"

#include "mercer/core/cpu.h"
#include "mercer/core/error.h"
#include "mercer/core/processor.h"
#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/json.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/plan/calibrate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace mercer::cli {
namespace {

constexpr std::int64_t kSchema = 2;          // changes when a rate changes its meaning
constexpr std::uint64_t kLargest = 1 << 16;  // bytes of a record, by far

// An absolute folder that the environment names; the rule for XDG folders is to ignore others.
std::filesystem::path folder_from(const char* variable) {
  const char* value = std::getenv(variable);
  const std::filesystem::path folder = value == nullptr ? "" : value;
  return folder.is_absolute() ? folder : std::filesystem::path();
}

// Why a record is not of this machine, or nothing.
std::string mismatch(const Value& record) {
  if (record["processor"].as_text() != processor().name) return "of another machine";
  const std::string &stored = record["cpu_level"].as_text(), level(name_of(cpu_level()));
  if (stored != level) return fmt::format("of CPU level {}, not {}", printable(stored), level);
  const std::string &kernels = record["blas_kernels"].as_text(), &now = blas_info().kernels;
  if (kernels == now) return {};
  return fmt::format("of the BLAS kernels {}, not {}", printable(kernels), now);
}

Machine rates_of(const Value& record) {
  Machine machine;
  machine.origin = RateOrigin::measured;
  for (const RateOrigin origin : {RateOrigin::estimated, RateOrigin::listed, RateOrigin::quick})
    if (record["origin"] == Value(name_of(origin))) machine.origin = origin;
  for (const MachineRate& rate : machine_rates()) {
    const double value = record["rates"][rate.name].as_number();
    if (!std::isfinite(value) || !(value > 0))
      throw Error(ErrorCode::bad_model_content,
                  fmt::format("the rate {} is {}", rate.name, brief(value)));
    machine.*rate.value = value;
  }
  return machine;
}

}  // namespace

std::string calibration_path() {
  std::filesystem::path folder = folder_from("XDG_CONFIG_HOME");
  if (folder.empty()) {
    folder = folder_from("HOME");
    if (folder.empty()) return {};
    folder /= ".config";
  }
  return (folder / "mercer" / "machine.json").string();
}

std::optional<Machine> stored_calibration(Terminal& terminal) {
  const std::string path = calibration_path();
  std::error_code unreadable;
  if (path.empty() || !std::filesystem::is_regular_file(path, unreadable)) return std::nullopt;
  std::string problem;
  try {
    const Value record = from_json(read_file(path, kLargest));
    if (record["schema"] != Value(kSchema))
      problem = "of another version of Mercer";
    else
      problem = mismatch(record);
    if (problem.empty()) return rates_of(record);
  } catch (const Error& error) {
    // A bad MERCER_CPU is a mistake of this call, not of the file.
    if (error.code() == ErrorCode::bad_option_value) throw;
    problem = error.code() == ErrorCode::bad_model_content ? "damaged" : "not readable";
  }
  terminal.say("Machine",
               fmt::format("the stored calibration is {}: ignored   mercer calibrate", problem));
  return std::nullopt;
}

Machine quick_calibration(const Context& context, Terminal& terminal) {
  terminal.say("Machine",
               "this processor is new here: measuring its rates, 0.3 s   mercer calibrate");
  const Machine machine = calibrate_quickly(context);
  try {
    store_calibration(writable_calibration_path(), machine);
  } catch (const Error&) {
    // Nobody asked for it to be kept: without a folder for it the next run measures again.
  }
  return machine;
}

Value calibration_record(const Machine& machine) {
  Value record;
  record["schema"] = kSchema;
  record["cpu_level"] = name_of(cpu_level());
  record["processor"] = processor().name;
  record["blas_kernels"] = blas_info().kernels;
  record["origin"] = name_of(machine.origin);
  Value& rates = record["rates"];
  for (const MachineRate& rate : machine_rates()) rates[rate.name] = machine.*rate.value;
  return record;
}

std::optional<Machine> recorded_rates(const Value& record) {
  try {
    if (record["schema"] != Value(kSchema) || !mismatch(record).empty()) return std::nullopt;
    return rates_of(record);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_option_value) throw;  // a bad MERCER_CPU
    return std::nullopt;
  }
}

std::string writable_calibration_path() {
  const std::string path = calibration_path();
  if (path.empty())
    throw Error(ErrorCode::folder_missing, "there is no folder to keep the rates in",
                "set HOME or XDG_CONFIG_HOME to a folder, or use --dry-run");
  // Where the folder cannot be made, the check below says why.
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  check_can_write(path);
  return path;
}

void store_calibration(const std::string& path, const Machine& machine) {
  const std::string text = to_json(calibration_record(machine), 2) + "\n";
  const std::array<std::string_view, 1> parts = {text};
  write_file_atomically(path, parts);
}

bool remove_calibration() {
  const std::string path = calibration_path();
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    return false;
  if (std::filesystem::is_directory(path, error))
    throw Error(ErrorCode::is_a_directory, "is a directory", "remove it by hand", printable(path));
  if (std::filesystem::remove(path, error)) return true;
  const bool forbidden =
      error == std::errc::permission_denied || error == std::errc::operation_not_permitted;
  throw Error(forbidden ? ErrorCode::no_permission : ErrorCode::write_failed,
              fmt::format("cannot remove: {}", error.message()), "remove it by hand",
              printable(path));
}

}  // namespace mercer::cli
