// A benchmark scenario: which data, which fit, and how accurate the answer must be. It is a file of
// lines `key = value`, a small part of TOML.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/data/dataset.h"
#include "mercer/data/generator.h"
#include "mercer/models/kind.h"

#include <string>

namespace mercer::cli {

struct Scenario {
  std::string file, name, data, memory, method = std::string(kDefaultMethod);
  GeneratorOptions generator;
  Index rows = 0;                 // 0: all of a table
  Value given = Value::object();  // options of the method
  double eigenvalue_error = 0;    // allowed; 0: not asked for
};

/// Reads a scenario; throws M102 with the line for what it does not understand.
Scenario read_scenario(const std::string& file);

/// A generator's rows, or the first rows of a table, which is looked for beside the scenario.
Dataset data_of(const Scenario& scenario, const Context& context);

}  // namespace mercer::cli
