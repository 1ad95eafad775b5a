// Which rows a result has: those of the table that a model got, and with --missing keep also those
// that it did not get because they lack values. Their results are empty, so that a result lines up
// with its table.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/core/budget.h"
#include "mercer/data/dataset.h"
#include "mercer/models/ability.h"

#include <functional>
#include <string>
#include <vector>

namespace mercer::cli {

class WrittenRows {
 public:
  WrittenRows() = default;
  /// Those that the model gets.
  explicit WrittenRows(const Dataset& data) : n_(data.n()) {}

  /// Takes the rows with missing values out of the data and the targets.
  void leave_out_gaps(Dataset& data, Dataset& targets, const Context& context, Terminal& terminal);

  Index n() const { return n_; }
  bool some_are_empty() const { return some_are_empty_; }
  /// Which row is written where this row of the data stands.
  Index place(Index row) const {
    return some_are_empty_ ? places_[static_cast<std::size_t>(row)] : row;
  }
  /// Names and classes of all rows that are written; `data` are those that the model got.
  const std::vector<std::string>& ids(const Dataset& data) const {
    return some_are_empty_ ? ids_ : data.ids;
  }
  const Labels& labels(const Dataset& data) const {
    return some_are_empty_ ? labels_ : data.labels;
  }
  /// "row 12", by its name where it has one.
  std::string row_text(Index row, const Dataset& data) const;
  /// Classes of the rows that the model got, spread over all of them: an empty one for the others.
  Labels spread(Labels labels) const;
  /// Hands on what `make` makes of the data's rows, with rows of NaN where others stand.
  void make(Index columns, const std::function<void(const TakeRows&)>& make,
            const TakeRows& take) const;

 private:
  Index n_ = 0;
  bool some_are_empty_ = false;
  std::vector<Index> places_;
  std::vector<std::string> ids_;
  Labels labels_;
};

}  // namespace mercer::cli
