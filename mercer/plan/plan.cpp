#include "mercer/plan/plan.h"

namespace mercer {

std::string precision_text(Precision precision, std::string_view solver) {
  if (precision != Precision::single_) return "double";
  return solver == "dense" ? "single" : "single+double";
}

Value SearchSettings::report() const {
  Value value;
  value["block"] = block;
  value["first"] = first;
  value["probes"] = probes;
  value["basis"] = basis;
  value["ride"] = ride;
  value["landmarks"] = landmarks;
  return value;
}

Value Plan::choice() const {
  Value value;
  value["operator"] = operator_name;
  value["solver"] = solver_name;
  value["precision"] = precision_text(precision, solver_name);
  value["passes"] = passes;
  return value;
}

Value Plan::report() const {
  Value value = choice();
  value["predicted_seconds"] = predicted.seconds;
  value["predicted_bytes"] = predicted.bytes;
  value["rates"] = name_of(predicted.rates);
  if (walks > 0) value["walks"] = walks;
  if (leading > 0) value["leading"] = leading;
  value["block"] = search.block;
  value["landmarks"] = search.landmarks;
  Value list = Value::list();
  for (const Candidate& candidate : candidates) {
    Value entry;
    entry["operator"] = candidate.operator_name;
    entry["solver"] = candidate.solver_name;
    entry["bytes"] = candidate.possible() ? Value(candidate.bytes) : Value();
    entry["seconds"] = candidate.possible() ? Value(candidate.seconds) : Value();
    entry["precision"] = candidate.possible()
                             ? Value(precision_text(candidate.precision, candidate.solver_name))
                             : Value();
    entry["passes"] = candidate.possible() ? Value(candidate.passes) : Value();
    entry["error"] = candidate.possible() ? Value(candidate.error) : Value();
    entry["verdict"] = candidate.verdict;
    entry["chosen"] = candidate.chosen();
    list.push_back(std::move(entry));
  }
  value["candidates"] = std::move(list);
  return value;
}

}  // namespace mercer
