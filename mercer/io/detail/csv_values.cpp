#include "mercer/io/detail/csv_values.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mercer::detail {

CsvValues::CsvValues(const TextTable& table, std::vector<Index> columns, const Context& context)
    : columns_(std::move(columns)), tally_of_(columns_.size(), -1) {
  // No overflow: row_bound() * columns is at most the text's length and one row.
  const std::size_t need =
      static_cast<std::size_t>(row_bound(table)) * columns_.size() * sizeof(double);
  if (need + table.body.size() > context.budget.memory)
    throw Error(
        ErrorCode::over_memory,
        fmt::format(
            "the table needs {} for its text and up to {} for its numbers, the budget is {}",
            bytes(table.body.size()), bytes(need), bytes(context.budget.memory)),
        "allow more memory, or keep fewer columns (--memory, --columns)", table.file);
  bytes_.resize(need);
  for_each_row(table, context, [&](const std::vector<Cell>& cells, Index line) {
    add_row(cells, line, table.dialect.style);
  });
}

void CsvValues::add_row(const std::vector<Cell>& cells, Index line, const NumberStyle& style) {
  const std::size_t offset = static_cast<std::size_t>(rows_) * columns_.size() * sizeof(double);
  MERCER_ASSERT(offset + columns_.size() * sizeof(double) <= bytes_.size());
  std::byte* out = bytes_.data() + offset;
  for (std::size_t slot = 0; slot < columns_.size(); ++slot, out += sizeof(double)) {
    const std::string_view text = cells[static_cast<std::size_t>(columns_[slot])].text;
    double value = 0;
    const CellKind kind = read_number(text, style, value);
    std::memcpy(out, &value, sizeof value);
    if (kind != CellKind::number) note(slot, kind, text, line);
  }
  ++rows_;
}

void CsvValues::note(std::size_t slot, CellKind kind, std::string_view text, Index line) {
  if (tally_of_[slot] < 0) {
    tally_of_[slot] = static_cast<Index>(tallies_.size());
    tallies_.emplace_back();
  }
  Tally& tally =
      tallies_[static_cast<std::size_t>(tally_of_[slot])].kinds[static_cast<std::size_t>(kind)];
  if (tally.count == 0) tally.first = text;
  if (tally.count < static_cast<Index>(tally.lines.size()))
    tally.lines[static_cast<std::size_t>(tally.count)] = line;
  ++tally.count;
}

const ColumnTally& CsvValues::tally(std::size_t slot) const {
  static const ColumnTally kNone;
  return tally_of_[slot] < 0 ? kNone : tallies_[static_cast<std::size_t>(tally_of_[slot])];
}

double CsvValues::at(Index row, std::size_t slot) const {
  double value = 0;
  const std::size_t element = static_cast<std::size_t>(row) * columns_.size() + slot;
  std::memcpy(&value, bytes_.data() + element * sizeof value, sizeof value);
  return value;
}

// In place: a row's new position never lies behind its old one.
std::vector<std::byte> CsvValues::take(const std::vector<std::size_t>& slots) {
  MERCER_ASSERT(std::is_sorted(slots.begin(), slots.end()));
  const auto n = static_cast<std::size_t>(rows_);
  if (slots.size() != columns_.size()) {
    std::byte* out = bytes_.data();
    for (std::size_t i = 0; i < n; ++i)
      for (const std::size_t slot : slots) {
        std::memmove(out, bytes_.data() + (i * columns_.size() + slot) * sizeof(double),
                     sizeof(double));
        out += sizeof(double);
      }
  }
  bytes_.resize(n * slots.size() * sizeof(double));
  return std::move(bytes_);
}

}  // namespace mercer::detail
