// The rates that `mercer calibrate` measured, in a file of the user's configuration folder:
//   {"schema":2,"cpu_level":"v4","processor":"...","blas_kernels":"SkylakeX","origin":"measured",
//    "rates":{"gemm_double":4.8e10,...}}
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/core/budget.h"
#include "mercer/core/value.h"
#include "mercer/linalg/cost.h"

#include <optional>
#include <string>

namespace mercer::cli {

/// $XDG_CONFIG_HOME/mercer/machine.json, or the same below $HOME/.config; empty where neither is
/// set.
std::string calibration_path();

/// The stored rates; nothing where there are none. Those that are damaged, or of another processor
/// or CPU level, are ignored with a note: a plan must not fail on them.
std::optional<Machine> stored_calibration(Terminal& terminal);

/// Measures the rates in a moment and keeps them where that is possible.
Machine quick_calibration(const Context& context, Terminal& terminal);

/// What is stored of these rates.
Value calibration_record(const Machine& machine);
/// The rates of such a record where they are of this machine and whole; nothing elsewhere.
std::optional<Machine> recorded_rates(const Value& record);

/// The file to store rates in, its folder made. Throws M402 where there is no configuration folder,
/// and what writing would throw: nobody should wait for rates that cannot be kept.
std::string writable_calibration_path();

/// Writes the rates; throws what writing throws.
void store_calibration(const std::string& path, const Machine& machine);

/// Removes the stored rates; false where there were none. Throws M404, M406, M410.
bool remove_calibration();

}  // namespace mercer::cli
