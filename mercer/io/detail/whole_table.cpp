#include "mercer/io/detail/whole_table.h"

#include <fmt/format.h>

namespace mercer::detail {

void name_by_numbers(Table& table, const std::vector<Index>& left, const Context& context) {
  if (!table.data.ids.empty()) return;
  // Counted with the table when it is there; here, while it is made.
  const MemoryAccount::Hold held =
      context.hold(left.size() * (sizeof(std::string) + sizeof(Index)), "the numbers of the rows");
  table.data.ids.reserve(left.size());
  for (const Index row : left) table.data.ids.push_back(fmt::format("{}", row + 1));
  table.texts.ids_name = kRowNumbers;
}

void keep_texts_of(Table& table, const std::vector<Index>& left) {
  for (TextOfRows& column : table.texts.columns) {
    if (column.classes) continue;
    std::vector<Index>& of_row = column.texts.of_row;  // in place: no row moves back
    for (std::size_t i = 0; i < left.size(); ++i)
      of_row[i] = of_row[static_cast<std::size_t>(left[i])];
    of_row.resize(left.size());
  }
}

}  // namespace mercer::detail
