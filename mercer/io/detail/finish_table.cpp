#include "mercer/io/detail/finish_table.h"

#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/column_names.h"
#include "mercer/io/detail/whole_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mercer::detail {
namespace {

void check_some_left(const std::vector<Index>& kept, const std::string& file) {
  if (kept.empty())
    throw Error(ErrorCode::nothing_numeric, "no column is left",
                "keep a column (--columns, --drop, --label)", file);
}

bool asks_for_columns(const ColumnOptions& options) {
  return !options.only.empty() || !options.drop.empty() || !options.label.empty() ||
         !options.targets.empty() || !options.known.label.empty() || !options.known.names.empty() ||
         !options.known.places.empty();
}

// The columns that are kept of what was chosen, less those that a model does not know.
std::vector<Index> kept_of(const ColumnChoice& choice, const FileColumns& columns,
                           const ReadOptions& options, Table& table) {
  std::vector<Index> kept, extra;
  for (const Index column : choice.kept) (choice.is_extra(column) ? extra : kept).push_back(column);
  leave_out_extra(extra, columns, options.columns, table);
  return kept;
}

bool all_in_order(const std::vector<Index>& kept, Index count) {
  return static_cast<Index>(kept.size()) == count && std::is_sorted(kept.begin(), kept.end());
}

// Where the columns stood; those without names are called by their places, so that a model finds
// them again.
void name_places(const std::vector<Index>& kept, Index count, Dataset& data, Table& table) {
  if (all_in_order(kept, count)) return;
  table.use.places = kept;
  if (!data.column_names.empty()) return;
  for (const Index column : kept) data.column_names.push_back(name_of_column(column, {}));
}

void treat(Table& table, Dataset data, const ReadOptions& options, const Context& context,
           const std::string& file) {
  if (data.dim() == 0)
    throw Error(ErrorCode::nothing_numeric, "the table has no columns",
                "give a table with columns of numbers", file);
  // Pixels that were left out make the shape of the images meaningless.
  Index pixels = 1;
  for (const Index extent : table.image_shape) pixels *= extent;
  if (data.dim() != pixels) table.image_shape.clear();
  try {
    const Missing policy = missing_policy(options.columns.missing);
    take_whole(table,
               treat_missing(std::move(data),
                             treats_gaps_later(options.columns) ? Missing::keep : policy, context),
               context);
  } catch (const Error& error) {
    throw error.at(file);
  }
  context.report("read", 1);
}

// The column's numbers as classes.
template <class At>
Labels labels_of(std::string name, Index n, const Context& context, At at) {
  LabelMaker maker(std::move(name));
  MemoryAccount::Hold hold = context.hold(0, "the labels");
  for (Index i = 0; i < n; ++i) {
    if (i % 16384 == 0) {
      context.check_cancelled();
      hold.resize(maker.bytes());
    }
    maker.add(exact(at(i)));
  }
  return maker.take();
}

// Which columns are kept, and where they stand; few columns take too little to be counted.
MemoryAccount::Hold hold_choice(Index columns, bool names, const Context& context) {
  const std::uint64_t column_bytes = names ? 120 : 40;  // bytes of a column, about
  constexpr Index kFew = 20'000;  // less than a megabyte, which every budget allows for
  return context.hold(columns > kFew ? static_cast<std::uint64_t>(columns) * column_bytes : 0,
                      "so many columns");
}

}  // namespace

void check_columns(Index dim, const std::string& file) {
  if (dim <= kMostColumns) return;
  throw Error(ErrorCode::too_many_columns,
              fmt::format("the table has {} columns, at most {} are allowed", grouped(dim),
                          grouped(kMostColumns)),
              "is the table transposed?", file);
}

void finish_table(Table& table, const NpyMatrix& matrix, Names names, const ReadOptions& options,
                  const Context& context, const std::string& file) {
  const Index count = columns_of(matrix);
  const bool any = !names.columns.empty() || asks_for_columns(options.columns);
  const auto choosing = hold_choice(count, any, context);
  rename_doubles(names.columns, table.warnings);
  table.named_columns = !names.columns.empty();
  const FileColumns columns{count, names.columns, table.named_columns, file};
  const ColumnChoice choice = choose_columns(columns, options.columns, table.use);
  const std::vector<Index> kept = kept_of(choice, columns, options, table);
  check_some_left(kept, file);
  const Scalar type = kept_type(matrix.type);
  const auto dim = static_cast<Index>(kept.size());
  const auto numbers =
      context.hold(static_cast<std::uint64_t>(matrix.n * dim) * size_of(type), "the numbers");
  Dataset data(gather(matrix, kept, context), type, matrix.n, dim);
  for (const Index column : kept)
    if (!names.columns.empty())
      data.column_names.push_back(names.columns[static_cast<std::size_t>(column)]);
  name_places(kept, count, data, table);
  data.ids = std::move(names.ids);
  if (!choice.no_label) data.labels = std::move(names.labels);
  if (choice.label)
    data.labels = labels_of(name_of_column(*choice.label, names.columns), matrix.n, context,
                            [&](Index i) { return element(matrix, i, *choice.label); });
  treat(table, std::move(data), options, context, file);
}

void finish_table(Table& table, Dataset data, const ReadOptions& options, const Context& context,
                  const std::string& file) {
  table.named_columns = !data.column_names.empty();
  table.use.width = data.dim();
  if (!asks_for_columns(options.columns))
    return treat(table, std::move(data), options, context, file);
  const Index count = data.dim();
  const auto choosing = hold_choice(count, true, context);
  const FileColumns columns{count, data.column_names, table.named_columns, file};
  const ColumnChoice choice = choose_columns(columns, options.columns, table.use);
  const std::vector<Index> kept = kept_of(choice, columns, options, table);
  check_some_left(kept, file);
  if (choice.no_label) data.labels = {};
  if (choice.label)
    data.labels = labels_of(name_of_column(*choice.label, data.column_names), data.n(), context,
                            [&](Index i) { return data.view().at(i, *choice.label); });
  if (all_in_order(kept, count)) return treat(table, std::move(data), options, context, file);
  // Chosen parts of sparse rows grow while they are made.
  const auto copy = context.hold((data.sparse() ? 2 : 1) * data.bytes(), "the chosen columns");
  Dataset chosen = data.columns(kept);
  name_places(kept, count, chosen, table);
  treat(table, std::move(chosen), options, context, file);
}

}  // namespace mercer::detail
