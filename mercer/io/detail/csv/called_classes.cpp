#include "mercer/io/detail/csv/called_classes.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

std::string lower_case(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return lower;
}

// Cells without a value are rows without a class.
bool all_whole(const CsvValues& values, std::size_t slot) {
  for (Index i = 0; i < values.rows(); ++i) {
    const double value = values.at(i, slot);
    if (!std::isnan(value) && value != std::floor(value)) return false;
  }
  return true;
}

// Few different numbers that come often are classes; many are a measurement of something.
bool few_come_often(CsvValues& values, Index column) {
  constexpr Index kFew = 20, kMost = 100;  // different ones: any that repeat, those with ten rows
  const TextColumn* texts = values.texts(column);
  if (texts == nullptr) return false;
  const auto different = static_cast<Index>(texts->different().size());
  const Index rows = values.rows();
  if (different <= 2) return true;
  return 2 * different <= rows &&
         (different <= kFew || (different <= kMost && 10 * different <= rows));
}

struct Called {
  bool whole = false, target = false;  // whole numbers; the name is target
};

void note_aside(Index column, const Called& called, const std::vector<std::string>& names,
                Table& result) {
  const std::string& name = names[static_cast<std::size_t>(column)];
  const std::string flag = called.target ? "--target " : "--label ";
  result.notes.push_back(
      {fmt::format("{} is called as {} are: set aside", column_text(column, names),
                   called.target ? "numbers to predict" : "classes"),
       flag + printable(name) + ", or --columns"});
}

}  // namespace

bool names_classes(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower == "label" || lower == "class" || lower == "target";
}

std::optional<Index> take_called_classes(CsvValues& values, const std::vector<std::string>& names,
                                         const ColumnChoice& choice, const KnownColumns& known,
                                         ColumnTypes& types, Table& result) {
  if (choice.names_say_nothing) return std::nullopt;
  const auto name_at = [&](std::size_t slot) -> const std::string& {
    return names[static_cast<std::size_t>(values.columns()[slot])];
  };
  const auto says_classes = [&](std::size_t slot) {
    return names_classes(name_at(slot)) && !choice.is_target(values.columns()[slot]) &&
           std::ranges::find(known.names, name_at(slot)) == known.names.end() &&
           std::ranges::find(known.targets, name_at(slot)) == known.targets.end();
  };
  auto left = static_cast<Index>(types.numeric.size() - choice.targets.size());
  bool open = !choice.label && !choice.no_label && std::ranges::none_of(types.text, says_classes);
  std::optional<Index> classes;
  std::erase_if(types.numeric, [&](std::size_t slot) {
    if (left < 2 || !says_classes(slot)) return false;
    const Index column = values.columns()[slot];
    const Called called{all_whole(values, slot), lower_case(name_at(slot)) == "target"};
    const bool may_be = called.whole && (!called.target || few_come_often(values, column));
    if (open && may_be) {
      classes = column;
      open = false;
    } else if (choice.keep_all || (!called.whole && !called.target)) {
      return false;
    } else if (!choice.extra.empty() && known.joined.table.empty()) {
      return false;  // a model does not know it: ignored with the others
    } else {
      result.use.put_aside(column, name_at(slot), aside::kCalledClasses);
      if (known.joined.table.empty()) note_aside(column, called, names, result);
    }
    --left;
    return true;
  });
  return classes;
}

}  // namespace mercer::detail
