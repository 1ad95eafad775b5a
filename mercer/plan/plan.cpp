#include "mercer/plan/plan.h"

namespace mercer {

Value Plan::choice() const {
  Value value;
  value["operator"] = operator_name;
  value["solver"] = solver_name;
  value["precision"] = name_of(precision);
  value["passes"] = passes;
  return value;
}

Value Plan::report() const {
  Value value = choice();
  value["predicted_seconds"] = predicted_seconds;
  value["predicted_bytes"] = predicted_bytes;
  Value list = Value::list();
  for (const Candidate& candidate : candidates) {
    Value entry;
    entry["operator"] = candidate.operator_name;
    entry["solver"] = candidate.solver_name;
    entry["bytes"] = candidate.possible ? Value(candidate.bytes) : Value();
    entry["seconds"] = candidate.possible ? Value(candidate.seconds) : Value();
    entry["verdict"] = candidate.verdict;
    entry["chosen"] = candidate.chosen;
    list.push_back(std::move(entry));
  }
  value["candidates"] = std::move(list);
  return value;
}

}  // namespace mercer
