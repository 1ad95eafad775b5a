#include "apps/cli/about.h"

#include "mercer/core/cpu.h"
#include "mercer/core/parallel.h"
#include "mercer/core/processor.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/core/value.h"
#include "mercer/core/version.h"
#include "mercer/io/json.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/linalg/byte_products.h"
#include "mercer/plan/machine.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace {

std::string as_text() {
  const BlasInfo& blas = blas_info();
  std::string kernels = blas.kernels.empty() ? "" : fmt::format(", {} kernels", blas.kernels);
  if (!blas.better.empty()) kernels += fmt::format("; better: OPENBLAS_CORETYPE={}", blas.better);
  return fmt::format(
      "mercer {}\n"
      "processor  {}\n"
      "level      {} (highest: {})   MERCER_CPU\n"
      "bytes      products of 8-bit rows by {}\n"
      "BLAS       {}{}\n"
      "threads    {}   --threads\n"
      "memory     {}, of which {} by default   --memory\n"
      "rates      {}\n",
      version(), processor().name, name_of(cpu_level()), name_of(highest_cpu_level()),
      byte_instructions(), blas.library, kernels, thread_count({}), bytes(installed_memory()),
      bytes(default_memory()),
      machine_of(cpu_level(), {}).origin == RateOrigin::listed
          ? "listed for this processor   mercer calibrate"
          : "listed for another processor   mercer calibrate");
}

Value as_value() {
  Value value;
  value["schema"] = 1;
  value["version"] = version();
  value["processor"] = processor().name;
  value["cpu_level"] = name_of(cpu_level());
  value["highest_cpu_level"] = name_of(highest_cpu_level());
  value["byte_instructions"] = byte_instructions();
  const BlasInfo& blas = blas_info();
  value["blas"]["library"] = blas.library;
  value["blas"]["kernels"] = blas.kernels.empty() ? Value() : Value(blas.kernels);
  value["blas"]["better_kernels"] = blas.better.empty() ? Value() : Value(blas.better);
  value["threads"] = thread_count({});
  value["memory"] = installed_memory();
  value["default_memory"] = default_memory();
  value["rates"] = name_of(machine_of(cpu_level(), {}).origin);
  return value;
}

}  // namespace

std::string version_text(bool verbose, bool json) {
  if (verbose) return json ? to_json(as_value(), 2) + "\n" : as_text();
  if (!json) return fmt::format("mercer {}\n", version());
  Value value;
  value["schema"] = 1;
  value["version"] = version();
  return to_json(value, 2) + "\n";
}

}  // namespace mercer::cli
