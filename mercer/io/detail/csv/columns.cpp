#include "mercer/io/detail/csv/columns.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Long cells are cut: a message is no place for a novel.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return text.size() <= kLongest ? printable(text) : printable(text.substr(0, kLongest)) + "...";
}

// "3 such rows: 117, 119, 130".
std::string rows_text(const Tally& tally) {
  std::string lines;
  const auto known = std::min<Index>(tally.count, static_cast<Index>(tally.lines.size()));
  for (Index i = 0; i < known; ++i)
    lines += fmt::format("{}{}", i == 0 ? "" : ", ", tally.lines[static_cast<std::size_t>(i)]);
  if (known < tally.count) lines += ", ...";
  return fmt::format("{} such row{}: {}", grouped(tally.count), tally.count == 1 ? "" : "s", lines);
}

// One column under judgement.
struct Judged {
  const OpenedText& table;
  const ColumnTally& tally;
  Index column;
  std::string title;  // column "x"

  std::string place(const Tally& cells) const {
    return fmt::format("{}   value \"{}\" ({})", table.place(cells.lines[0], column),
                       shown(cells.first), rows_text(cells));
  }
};

[[noreturn]] void throw_text(const Judged& judged) {
  const Tally& texts = judged.tally[CellKind::text];
  std::string hint = fmt::format("treat as missing and skip those rows: --na \"{}\" --missing drop",
                                 shown(texts.first));
  const Dialect& dialect = judged.table.dialect;
  const Index top = judged.table.first_line + dialect.title_rows;
  if (texts.lines[0] <= top && !dialect.header)
    hint += "; or, if that row holds names: --header yes";
  if (texts.lines[0] == top + 1 && dialect.header && texts.count == 1)
    hint += "; or, if names take two lines: --skip 1";
  throw Error(ErrorCode::text_in_numbers, judged.title + " has text in a numeric column", hint,
              judged.place(texts));
}

[[noreturn]] void throw_grouped(const Judged& judged) {
  const Tally& cells = judged.tally[CellKind::grouped];
  const char mark = judged.table.dialect.style.decimal;
  const char other = mark == '.' ? ',' : '.';
  throw Error(ErrorCode::ambiguous_thousands,
              fmt::format("{}: is \"{}\" in \"{}\" a thousands separator or the decimal mark?",
                          judged.title, other, shown(cells.first)),
              fmt::format("say which: --thousands \"{}\" or --decimal \"{}\"", other, other),
              judged.place(cells));
}

[[noreturn]] void throw_overflow(const Judged& judged) {
  const Tally& cells = judged.tally[CellKind::overflow];
  throw Error(ErrorCode::number_overflows,
              judged.title + " has a number beyond the largest double, about 1.8e308",
              fmt::format("correct it, or treat it as missing: --na \"{}\" --missing drop",
                          shown(cells.first)),
              judged.place(cells));
}

[[noreturn]] void throw_infinite(const Judged& judged) {
  const Tally& cells = judged.tally[CellKind::infinite];
  throw Error(
      ErrorCode::missing_values,
      fmt::format("{} has {} infinite value{}", judged.title, grouped(cells.count),
                  cells.count == 1 ? "" : "s"),
      fmt::format("infinite values are never filled in; to treat them as missing: --na \"{}\" "
                  "--missing drop",
                  shown(cells.first)),
      judged.place(cells));
}

void check_cells(const Judged& judged, bool rejects) {
  if (judged.tally[CellKind::text].count > 0 && !rejects) throw_text(judged);
  if (judged.tally[CellKind::grouped].count > 0) throw_grouped(judged);
  if (rejects) return;
  if (judged.tally[CellKind::overflow].count > 0) throw_overflow(judged);
  if (judged.tally[CellKind::infinite].count > 0) throw_infinite(judged);
}

}  // namespace

ColumnTypes judge_columns(const OpenedText& table, const CsvValues& values,
                          const std::vector<std::string>& names, Judging how, Warnings& warnings) {
  ColumnTypes types;
  Index underflows = 0;
  for (std::size_t slot = 0; slot < values.columns().size(); ++slot) {
    const ColumnTally& tally = values.tally(slot);
    const Index numeric = tally.numeric(values.rows());
    const Index texts = tally[CellKind::text].count;
    const Index column = values.columns()[slot];
    if (!how.encoded.empty() && how.encoded[static_cast<std::size_t>(column)]) {
      types.encoded.push_back(slot);
      continue;
    }
    const bool extra = !how.extra.empty() && how.extra[static_cast<std::size_t>(column)];
    if (extra && numeric > 0 && texts <= numeric) {
      types.extra.push_back(slot);
      continue;
    }
    if (numeric == 0 && texts == 0 && how.keep_empty && !extra) {
      types.numeric.push_back(slot);
      continue;
    }
    if (numeric == 0 || texts > numeric) {
      (texts > 0 ? types.text : types.empty).push_back(slot);
      continue;
    }
    if (numeric < values.rows() || tally[CellKind::grouped].count > 0 ||
        tally[CellKind::overflow].count > 0 || tally[CellKind::infinite].count > 0)
      check_cells({table, tally, column, column_text(column, names)}, how.rejects);
    underflows += tally[CellKind::underflow].count;
    types.numeric.push_back(slot);
  }
  if (underflows > 0)
    warnings.push_back({WarningCode::number_underflows,
                        fmt::format("{} number{} too small for a double became 0",
                                    grouped(underflows), underflows == 1 ? "" : "s")});
  return types;
}

void throw_nothing_numeric(const OpenedText& table, const std::vector<std::string>& names,
                           const std::vector<Index>& text_columns) {
  constexpr std::size_t kShown = 8;  // columns that a message of one line has room for
  std::string list;
  for (std::size_t i = 0; i < std::min(text_columns.size(), kShown); ++i)
    list += (i == 0 ? "" : ", ") + column_text(text_columns[i], names);
  if (text_columns.size() > kShown) list += ", ...";
  const std::string_view cells = "--delimiter and --decimal change how cells are read";
  throw Error(
      ErrorCode::nothing_numeric,
      list.empty() ? "no numeric column is left" : "no numeric column is left; text: " + list,
      list.empty() ? fmt::format("keep a column of numbers; {}", cells)
                   : fmt::format("--encode onehot makes numbers of texts that repeat; {}", cells),
      table.file);
}

void check_none_missing(const OpenedText& table, const CsvValues& values, const ColumnTypes& types,
                        const std::vector<std::string>& names, const ColumnChoice& choice) {
  Index cells = 0, columns = 0, line = 0, column = 0;
  std::string list;
  bool target = false;
  for (const std::size_t slot : types.numeric) {
    const Tally& missing = values.tally(slot)[CellKind::missing];
    const Index own = values.columns()[slot];
    if (missing.count == 0 || choice.may_be_missing(own)) continue;
    target |= choice.is_target(own);
    cells += missing.count;
    if (++columns <= 4)
      list += fmt::format("{}{}: {}", columns == 1 ? "" : ", ", column_text(own, names),
                          grouped(missing.count));
    if (line != 0 && missing.lines[0] >= line) continue;
    line = missing.lines[0];
    column = own;
  }
  if (cells == 0) return;
  throw Error(
      ErrorCode::missing_values,
      fmt::format("{} missing value{} in {} row{} ({}{})", grouped(cells), cells == 1 ? "" : "s",
                  grouped(values.rows()), values.rows() == 1 ? "" : "s", list,
                  columns > 4 ? ", ..." : ""),
      target ? std::string(kGapsInTargets)
             : "skip those rows with --missing drop, or fill them in with --missing mean or median",
      table.place(line, column));
}

}  // namespace mercer::detail
