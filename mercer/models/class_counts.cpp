#include "mercer/models/class_counts.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

namespace mercer {

Index ClassCounts::find(std::string_view name) const {
  for (Index c = 0; c < count(); ++c)
    if (labels->classes[static_cast<std::size_t>(c)] == name) return c;
  return -1;
}

ClassCounts count_classes(const Labels& labels) {
  ClassCounts classes{&labels, std::vector<Index>(labels.classes.size(), 0), 0};
  for (const Index c : labels.of_row) ++classes.sizes[static_cast<std::size_t>(c)];
  for (const Index size : classes.sizes) classes.present += size > 0 ? 1 : 0;
  return classes;
}

void check_class_sizes(const ClassCounts& classes, Report& report) {
  const Index n = static_cast<Index>(classes.of_row().size());
  if (n <= classes.present)
    throw Error(ErrorCode::classes_too_small,
                fmt::format("{} rows are of {} classes: nothing varies within a class of one row",
                            grouped(n), grouped(classes.present)),
                "is that column a name of rows? name another one: --label COLUMN");
  Index single = 0, named = -1;
  for (Index c = 0; c < classes.count(); ++c) {
    if (classes.sizes[static_cast<std::size_t>(c)] != 1) continue;
    if (single++ == 0) named = c;
  }
  if (single == 0) return;
  report.warnings.push_back(
      {WarningCode::single_rows,
       fmt::format("{} of {} classes {} a single row (the first is \"{}\"): {} to the scatter "
                   "within classes",
                   single, classes.present, single == 1 ? "has" : "have",
                   printable(classes.labels->classes[static_cast<std::size_t>(named)]),
                   single == 1 ? "it adds nothing" : "they add nothing")});
}

}  // namespace mercer
