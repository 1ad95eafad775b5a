#include "apps/cli/fit_work.h"

#include "apps/cli/calibration.h"
#include "mercer/core/cpu.h"
#include "mercer/core/version.h"
#include "mercer/data/fingerprint.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/plan/machine.h"

namespace mercer::cli {

Value work_of(const FitArguments& args, const Prepared& prepared) {
  Value work;
  work["version"] = version();
  work["processor level"] = name_of(cpu_level());
  work["BLAS kernels"] = blas_info().kernels;
  work["method"] = args.method;
  work["data"]["rows"] = prepared.rows.n();
  work["data"]["columns"] = prepared.rows.dim();
  work["data"]["numbers"] = prepared.input.fingerprint;
  work["options"] = model_kind(args.method).record(args.given);
  // Of given distances it matters whether there is a kernel, not only which one.
  if (!args.given["as"].is_null()) work["kernel"] = args.given["kernel"];
  if (prepared.weights.n() > 0) work["weights"] = fingerprint(prepared.weights);
  if (prepared.start != nullptr) work["start"] = fingerprint(*prepared.start);
  return work;
}

Value with_plan(Value work, const Plan& plan) {
  work["plan"] = plan.choice();
  work["plan"]["widths"] = plan.search.report();
  return work;
}

Value notes_of(const Context& context) {
  const Budget& budget = context.budget;
  Value notes;
  notes["machine"] = calibration_record(
      budget.machine != nullptr ? *budget.machine : machine_of(cpu_level(), budget));
  return notes;
}

void take_rates_of_beginning(const std::string& checkpoint, const Value& work, Context& context,
                             std::optional<Machine>& machine) {
  const Value head = head_of_checkpoint(checkpoint, work);
  const std::optional<Machine> rates = recorded_rates(head["machine"]);
  if (!rates) return;
  machine = rates;
  context.budget.machine = &*machine;
}

}  // namespace mercer::cli
