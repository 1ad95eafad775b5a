#include "mercer/io/detail/csv/dialect.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/csv/called_classes.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/csv/worded_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace mercer::detail {
namespace {

using Row = std::vector<Cell>;

// The first rows, split with one delimiter.
struct Sample {
  char delimiter = ',';
  std::vector<Row> rows;
  std::size_t width = 0;  // the most frequent number of cells
  double score = 0;
};

// The first rows decide on the dialect: enough to meet the odd ones, few enough to take no time.
constexpr std::size_t kSampleRows = 500;
constexpr Index kSampleBytes = 256 << 10;

bool is_number(CellKind kind) { return kind != CellKind::text && kind != CellKind::missing; }

CellKind kind_of(const Cell& cell, const NumberStyle& style) {
  double value = 0;
  return read_number(cell.text, style, value);
}

std::size_t usual_width(const std::vector<Row>& rows) {
  std::map<std::size_t, Index> counts;
  for (const Row& row : rows) ++counts[row.size()];
  std::size_t width = 1;
  Index most = 0;
  for (const auto& [size, count] : counts) {
    if (count < most) continue;
    most = count;
    width = size;
  }
  return width;
}

// Share of the rows that have the usual width, times the share of numbers in them. A little is
// given to tables without numbers, so that these too are split.
double score_of(const Sample& sample, const NumberStyle& style) {
  if (sample.width < 2) return 0;
  double numbers = 0, fitting = 0;
  for (const Row& row : sample.rows) {
    if (row.size() != sample.width) continue;
    ++fitting;
    for (const Cell& cell : row) {
      const CellKind kind = kind_of(cell, style);
      numbers += kind == CellKind::missing ? 0.5 : is_number(kind) ? 1.0 : 0.0;
    }
  }
  const double share = fitting / static_cast<double>(sample.rows.size());
  const double quality = numbers / (fitting * static_cast<double>(sample.width));
  // The names of the columns are parted by another delimiter, and not by this one.
  const Row& first = sample.rows[0];
  if (first.size() == 1 && first[0].text.find_first_of(",;\t|") != std::string_view::npos)
    return share * quality / 4;
  // Words in one text column also make rows of equal length.
  if (sample.delimiter == ' ' && share < 0.5) return 0;
  return share * (0.1 + quality) * (sample.delimiter == ' ' ? 0.9 : 1.0);
}

Sample take_sample(std::string_view content, char delimiter, char line_end,
                   const NumberStyle& style) {
  Sample sample{.delimiter = delimiter, .rows = {}};
  RowReader reader(content, delimiter, line_end);
  Row row;
  while (sample.rows.size() < kSampleRows && reader.next(row)) {
    sample.rows.push_back(row);
    if (reader.position() > kSampleBytes && sample.rows.size() > 2) break;
  }
  sample.width = usual_width(sample.rows);
  sample.score = score_of(sample, style);
  return sample;
}

Sample best_sample(std::string_view content, char line_end, const ReadOptions& options,
                   const NumberStyle& style) {
  if (options.text.delimiter) return take_sample(content, *options.text.delimiter, line_end, style);
  Sample best;
  // In this order where the scores are equal.
  for (const char delimiter : {',', '\t', ';', '|', ' '}) {
    if (options.text.decimal == delimiter) continue;
    Sample sample = take_sample(content, delimiter, line_end, style);
    if (best.rows.empty() || sample.score > best.score) best = std::move(sample);
  }
  return best;
}

// Whether the mark in this cell can be nothing but a decimal mark, as in 0.5 and 12.34.
bool decimal_surely(std::string_view text, char mark) {
  const char other = mark == '.' ? ',' : '.';
  return text.find(mark) != text.npos && is_decimal(text, mark) &&
         !has_groups_of_three(text, mark, other);
}

// Whether groups of three digits can be nothing else: there are two of them behind the first, or a
// decimal mark behind them.
bool groups_surely(std::string_view text, char separator, char mark) {
  return has_groups_of_three(text, separator, mark) &&
         (text.find(mark) != text.npos || std::ranges::count(text, separator) > 1);
}

// A comma is the decimal mark when some cell can be nothing else, and no cell says so of a point.
// Where all of them could be thousands the mark stays a point, and the cells are then refused as
// ambiguous.
char decimal_of(const Sample& sample) {
  bool comma = false;
  for (const Row& row : sample.rows)
    for (const Cell& cell : row) {
      if (decimal_surely(cell.text, '.') || groups_surely(cell.text, ',', '.')) return '.';
      comma = comma || decimal_surely(cell.text, ',');
    }
  return comma ? ',' : '.';
}

// The other mark, where cells have it between groups of three digits and in no number elsewhere,
// and it can be nothing else: some groups say so themselves, or the decimal mark is known.
std::optional<char> thousands_of(const Sample& sample, char mark, bool mark_given) {
  const char other = mark == '.' ? ',' : '.';
  bool sure = mark_given, grouped = false;
  for (const Row& row : sample.rows)
    for (const Cell& cell : row) {
      sure = sure || groups_surely(cell.text, other, mark) || decimal_surely(cell.text, mark);
      if (cell.text.find(other) == cell.text.npos) continue;
      const bool groups = has_groups_of_three(cell.text, other, mark);
      if (is_decimal(cell.text, other) && !groups) return {};
      grouped = grouped || groups;
    }
  return sure && grouped ? std::optional<char>(other) : std::nullopt;
}

bool all_text(const Row& row, const NumberStyle& style) {
  return std::none_of(row.begin(), row.end(),
                      [&](const Cell& cell) { return is_number(kind_of(cell, style)); });
}

// Short rows at the top that begin with text: a single cell, or several when the row below looks
// like a header.
Index count_titles(const Sample& sample, const NumberStyle& style) {
  constexpr Index kMost = 50;  // a table with a longer preface needs --skip
  Index titles = 0;
  bool needs_header = false;
  for (const Row& row : sample.rows) {
    const bool comment = row[0].text.starts_with('#') && row.size() != sample.width;
    if (!comment && row.size() >= sample.width)
      return needs_header && !all_text(row, style) ? 0 : titles;
    if (!comment && is_number(kind_of(row[0], style))) return 0;
    needs_header |= !comment && row.size() > 1;
    if (++titles > kMost) return 0;
  }
  return 0;
}

bool ends_empty(const Row& row) { return row.back().text.empty() && !row.back().quoted; }

// Whether every row ends with a delimiter; the header may lack it, or be the only one to have it.
bool has_trailing_delimiter(const Sample& sample) {
  if (sample.width < 2 || sample.delimiter == ' ') return false;
  const Row& first = sample.rows[0];
  if (first.size() == sample.width + 1) return ends_empty(first);
  if (first.size() == sample.width ? !ends_empty(first) : first.size() + 1 != sample.width)
    return false;
  return std::all_of(sample.rows.begin(), sample.rows.end(),
                     [&](const Row& row) { return row.size() != sample.width || ends_empty(row); });
}

// As read_number, but 20 %, $2.50 and true are numbers too.
CellKind kind_in_words(const Cell& cell, const NumberStyle& style) {
  const CellKind kind = kind_of(cell, style);
  return kind == CellKind::text && worded_number(cell.text, style) ? CellKind::number : kind;
}

// Whether most of what stands in a column below the first row are numbers.
bool is_numeric_below(const Sample& sample, std::size_t column, const NumberStyle& style) {
  Index numbers = 0, texts = 0;
  for (std::size_t i = 1; i < sample.rows.size(); ++i) {
    if (column >= sample.rows[i].size()) continue;
    const CellKind kind = kind_in_words(sample.rows[i][column], style);
    if (is_number(kind)) ++numbers;
    if (kind == CellKind::text) ++texts;
  }
  return numbers > texts;
}

// A number above numbers speaks against a header: a row lost in silence is worse than a question.
bool has_header(const Sample& sample, std::size_t columns, const NumberStyle& style) {
  bool text_above_numbers = false, all_filled = true;
  const Row& first = sample.rows[0];
  for (std::size_t j = 0; j < std::min(columns, first.size()); ++j) {
    const CellKind kind = kind_in_words(first[j], style);
    const bool numeric = is_numeric_below(sample, j, style);
    if (is_number(kind) && numeric) return false;
    text_above_numbers |= kind == CellKind::text && numeric;
    all_filled &= kind == CellKind::text;
  }
  return text_above_numbers || all_filled;
}

// R's write.table gives the names of the columns but none for the row names in front. Those are
// quoted, or text, or count from 1; and they are different.
bool has_row_names(const Sample& sample, const NumberStyle& style) {
  const Row& first = sample.rows[0];
  if (first.size() + 1 != sample.width || sample.rows.size() < 2 || !all_text(first, style))
    return false;
  std::set<std::string_view> seen;
  for (std::size_t i = 1; i < sample.rows.size(); ++i) {
    const Row& row = sample.rows[i];
    if (row.size() != sample.width || !seen.insert(row[0].text).second) return false;
    const bool name = row[0].quoted || kind_of(row[0], style) == CellKind::text;
    if (!name && row[0].text != std::to_string(i)) return false;
  }
  return true;
}

std::string_view name_of_delimiter(char delimiter) {
  switch (delimiter) {
    case ',':
      return "commas";
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    case '|':
      return "bars";
    default:
      return "spaces";
  }
}

// Whether the first row could be a header of years or counters.
bool counts_up(const Row& row) {
  double before = 0, value = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (row[j].text.empty() || row[j].text.size() > 9) return false;
    if (!std::all_of(row[j].text.begin(), row[j].text.end(), digit)) return false;
    read_number(row[j].text, {}, value);
    if (j > 0 && value != before + 1) return false;
    before = value;
  }
  return row.size() > 1;
}

// R puts categories in quotes, and no numbers: the column that alone has whole numbers in quotes
// may hold classes. The first one is row names as a rule.
std::optional<std::size_t> quoted_category(const Sample& sample, std::size_t columns,
                                           const NumberStyle& style) {
  constexpr std::size_t kFewestRows = 5, kFewestBare = 2;
  std::optional<std::size_t> found;
  std::size_t bare = 0;
  for (std::size_t j = 1; j < columns && sample.rows.size() >= kFewestRows; ++j) {
    bool numbers = true, whole = true, quoted = true;
    for (std::size_t i = 1; i < sample.rows.size(); ++i) {
      if (j >= sample.rows[i].size()) continue;
      const Cell& cell = sample.rows[i][j];
      const CellKind kind = kind_of(cell, style);
      if (kind == CellKind::missing) continue;
      numbers = numbers && is_number(kind);
      whole = whole && cell.text.find_first_not_of("0123456789") == cell.text.npos;
      quoted = quoted && cell.quoted;
    }
    if (numbers && !quoted) ++bare;
    if (!numbers || !whole || !quoted) continue;
    if (found) return {};
    found = j;
  }
  return bare >= kFewestBare ? found : std::nullopt;
}

void note_category(const Dialect& dialect, const Sample& sample, const ReadOptions& options,
                   std::vector<Note>& notes) {
  const ColumnOptions& asked = options.columns;
  const bool chosen = !asked.label.empty() || !asked.only.empty() || !asked.drop.empty() ||
                      !asked.targets.empty() || !asked.known.names.empty();
  if (chosen || !dialect.header) return;
  const auto columns = static_cast<std::size_t>(dialect.columns);
  const auto column = quoted_category(sample, columns, dialect.style);
  const std::size_t shift = dialect.row_names ? 1 : 0;
  if (!column || *column - shift >= sample.rows[0].size()) return;
  const std::string name = plain_text(sample.rows[0][*column - shift]);
  if (names_classes(name)) return;
  notes.push_back(
      {fmt::format("column \"{}\" holds whole numbers in quotes, as R writes categories: "
                   "used as a measurement",
                   printable(name)),
       fmt::format("--label {}", *column + 1)});
}

void add_notes(const Dialect& dialect, const Sample& sample, const ReadOptions& options,
               std::vector<Note>& notes) {
  const auto note = [&](std::string text, std::string flag) {
    notes.push_back({std::move(text), std::move(flag)});
  };
  if (!options.text.delimiter && dialect.columns > 1)
    note(fmt::format("cells are separated by {}", name_of_delimiter(dialect.delimiter)),
         "--delimiter");
  if (!options.text.decimal && dialect.style.decimal == ',')
    note("the decimal mark is a comma", "--decimal");
  if (!options.text.thousands && dialect.style.thousands)
    note(fmt::format("digits are grouped by {}",
                     *dialect.style.thousands == '.' ? "points" : "commas"),
         "--thousands");
  if (dialect.title_rows > 0)
    note(fmt::format("{} line{} above the table skipped", dialect.title_rows,
                     dialect.title_rows == 1 ? "" : "s"),
         "--skip N");
  if (dialect.trailing) note("the delimiter at the end of each line is ignored", "");
  if (dialect.row_names)
    note("the header has one name less than the rows have cells: the first column is row names",
         "--skip N --header no");
  if (options.text.header) return;
  if (dialect.header)
    note("the first row holds the column names", "--header no");
  else if (counts_up(sample.rows[0]))
    note("the first row counts up like names (years, numbers) but is read as data", "--header yes");
  else
    note("no header: the first row is data", "--header yes");
}

void check_options(const ReadOptions& options) {
  const auto refuse = [](const char* message) {
    throw Error(ErrorCode::bad_option_value, message);
  };
  if (options.text.delimiter &&
      std::string_view(",;\t| ").find(*options.text.delimiter) == std::string_view::npos)
    refuse("the delimiter must be a comma, semicolon, tab, bar or space");
  if (options.text.decimal && *options.text.decimal != '.' && *options.text.decimal != ',')
    refuse("the decimal mark must be a point or a comma");
  if (options.text.decimal && options.text.delimiter == options.text.decimal)
    refuse("the delimiter and the decimal mark must differ");
  if (options.text.decimal && options.text.thousands == options.text.decimal)
    refuse("the thousands separator and the decimal mark must differ");
  if (options.text.skip < 0) refuse("the number of lines to skip must be >= 0");
}

}  // namespace

Dialect find_dialect(std::string_view content, char line_end, const ReadOptions& options,
                     std::vector<Note>& notes) {
  check_options(options);
  Dialect dialect;
  dialect.line_end = line_end;
  dialect.style = {.decimal = '.', .thousands = options.text.thousands, .na = options.text.na};
  Sample sample = best_sample(content, dialect.line_end, options, dialect.style);
  dialect.delimiter = sample.delimiter;
  if (options.text.decimal)
    dialect.style.decimal = *options.text.decimal;
  else if (options.text.thousands)
    dialect.style.decimal = *options.text.thousands == '.' ? ',' : '.';
  else
    dialect.style.decimal = decimal_of(sample);
  if (!options.text.thousands) {
    dialect.style.thousands =
        thousands_of(sample, dialect.style.decimal, options.text.decimal.has_value());
    dialect.style.groups_of_three = true;
  }
  if (sample.rows.empty()) return dialect;

  // A short header above rows with trailing delimiters is no title.
  if (!has_trailing_delimiter(sample)) dialect.title_rows = count_titles(sample, dialect.style);
  sample.rows.erase(sample.rows.begin(), sample.rows.begin() + dialect.title_rows);
  dialect.trailing = has_trailing_delimiter(sample);
  const Row& first = sample.rows[0];
  const bool cut = dialect.trailing && ends_empty(first);
  dialect.row_names = options.text.header.value_or(true) && has_row_names(sample, dialect.style);
  dialect.columns = static_cast<Index>(first.size()) - (cut ? 1 : 0) + (dialect.row_names ? 1 : 0);
  const auto columns = static_cast<std::size_t>(dialect.columns);
  dialect.header =
      dialect.row_names || options.text.header.value_or(has_header(sample, columns, dialect.style));
  add_notes(dialect, sample, options, notes);
  note_category(dialect, sample, options, notes);
  return dialect;
}

}  // namespace mercer::detail
