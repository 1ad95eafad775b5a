#include "mercer/io/detail/csv/rejects.h"

#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/whole_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::detail {
namespace {

struct Reject {
  Index line = 0;
  std::string column;
  ErrorCode code = ErrorCode::ragged_row;
  std::string reason, text;
};

// What a reject takes here and in the text to be written, with short texts; and how many are
// counted at a time.
constexpr std::uint64_t kRejectBytes = 2 * sizeof(Reject) + 256;
constexpr std::size_t kCountedAtOnce = 256;

struct Reason {
  ErrorCode code;
  std::string_view text;
};

Reason reason_of(CellKind kind) {
  switch (kind) {
    case CellKind::overflow:
      return {ErrorCode::number_overflows, "beyond the largest double"};
    case CellKind::infinite:
      return {ErrorCode::missing_values, "infinite value"};
    case CellKind::missing:
      return {ErrorCode::missing_values, "missing value"};
    default:
      return {ErrorCode::text_in_numbers, "text in a numeric column"};
  }
}

// Long texts are cut.
std::string shown_whole(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest ? printable(text) : printable(text.substr(0, kLongest)) + "...";
}

bool has_bad_cells(const ColumnTally& tally, Missing policy) {
  return tally[CellKind::text].count > 0 || tally[CellKind::overflow].count > 0 ||
         tally[CellKind::infinite].count > 0 ||
         (policy == Missing::error && tally[CellKind::missing].count > 0);
}

// Each row that has a bad cell once, with its first one.
std::vector<Reject> bad_rows(const OpenedText& table, CsvValues& values, const ColumnTypes& types,
                             const ColumnChoice& choice, Missing given,
                             const std::vector<std::string>& names, std::vector<bool>& kept,
                             MemoryAccount::Hold& hold) {
  std::vector<Reject> rejects;
  for (const std::size_t slot : types.numeric) {
    const Index column = values.columns()[slot];
    const Missing policy = choice.may_be_missing(column) ? Missing::keep : given;
    if (!has_bad_cells(values.tally(slot), policy)) continue;
    for (Index i = 0; i < values.rows(); ++i) {
      if (!kept[static_cast<std::size_t>(i)] || !std::isnan(values.at(i, slot))) continue;
      const std::string& text = values.texts(column)->text(i);
      double value = 0;
      const CellKind kind = read_number(text, table.dialect.style, value);
      if (kind == CellKind::missing && policy != Missing::error) continue;
      kept[static_cast<std::size_t>(i)] = false;
      if (rejects.size() % kCountedAtOnce == 0)
        hold.resize((rejects.size() + kCountedAtOnce) * kRejectBytes);
      const Reason reason = reason_of(kind);
      rejects.push_back({values.lines()[static_cast<std::size_t>(i)],
                         names[static_cast<std::size_t>(column)], reason.code,
                         std::string(reason.text), shown_whole(text)});
    }
  }
  return rejects;
}

void add_ragged(const OpenedText& table, const CsvValues& values, std::vector<Reject>& rejects) {
  for (const PassedRow& row : values.passed())
    rejects.push_back({row.line, "", ErrorCode::ragged_row,
                       fmt::format("{} cell{} instead of {}", row.found, row.found == 1 ? "" : "s",
                                   table.dialect.columns),
                       shown_whole(row.text)});
}

void write_rejects(const std::string& path, const std::vector<Reject>& rejects) {
  std::string out = "line,column,code,reason,text\n";
  for (const Reject& reject : rejects) {
    out += fmt::format("{},", reject.line);
    append_cell(out, printable(reject.column), ',');
    out += fmt::format(",{},{},", code_text(reject.code), reject.reason);
    append_cell(out, reject.text, ',');
    out += '\n';
  }
  const std::array<std::string_view, 1> parts = {out};
  write_file_atomically(path, parts);
}

// Which rows of the file are left: every line of a reject comes before some of them.
std::vector<Index> numbers_of_left(const CsvValues& values, const std::vector<Reject>& rejects) {
  std::vector<Index> numbers;
  numbers.reserve(static_cast<std::size_t>(values.rows()));
  std::size_t before = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    const Index line = values.lines()[static_cast<std::size_t>(i)];
    while (before < rejects.size() && rejects[before].line < line) ++before;
    numbers.push_back(i + static_cast<Index>(before));
  }
  return numbers;
}

}  // namespace

std::vector<Index> set_rejects_aside(const OpenedText& table, CsvValues& values,
                                     const ColumnTypes& types, const ColumnChoice& choice,
                                     const ReadOptions& options,
                                     const std::vector<std::string>& names, const Context& context,
                                     Table& result) {
  const std::string& path = options.rejects;
  std::vector<bool> kept(static_cast<std::size_t>(values.rows()), true);
  MemoryAccount::Hold hold = context.hold(0, "the rows that cannot be read");
  std::vector<Reject> rejects = bad_rows(
      table, values, types, choice, missing_policy(options.columns.missing), names, kept, hold);
  if (!rejects.empty()) values.keep_rows(kept);
  hold.resize((rejects.size() + values.passed().size()) * kRejectBytes);
  add_ragged(table, values, rejects);
  if (rejects.empty()) return {};
  std::sort(rejects.begin(), rejects.end(),
            [](const Reject& a, const Reject& b) { return a.line < b.line; });
  write_rejects(path, rejects);
  result.gaps.rows_rejected = static_cast<Index>(rejects.size());
  result.notes.push_back(
      {fmt::format("{} row{} that cannot be read written to {}", grouped(result.gaps.rows_rejected),
                   result.gaps.rows_rejected == 1 ? "" : "s", printable(path)),
       "--rejects"});
  return numbers_of_left(values, rejects);
}

}  // namespace mercer::detail
