// Commands that take a model and a table and give a table with a row for each row: transform,
// inverse, predict. They share how files are named and checked, how the model is opened, and how
// results go to a file, to standard output or into a JSON object.
#pragma once

#include "apps/cli/arguments.h"
#include "apps/cli/command.h"
#include "mercer/core/system.h"
#include "mercer/io/table.h"
#include "mercer/models/ability.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mercer::cli {

struct RowArguments {
  std::string model, table, output = "-";
  bool force = false;
  ReadWords reading;
  BudgetWords budget;

  /// `name`, `help`: of the table.
  void add_to(Command& command, const std::string& name, const std::string& help);
};

/// The model, and what its results inherit from its fit.
struct OpenModel {
  std::unique_ptr<Model> model;
  Warnings warnings;
};

/// Checks the names of all files, loads the model, tells what it was warned of. `table`: what the
/// table is called in messages.
OpenModel open_model(const RowArguments& args, const char* table, const ReadOptions& reading,
                     const Context& context, Terminal& terminal);

/// A table that is made, and what is told with it.
struct Delivery {
  Index n = 0, columns = 0;
  std::function<void(const TakeRows&)> make;
  WriteOptions write = {};
  std::string_view name = {};         // of the rows in JSON
  Value before = {};                  // members before them
  std::function<Value()> after = {};  // and after them: asked for when the rows are there
};

/// What such commands tell last: warnings, those of the table among them, seconds and memory.
Value closing(const OpenModel& open, const Warnings& of_table, const Stopwatch& total);

/// Writes the table, or shows it in one JSON object.
void deliver(const RowArguments& args, const Delivery& delivery, const Context& context,
             Terminal& terminal);

}  // namespace mercer::cli
