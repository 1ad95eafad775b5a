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
  return !options.columns.empty() || !options.drop.empty() || !options.label.empty() ||
         !options.likely_label.empty();
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
    take_whole(table, treat_missing(std::move(data), missing_policy(options.missing)));
  } catch (const Error& error) {
    throw error.at(file);
  }
  context.report("read", 1);
}

}  // namespace

void check_memory(std::uint64_t need, std::string_view what, const Context& context,
                  const std::string& file) {
  if (need <= context.budget.memory) return;
  throw Error(ErrorCode::over_memory,
              fmt::format("reading {} needs {}, the memory budget is {}", what, bytes(need),
                          bytes(context.budget.memory)),
              "allow more memory (--memory)", file);
}

void check_columns(Index dim, const std::string& file) {
  if (dim <= kMostColumns) return;
  throw Error(ErrorCode::too_many_columns,
              fmt::format("the table has {} columns, at most {} are allowed", grouped(dim),
                          grouped(kMostColumns)),
              "is the table transposed?", file);
}

void finish_table(Table& table, const NpyMatrix& matrix, Names names, std::uint64_t held,
                  const ReadOptions& options, const Context& context, const std::string& file) {
  const ColumnChoice choice = choose_columns(columns_of(matrix), names.columns, options, file);
  check_some_left(choice, file);
  const Scalar type = kept_type(matrix.type);
  const auto dim = static_cast<Index>(choice.kept.size());
  check_memory(held + static_cast<std::uint64_t>(matrix.n * dim) * size_of(type), "the array",
               context, file);
  Dataset data(gather(matrix, choice.kept, context), type, matrix.n, dim);
  for (const Index column : choice.kept)
    if (!names.columns.empty())
      data.column_names.push_back(names.columns[static_cast<std::size_t>(column)]);
  data.ids = std::move(names.ids);
  if (!choice.no_label) data.labels = std::move(names.labels);
  if (choice.label) {
    std::vector<std::string> texts;
    for (Index i = 0; i < matrix.n; ++i) texts.push_back(exact(element(matrix, i, *choice.label)));
    data.labels = Labels::from_texts(name_of_column(*choice.label, names.columns), texts);
  }
  treat(table, std::move(data), options, context, file);
}

void finish_table(Table& table, Dataset data, const ReadOptions& options, const Context& context,
                  const std::string& file) {
  // A row of few numbers may have millions of columns, each of which takes some bytes here.
  constexpr std::uint64_t kColumnBytes = 40;
  const bool fills = options.missing == "mean" || options.missing == "median";
  if (data.sparse() && (fills || asks_for_columns(options)))
    check_memory(data.bytes() + static_cast<std::uint64_t>(data.dim()) * kColumnBytes,
                 "so many columns", context, file);
  if (!asks_for_columns(options)) return treat(table, std::move(data), options, context, file);
  const ColumnChoice choice = choose_columns(data.dim(), data.column_names, options, file);
  check_some_left(choice, file);
  if (choice.no_label) data.labels = {};
  if (choice.label) {
    std::vector<std::string> texts;
    for (Index i = 0; i < data.n(); ++i) texts.push_back(exact(data.view().at(i, *choice.label)));
    data.labels = Labels::from_texts(name_of_column(*choice.label, data.column_names), texts);
  }
  if (static_cast<Index>(choice.kept.size()) == data.dim() &&
      std::is_sorted(choice.kept.begin(), choice.kept.end()))
    return treat(table, std::move(data), options, context, file);
  check_memory(2 * data.bytes(), "the chosen columns", context, file);
  treat(table, data.columns(choice.kept), options, context, file);
}

}  // namespace mercer::detail
