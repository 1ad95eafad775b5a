// Prepared: the rows as a method sees them, and what a look at them told. Made once for a fit; the
// plan and the fit both take it, so that the plan which is shown is the plan which is run.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/data/dataset.h"
#include "mercer/data/scale.h"
#include "mercer/data/summary.h"
#include "mercer/models/training.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class Need { no, may, must };

/// What a method can learn from.
struct Takes {
  Need labels = Need::no;   // a class for each row
  bool unlabelled = false;  // rows without a class beside those that have one
  Need targets = Need::no;  // numbers to predict
  bool missing = false;     // values that are not finite
  bool pairs = false;       // kernel values or distances in place of rows
  bool weights = false;     // a weight for each pair of rows
  bool sparse = true;       // rows that are mostly zeros, as they are; else they are written out
  bool chunks = false;      // rows from a RowSource
  bool start = false;       // a start: the components of an earlier fit
  std::string_view instead_of_sparse = {};  // a way out where they do not fit written out
};

/// What options say about the rows.
struct PrepareSettings {
  Choice<Scaling> scale = Scaling::none;
  bool pairs = false;            // the rows are a matrix of pairs, which has no columns to look at
  bool needs_difference = true;  // rows that are all the same are refused
  bool unit_free = false;        // the units of the columns do not matter: nothing is said of them
};

struct Prepared {
  DataView rows = {};                         // only sizes where there is a source
  std::shared_ptr<const Dataset> owner = {};  // of the rows' memory, where a model may share it
  const RowSource* source = nullptr;
  DataView targets = {};
  DataView weights = {};                          // of pairs
  const Block* start = nullptr;                   // of a search, or null
  const std::vector<std::string>* ids = nullptr;  // of the rows, or null
  Scaler scaler = {};
  Overview overview = {};  // of the rows before they were scaled; nothing of a matrix of pairs
  Warnings warnings = {};
  InputInfo input = {};     // with the fingerprint of the rows as they came
  bool sizes_only = false;  // the rows stand for their number: what depends on values is not asked
  const Labels& labels() const { return *input.labels; }
};

/// Sizes and nothing else: for the price of a fit whose rows nobody could look at within the memory
/// allowed. A copy that scaling or writing out would make is counted on the context.
Prepared sizes_of(const Training& training, const Takes& takes, const PrepareSettings& settings,
                  Context& context);

/// Throws M102: the method has no use for a start; names those that have one.
[[noreturn]] void refuse_start(std::string_view method);

/// Checks the rows as the method needs them (M202, M211, M212, M230, M231, M247, M250, M251, M270,
/// M272, M301), scales them and writes sparse ones out where it must. What the training views must
/// outlive the result. `method` is its name, for messages.
Prepared prepare(std::string_view method, const Training& training, const Takes& takes,
                 const PrepareSettings& settings, const Context& context);

}  // namespace mercer
