#include "mercer/io/detail/csv/encode.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/column_names.h"
#include "mercer/io/detail/csv/encode_dates.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

constexpr Index kGap = -1, kUnknown = -2;  // in place of a level

// The levels of this table, and how often each comes.
void find_levels(EncodedColumn& column, const NumberStyle& style) {
  std::vector<std::string>& levels = column.encoding.levels;
  for (const std::string& text : column.texts)
    if (!is_missing(text, style)) levels.push_back(text);
  std::ranges::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
}

Index level_of(const std::string& text, const Encoding& encoding, const NumberStyle& style) {
  const auto found = std::ranges::lower_bound(encoding.levels, text);
  if (found != encoding.levels.end() && *found == text) return found - encoding.levels.begin();
  return is_missing(text, style) ? kGap : kUnknown;
}

void refuse_unknown(const EncodedColumn& column, const std::vector<Index>& levels,
                    const std::string& file) {
  Index rows = 0, first = 0;
  for (std::size_t i = 0; i < column.of_row.size(); ++i)
    if (levels[static_cast<std::size_t>(column.of_row[i])] == kUnknown && rows++ == 0)
      first = static_cast<Index>(i);
  if (rows == 0) return;
  const std::string& text =
      column.texts[static_cast<std::size_t>(column.of_row[static_cast<std::size_t>(first)])];
  throw Error(
      ErrorCode::unknown_level,
      fmt::format("column \"{}\": \"{}\" is none of the {} texts that the fit knew ({} such row{})",
                  printable(column.encoding.column), printable(text), column.encoding.levels.size(),
                  grouped(rows), rows == 1 ? "" : "s"),
      "leave such rows out, fit with them, or take them for none of the known: --encode-unknown "
      "zero",
      fmt::format("{}, row {}, column \"{}\"", file, first + 1, printable(column.encoding.column)));
}

void find_shares(EncodedColumn& column, const std::vector<Index>& levels) {
  std::vector<double> counts(column.encoding.levels.size(), 0);
  double all = 0;
  for (const Index text : column.of_row) {
    const Index level = levels[static_cast<std::size_t>(text)];
    if (level < 0) continue;
    counts[static_cast<std::size_t>(level)] += 1;
    all += 1;
  }
  for (double& count : counts) count /= std::max(all, 1.0);
  column.encoding.shares = std::move(counts);
}

// The numbers of one column, into those of all rows.
void write_column(const EncodedColumn& column, const std::vector<Index>& levels, Index first,
                  Points& out) {
  const Encoding& encoding = column.encoding;
  const auto made = encoding.as == "onehot" ? static_cast<Index>(encoding.levels.size()) : Index{1};
  for (Index i = 0; i < out.rows(); ++i) {
    const Index level =
        levels[static_cast<std::size_t>(column.of_row[static_cast<std::size_t>(i)])];
    auto row = out.row(i).segment(first, made);
    row.setConstant(level == kGap ? std::nan("") : 0);
    if (level < 0) continue;
    if (encoding.as == "onehot")
      row[level] = 1;
    else if (encoding.as == "ordinal")
      row[0] = static_cast<double>(level + 1);
    else
      row[0] = encoding.shares[static_cast<std::size_t>(level)];
  }
}

void write_dates(const EncodedColumn& column, const Points& numbers, Index first, Points& out) {
  for (Index i = 0; i < out.rows(); ++i)
    out.row(i).segment(first, numbers.cols()) =
        numbers.row(column.of_row[static_cast<std::size_t>(i)]);
}

// What the different texts of a column become.
struct TextNumbers {
  std::vector<Index> levels = {};
  Points dates = {};  // in place of levels
};

TextNumbers numbers_of_texts(EncodedColumn& column, bool unknown_is_zero, const NumberStyle& style,
                             const std::string& file) {
  if (encodes_dates(column.encoding.as)) return {.dates = read_dates(column, style, file)};
  if (!column.known) find_levels(column, style);
  TextNumbers numbers;
  for (const std::string& text : column.texts)
    numbers.levels.push_back(level_of(text, column.encoding, style));
  if (column.known && !unknown_is_zero) refuse_unknown(column, numbers.levels, file);
  if (!column.known && column.encoding.as == "frequency") find_shares(column, numbers.levels);
  return numbers;
}

}  // namespace

Dataset with_encoded(const Dataset& data, std::vector<EncodedColumn> columns, bool unknown_is_zero,
                     const NumberStyle& style, const std::string& file, const Context& context,
                     Table& table) {
  std::vector<std::string> names = data.column_names;
  ColumnUse& use = table.use;
  for (Index j = static_cast<Index>(use.places.size()); j < data.dim(); ++j)
    use.places.push_back(j);
  std::vector<TextNumbers> numbers;
  std::vector<Index> first;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EncodedColumn& column = columns[c];
    numbers.push_back(numbers_of_texts(column, unknown_is_zero, style, file));
    first.push_back(static_cast<Index>(names.size()));
    for (std::string& name : made_names(column.encoding)) {
      names.push_back(std::move(name));
      use.places.push_back(column.place);
    }
  }
  const auto dim = static_cast<Index>(names.size());
  check_columns(dim, file);
  const auto room = context.hold(static_cast<std::uint64_t>(data.n() * dim) * sizeof(double),
                                 "the columns that texts become");
  Points all(data.n(), dim);
  for (Index i = 0; i < data.n(); ++i) data.view().copy_row(i, all.row(i).data());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    context.check_cancelled();
    if (numbers[c].dates.rows() > 0)
      write_dates(columns[c], numbers[c].dates, first[c], all);
    else
      write_column(columns[c], numbers[c].levels, first[c], all);
    use.encoded.push_back(std::move(columns[c].encoding));
  }
  Dataset whole(std::move(all));
  rename_doubles(names, table.warnings);
  whole.column_names = std::move(names);
  return whole;
}

}  // namespace mercer::detail
