// Which columns of a table are kept, in which order, which one holds the classes and which are to
// be predicted: the options `columns`, `drop`, `label` and `target`, and what a model knows of its
// own.
#pragma once

#include "mercer/core/index.h"
#include "mercer/io/detail/column_words.h"
#include "mercer/io/table.h"

#include <optional>
#include <string>
#include <vector>

namespace mercer::detail {

struct ChosenEncoding {
  Index column;
  std::string as;
  const Encoding* known;  // of a model, which outlives the reading; or null
};

struct ColumnChoice {
  std::vector<Index> kept;      // without the label, in the order asked for
  std::optional<Index> label;   // only when an option or a model names one
  std::optional<Index> ids;     // likewise
  std::vector<Index> targets;   // those that are named; they are among the kept
  std::vector<Index> may_lack;  // targets that somebody wants to predict: gaps in them are none
  std::vector<bool> extra;      // of each column: a model does not know it; empty: all are wanted
  std::vector<ChosenEncoding> encode;  // columns of texts that are to become numbers
  std::string encode_rest = {};        // how those do that would be set aside; empty: they are
  std::string encode_dates = {};       // the same of those that hold dates
  bool no_label = false;               // no column holds classes
  bool names_say_nothing = false;      // a column that is called class may be a measurement
  bool keep_all = false;               // what is no classes is numbers, whatever it is called

  bool is_target(Index column) const;
  bool may_be_missing(Index column) const;
  bool is_encoded(Index column) const;
  bool is_extra(Index column) const {
    return !extra.empty() && extra[static_cast<std::size_t>(column)];
  }
};

/// Whether no labels are wanted, wherever they stand: --label none, or targets alone.
bool wants_no_labels(const ColumnOptions& options);

/// Throws M216 for a column that is not there, and M280 where a table that should have the same
/// columns lacks one. What was left out by options is listed in `use`.
ColumnChoice choose_columns(const FileColumns& columns, const ColumnOptions& options,
                            ColumnUse& use);

/// Leaves out what a model does not know, with a note. Throws M280 where the columns should be the
/// same as those of another table.
void leave_out_extra(const std::vector<Index>& extra, const FileColumns& columns,
                     const ColumnOptions& options, Table& table);

/// "column "x"", or "column 3" where there are no names.
std::string column_text(Index column, const std::vector<std::string>& names);
/// The name, or col3 where there are none.
std::string name_of_column(Index column, const std::vector<std::string>& names);

}  // namespace mercer::detail
