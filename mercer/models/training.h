// Training: what a fit learns from. Rows alone for most methods; classes or numbers to predict for
// those that need them.
#pragma once

#include "mercer/core/shared.h"
#include "mercer/core/types.h"
#include "mercer/data/column_use.h"
#include "mercer/data/dataset.h"
#include "mercer/data/view.h"

#include <concepts>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

class RowSource;

/// How missing values were treated.
struct TreatedGaps {
  std::string policy = "error";  // error, drop, mean, ...
  Vector fill = {};              // mean, median: the figure of each column, for gaps in new rows
  Index rows_dropped = 0, cells_filled = 0;
};

/// Where the training rows came from; kept for checks and pictures, never needed for the
/// mathematics.
struct InputInfo {
  std::string name = {};                               // base name of the file
  std::string fingerprint = {};                        // of the numbers
  Shared<std::vector<std::string>> column_names = {};  // empty where there are none
  bool named_columns = false;  // names come from the file, so that new tables are matched by name
  Shared<Labels> labels = {};
  Shared<std::vector<std::string>> row_names = {};  // empty, or one for each row
  std::vector<Index> image_shape = {};  // height, width (and channels) where rows are images
  std::vector<std::string> target_names = {};
  TreatedGaps missing = {};
  std::optional<Index> first_index = {};  // LibSVM: where the indices of the table began
  ColumnUse use = {};                     // what became of its columns
};

/// Numbers to predict, one or more columns for each row.
struct Targets {
  DataView values = {};
  std::vector<std::string> names = {};  // empty, or one for each column
};

/// Classes of the rows are `input.labels`. A method says which parts it needs (Takes,
/// models/kind.h); the others may be absent.
struct Training {
  /// Rows of a view are copied by models that keep them.
  template <class Rows>
  requires std::convertible_to<const Rows&, DataView> Training(const Rows& rows_in)
      : rows(rows_in) {}
  /// Rows of a data set are shared, and its names and labels are those of the training rows.
  Training(const Dataset& data);
  /// The same, with names and labels moved out of it.
  static Training taking(Dataset& data);
  /// Rows that come in chunks.
  Training(const RowSource& source_in) : source(&source_in) {}

  DataView rows = {};
  const Dataset* owner = nullptr;     // of the rows: a model shares its memory; null: it copies
  const RowSource* source = nullptr;  // in place of the rows
  Targets targets = {};
  DataView weights = {};  // of pairs: one row and one column for each row of the table
  InputInfo input = {};
  /// Where a search may begin: a column for each component of an earlier fit of these rows, also
  /// with another kernel width (start_from). The answer is the same within the tolerance.
  const Block* start = nullptr;
};

}  // namespace mercer
