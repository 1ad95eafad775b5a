// The options of `fit`. `plan` takes the same, so that one word turns a fit into its plan.
#pragma once

#include "apps/cli/arguments.h"
#include "apps/cli/chunked_table.h"
#include "apps/cli/fit_checkpoint.h"
#include "mercer/models/kind.h"

#include <memory>
#include <optional>
#include <string>

namespace mercer::cli {

struct FitArguments {
  std::vector<std::string> tables;  // one at least; several are read as one
  std::string method = std::string(kDefaultMethod), output, scores, start, weights, on;
  ReadWords reading;
  std::string cross_validate;  // folds, as it was written
  Value given;                 // options of the method, likewise
  BudgetWords budget;
  CheckpointArguments keep;
  bool reproducible = false, explain = false, force = false, draw = false, chunks = false;

  void add_to(Command& command);
  /// The same options; the help leaves out those that change no plan.
  void add_to_plan(Command& command);

  const std::string& table() const { return tables.front(); }
  /// All of them, for messages; their base names, for a model.
  std::string place() const;
  std::string name() const;

  /// The method. Throws M112 for an unknown one, M102 for an option that it does not have or a
  /// value that it cannot take: before a table is read.
  const ModelKind& kind() const;

  /// How many folds the cross-validation has; 0: none. Throws M102 as check_cross_validation does.
  Index folds() const;

 private:
  void add_shared(Command& command);
};

/// What the method learns from: rows, names, labels and targets of the table, which must outlive it
/// and loses its names and labels to it.
Training training_of(const FitArguments& args, Table& table);

/// A table, or the rows of one that is read in chunks; its notes and names are there in both cases.
struct FitTable {
  Table table;
  std::unique_ptr<RowFile> chunks = {};
  /// Where --on names a model: that model, and the rows of its table; the table holds their scores.
  std::shared_ptr<const Model> on = {};
  Dataset before = {};
  Index n() const { return chunks != nullptr ? chunks->n() : table.data.n(); }
  Index dim() const { return chunks != nullptr ? chunks->dim() : table.data.dim(); }
};

/// Reads the table, or opens it where it is read in chunks.
FitTable read_for_fit(const FitArguments& args, const ReadOptions& reading, const Context& context,
                      Terminal& terminal);
Training training_of(const FitArguments& args, FitTable& table);

/// Where --start names a model: vectors of its components over the table's rows, which must be
/// those it was fitted on (M102). Empty otherwise.
Block start_of(const FitArguments& args, const Training& training, const Context& context);

/// The table that --weights names: a weight for each pair of rows; empty where there is none.
Dataset weights_of(const FitArguments& args, const Context& context, Terminal& terminal);

}  // namespace mercer::cli
