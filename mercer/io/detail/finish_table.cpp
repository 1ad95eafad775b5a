#include "mercer/io/detail/finish_table.h"

#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/whole_table.h"

#include <fmt/format.h>

namespace mercer::detail {
namespace {

void check_some_left(const ColumnChoice& choice, const std::string& file) {
  if (choice.kept.empty())
    throw Error(ErrorCode::nothing_numeric, "no column is left",
                "keep a column (--columns, --drop, --label)", file);
}

std::string name_of_column(Index column, const std::vector<std::string>& names) {
  return names.empty() ? fmt::format("col{}", column + 1) : names[static_cast<std::size_t>(column)];
}

bool asks_for_columns(const ReadOptions& options) {
  return !options.columns.only.empty() || !options.columns.drop.empty() ||
         !options.columns.label.empty() || !options.columns.likely_label.empty();
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
  table.named_columns = !data.column_names.empty();
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
MemoryAccount::Hold hold_choice(Index columns, const Context& context) {
  constexpr std::uint64_t kColumn = 40;  // bytes of a column, about
  constexpr Index kFew = 20'000;         // less than a megabyte, which every budget allows for
  return context.hold(columns > kFew ? static_cast<std::uint64_t>(columns) * kColumn : 0,
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
  const auto choosing = hold_choice(columns_of(matrix), context);
  const ColumnChoice choice = choose_columns(columns_of(matrix), names.columns, options, file);
  check_some_left(choice, file);
  const Scalar type = kept_type(matrix.type);
  const auto dim = static_cast<Index>(choice.kept.size());
  const auto numbers =
      context.hold(static_cast<std::uint64_t>(matrix.n * dim) * size_of(type), "the numbers");
  Dataset data(gather(matrix, choice.kept, context), type, matrix.n, dim);
  for (const Index column : choice.kept)
    if (!names.columns.empty())
      data.column_names.push_back(names.columns[static_cast<std::size_t>(column)]);
  data.ids = std::move(names.ids);
  if (!choice.no_label) data.labels = std::move(names.labels);
  if (choice.label)
    data.labels = labels_of(name_of_column(*choice.label, names.columns), matrix.n, context,
                            [&](Index i) { return element(matrix, i, *choice.label); });
  treat(table, std::move(data), options, context, file);
}

void finish_table(Table& table, Dataset data, const ReadOptions& options, const Context& context,
                  const std::string& file) {
  if (!asks_for_columns(options)) return treat(table, std::move(data), options, context, file);
  const auto choosing = hold_choice(data.dim(), context);
  const ColumnChoice choice = choose_columns(data.dim(), data.column_names, options, file);
  check_some_left(choice, file);
  if (choice.no_label) data.labels = {};
  if (choice.label)
    data.labels = labels_of(name_of_column(*choice.label, data.column_names), data.n(), context,
                            [&](Index i) { return data.view().at(i, *choice.label); });
  if (static_cast<Index>(choice.kept.size()) == data.dim() &&
      std::is_sorted(choice.kept.begin(), choice.kept.end()))
    return treat(table, std::move(data), options, context, file);
  // Chosen parts of sparse rows grow while they are made.
  const auto copy = context.hold((data.sparse() ? 2 : 1) * data.bytes(), "the chosen columns");
  treat(table, data.columns(choice.kept), options, context, file);
}

}  // namespace mercer::detail
