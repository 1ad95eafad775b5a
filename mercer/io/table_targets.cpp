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

Vector entries(const Vector& all, const std::vector<Index>& kept) {
  return all.size() == 0 ? Vector() : Vector(all(kept));
}

// Why a column that was named as a target is not among those of numbers.
[[noreturn]] void refuse_target(const Table& table, Index column, const ColumnOptions& options) {
  const auto found = std::ranges::find(table.use.set_aside, column, &SetAside::column);
  const bool known = found != table.use.set_aside.end();
  const std::string name = known ? found->name : fmt::format("{}", column + 1);
  const std::string_view reason = known ? std::string_view(found->reason) : aside::kText;
  std::string_view why = "that column holds text, no numbers";
  std::string_view hint =
      "targets are numbers; classes are named with --label, for methods that learn them";
  const bool label = reason == aside::kLabels && !options.label.empty();
  if (label || reason == aside::kDropped) hint = "name it in one of the two";
  if (label) why = "--label makes that column the classes";
  if (reason == aside::kDropped) why = "--drop leaves that column out";
  if (reason == aside::kEmpty) {
    why = "that column is empty";
    hint = "name a column of numbers";
  }
  if (reason == aside::kDates) {
    why = "that column holds dates";
    hint = "targets are numbers; dates become some by --encode date";
  }
  if (reason == aside::kRowNames) {
    why = "that column holds row names";
    hint = "targets are numbers; --columns takes those that count the rows as such";
  }
  throw Error(ErrorCode::unknown_column, fmt::format("--target {}: {}", printable(name), why),
              std::string(hint));
}

// Where the named targets stand in the data.
std::vector<Index> targets_in(const Table& table, const ColumnOptions& options) {
  std::vector<Index> found;
  for (const Index column : table.use.targets) {
    Index j = 0;
    while (j < table.data.dim() && table.use.place(j) != column) ++j;
    if (j == table.data.dim()) refuse_target(table, column, options);
    found.push_back(j);
  }
  return found;
}

std::vector<Index> called(const std::vector<std::string>& names, const Dataset& data) {
  std::vector<Index> found;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(data.column_names, name);
    const Index j = at - data.column_names.begin();
    if (at != data.column_names.end() && std::ranges::find(found, j) == found.end())
      found.push_back(j);
  }
  return found;
}

// Takes these columns out of the data.
Dataset take_out(Table& table, const std::vector<Index>& taken) {
  Dataset& data = table.data;
  ColumnUse& use = table.use;
  std::vector<Index> rest, places;
  for (Index j = 0; j < data.dim(); ++j) {
    if (std::ranges::find(taken, j) != taken.end()) continue;
    rest.push_back(j);
    places.push_back(use.place(j));
  }
  for (const Index j : taken)
    use.put_aside(use.place(j),
                  data.column_names.empty() ? fmt::format("col{}", use.place(j) + 1)
                                            : data.column_names[static_cast<std::size_t>(j)],
                  aside::kTarget);
  Dataset out = data.columns(taken);
  data = data.columns(rest);
  table.gaps.fill = entries(table.gaps.fill, rest);
  if (data.column_names.empty())
    for (const Index place : places) data.column_names.push_back(fmt::format("col{}", place + 1));
  use.places = std::move(places);
  return out;
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
  if (table.targets.dim() > 0 && !columns.known.keep_targets) {
    const TargetGaps gaps = find_target_gaps(table.targets, kept);
    if (gaps.rows > 0 && policy != Missing::drop) refuse_gaps(table.targets, gaps);
  }
  if (policy == Missing::drop) return drop_rows(table, std::move(kept), context);
  detail::take_whole(table, treat_missing(std::move(table.data), policy, context), context);
}

void take_targets(Table& table, const ColumnOptions& columns) {
  const bool named = !columns.targets.empty();
  if (named) table.targets = take_out(table, targets_in(table, columns));
  const std::vector<Index> known = called(columns.known.targets, table.data);
  if (known.empty()) return;
  Dataset out = take_out(table, known);
  if (!named) table.targets = std::move(out);  // else they are not what is asked for
}

}  // namespace mercer
