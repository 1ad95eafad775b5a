// ColumnUse: what became of the columns of a table. Those that are no measurements are listed with
// the reason, so that nobody has to guess what a model was fitted on.
#pragma once

#include "mercer/core/index.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Why a column is no measurement, as the program and the model say it.
namespace aside {
constexpr std::string_view kLabels = "holds the classes";
constexpr std::string_view kTarget = "to be predicted";
constexpr std::string_view kRowNames = "holds row names";
constexpr std::string_view kText = "text";
constexpr std::string_view kDates = "dates";
constexpr std::string_view kEmpty = "empty";
constexpr std::string_view kDropped = "left out by --drop";
constexpr std::string_view kNotChosen = "not among --columns";
constexpr std::string_view kCalledClasses = "called as classes and targets are";
constexpr std::string_view kNotInModel = "not in the model";
}  // namespace aside

struct SetAside {
  std::string name;
  std::string reason;
  Index column = -1;  // of the table, counted from 0; not stored in a model
};

/// A column of texts that became numbers.
struct Encoding {
  std::string column;                    // of the table
  std::string as;                        // onehot, ordinal, frequency or date
  std::vector<std::string> levels = {};  // its texts, sorted; none of dates
  std::vector<double> shares = {};       // frequency: of the rows, for each level
  std::string format = {};               // date: ymd, dmy or mdy, in the order of the cells
};

struct ColumnUse {
  /// The first ones only: the names of all would fill a model where few of a million are used.
  static constexpr Index kListed = 1000;

  std::vector<SetAside> set_aside = {};
  Index set_aside_count = 0;       // all of them
  Index width = 0;                 // columns of the table; 0: not known
  std::vector<Index> places = {};  // of the used columns among them; empty: all, in their order
  std::vector<Encoding> encoded = {};
  std::vector<Index> targets = {};  // columns that were named as targets, while the table is read

  void put_aside(Index column, std::string name, std::string_view reason) {
    if (set_aside_count++ < kListed)
      set_aside.push_back({std::move(name), std::string(reason), column});
  }
  /// Where the used column stands in the table.
  Index place(Index used) const {
    return places.empty() ? used : places[static_cast<std::size_t>(used)];
  }
};

}  // namespace mercer
