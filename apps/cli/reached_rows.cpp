#include "apps/cli/reached_rows.h"

#include "apps/cli/report_text.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {

void tell_out_of_reach(const RowNotes& notes, const NewRows& rows, Warnings& warnings,
                       Value& object, Terminal& terminal) {
  constexpr std::size_t kNamed = 3;
  constexpr Index kListed = 1000;
  const std::vector<Index> first = notes.first(kListed);
  object["out_of_reach"] = Value::list();
  for (const Index number : first)
    object["out_of_reach"].push_back(rows.written.place(number - 1) + 1);
  object["out_of_reach_count"] = notes.count();
  if (first.empty()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kNamed, first.size()); ++i)
    names.push_back(rows.written.row_text(first[i] - 1, rows.data));
  if (notes.count() > static_cast<Index>(kNamed)) names.emplace_back("...");
  warnings.push_back(
      {WarningCode::out_of_reach,
       fmt::format("{} of {} {} out of the kernel's reach ({}): hardly any kernel value with the "
                   "training rows is left, and nothing is known there",
                   grouped(notes.count()), number_of(rows.data.n(), "row"),
                   notes.count() == 1 ? "is" : "are", fmt::join(names, ", "))});
  terminal.warn(warnings.back());
}

}  // namespace mercer::cli
