#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/io/detail/whole_table.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

Index column_of(const std::string& asked, const Dataset& data) {
  const std::vector<std::string>& names = data.column_names;
  if (const auto named = std::ranges::find(names, asked); named != names.end())
    return named - names.begin();
  const auto number = parse_number(asked);
  if (number && *number == std::floor(*number) && *number >= 1 &&
      *number <= static_cast<double>(data.dim()))
    return static_cast<Index>(*number) - 1;
  throw Error(ErrorCode::unknown_column,
              fmt::format("--target {}: there is no such column of numbers", printable(asked)),
              names.empty() ? fmt::format("columns are numbered 1 to {}", data.dim())
                            : suggest(asked, names, "columns"));
}

Vector entries(const Vector& all, const std::vector<Index>& kept) {
  return all.size() == 0 ? Vector() : Vector(all(kept));
}

// Why a column that was named as a target is not among those of numbers, where that can be told.
void check_is_left(const Table& table, const ColumnOptions& columns, const std::string& asked) {
  const auto refuse = [&](std::string_view why, std::string_view hint) {
    throw Error(ErrorCode::unknown_column, fmt::format("--target {}: {}", printable(asked), why),
                std::string(hint));
  };
  const std::vector<std::string>& names = table.data.column_names;
  if (std::ranges::find(names, asked) != names.end()) return;
  if (std::ranges::find(columns.drop, asked) != columns.drop.end())
    refuse("--drop leaves that column out", "name it in one of the two");
  if (columns.label == asked)
    refuse("--label makes that column the classes", "name it in one of the two");
  const std::string text = fmt::format("column \"{}\" is text", printable(asked));
  const bool is_text = std::ranges::any_of(
      table.notes, [&](const Note& note) { return note.text.starts_with(text); });
  if (is_text || table.ids_name == asked || table.data.labels.name == asked)
    refuse("that column holds text, no numbers",
           "targets are numbers; classes are named with --label, for methods that learn them");
}

// The first missing value of the targets, and how many rows have one.
struct TargetGaps {
  Index rows = 0, row = 0, column = 0;
};

// Whether each row has all its targets.
TargetGaps find_target_gaps(const Dataset& targets, std::vector<bool>& kept) {
  TargetGaps gaps;
  Vector row(targets.dim());
  for (Index i = 0; i < targets.n(); ++i) {
    targets.view().copy_row(i, row.data());
    if (row.allFinite()) continue;
    kept[static_cast<std::size_t>(i)] = false;
    if (gaps.rows++ > 0) continue;
    gaps.row = i;
    while (std::isfinite(row[gaps.column])) ++gaps.column;
  }
  return gaps;
}

[[noreturn]] void refuse_gaps(const Dataset& targets, const TargetGaps& gaps) {
  const std::vector<std::string>& names = targets.column_names;
  const std::string column =
      names.empty()
          ? fmt::format("{}", gaps.column + 1)
          : fmt::format("\"{}\"", printable(names[static_cast<std::size_t>(gaps.column)]));
  throw Error(ErrorCode::missing_values,
              fmt::format("{} of {} rows lack{} a target, the first is row {}, target {}",
                          grouped(gaps.rows), grouped(targets.n()), gaps.rows == 1 ? "s" : "",
                          gaps.row + 1, column),
              std::string(kGapsInTargets));
}

// Only whole rows, of the data and of the targets.
void drop_rows(Table& table, std::vector<bool> kept, const Context& context) {
  const Index n = table.data.n();
  Vector row(table.data.dim());
  std::vector<Index> left;
  for (Index i = 0; i < n; ++i) {
    if (i % 4096 == 0) context.check_cancelled();
    table.data.view().copy_row(i, row.data());
    if (kept[static_cast<std::size_t>(i)] && row.allFinite()) left.push_back(i);
  }
  table.gaps.rows_dropped = n - static_cast<Index>(left.size());
  if (table.gaps.rows_dropped == 0) return;
  if (left.empty())
    throw Error(ErrorCode::missing_values,
                fmt::format("all {} rows have missing values, none would be left", grouped(n)),
                "leave columns out, or fill them in with --missing mean or median");
  const MemoryAccount::Hold copy =
      context.hold(table.data.bytes() + table.targets.bytes(), "the rows without missing values");
  table.data = table.data.rows(left);
  table.targets = table.targets.rows(left);
  detail::name_by_numbers(table, left, context);
  detail::keep_texts_of(table, left);
}

}  // namespace

void treat_gaps(Table& table, const ColumnOptions& columns, const Context& context) {
  const Missing policy = missing_policy(columns.missing);
  std::vector<bool> kept(static_cast<std::size_t>(table.data.n()), true);
  if (table.targets.dim() > 0 && !columns.keep_targets) {
    const TargetGaps gaps = find_target_gaps(table.targets, kept);
    if (gaps.rows > 0 && policy != Missing::drop) refuse_gaps(table.targets, gaps);
  }
  if (policy == Missing::drop) return drop_rows(table, std::move(kept), context);
  detail::take_whole(table, treat_missing(std::move(table.data), policy, context), context);
}

void take_targets(Table& table, const ColumnOptions& columns) {
  std::vector<std::string> known;
  for (const std::string& name : columns.likely_targets)
    if (std::ranges::find(table.data.column_names, name) != table.data.column_names.end())
      known.push_back(name);
  if (columns.targets.empty()) {
    if (!known.empty()) split_targets(table, known);
    return;
  }
  for (const std::string& asked : columns.targets) check_is_left(table, columns, asked);
  split_targets(table, columns.targets);
  std::erase_if(known, [&](const std::string& name) {
    return std::ranges::find(table.data.column_names, name) == table.data.column_names.end();
  });
  if (known.empty()) return;
  Dataset named = std::move(table.targets);
  split_targets(table, known);  // they are no columns of the model, and not what is asked for
  table.targets = std::move(named);
}

void split_targets(Table& table, const std::vector<std::string>& targets) {
  std::vector<Index> taken, rest;
  for (const std::string& asked : targets) {
    const Index column = column_of(asked, table.data);
    if (std::ranges::find(taken, column) == taken.end()) taken.push_back(column);
  }
  for (Index j = 0; j < table.data.dim(); ++j)
    if (std::ranges::find(taken, j) == taken.end()) rest.push_back(j);
  table.targets = table.data.columns(taken);
  table.data = table.data.columns(rest);
  table.gaps.fill = entries(table.gaps.fill, rest);
}

}  // namespace mercer
