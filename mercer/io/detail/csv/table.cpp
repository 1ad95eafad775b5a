#include "mercer/io/detail/csv/table.h"

#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/csv/called_classes.h"
#include "mercer/io/detail/csv/columns.h"
#include "mercer/io/detail/csv/rejects.h"
#include "mercer/io/detail/csv/texts.h"
#include "mercer/io/detail/csv/worded_numbers.h"
#include "mercer/io/detail/whole_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::detail {
namespace {

std::vector<Index> columns_at(const CsvValues& values, const std::vector<std::size_t>& slots) {
  std::vector<Index> columns;
  columns.reserve(slots.size());
  for (const std::size_t slot : slots) columns.push_back(values.columns()[slot]);
  return columns;
}

// Which row of the file row i is; `left` names them where some were left out.
Index row_of_file(Index i, const std::vector<Index>& left) {
  return left.empty() ? i : left[static_cast<std::size_t>(i)];
}

// A first column 1, 2, 3, ... is more likely a row number than a measurement.
bool counts_rows(const CsvValues& values, const ColumnTypes& types,
                 const std::vector<Index>& left) {
  if (values.rows() < 4 || types.numeric.size() < 2 || types.numeric[0] != 0) return false;
  const double start = values.at(0, 0) - static_cast<double>(row_of_file(0, left));
  if (start != 0 && start != 1) return false;
  for (Index i = 0; i < values.rows(); ++i)
    if (values.at(i, 0) != start + static_cast<double>(row_of_file(i, left))) return false;
  return true;
}

// The numbers of the rows of another table, some of which were left out: as Mercer writes them.
bool numbers_rows(const CsvValues& values, const std::string& name, const ColumnTypes& types) {
  if (name != kRowNumbers || types.numeric.size() < 2 || types.numeric[0] != 0) return false;
  double last = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    const double number = values.at(i, 0);
    if (!(number > last) || number != std::floor(number)) return false;
    last = number;
  }
  return true;
}

// What people call the column that tells rows apart: id, Id, ID.
bool is_id(std::string_view name) {
  return name.size() == 2 && (name[0] | 0x20) == 'i' && (name[1] | 0x20) == 'd';
}

// The index of a table that was shuffled, sampled or joined before it was written: nobody gives a
// measurement no name. Beside a table whose rows have names, any column that is called an index.
bool holds_index(const CsvValues& values, const std::string& name, const KnownColumns& known,
                 const ColumnTypes& types) {
  const bool never_measured = name.empty() || name == "Unnamed: 0" || is_id(name);
  if (!known.named_rows && (!never_measured || values.rows() < 4)) return false;
  if (types.numeric.size() < 2 || types.numeric[0] != 0) return false;
  for (Index i = 0; i < values.rows(); ++i) {
    const double number = values.at(i, 0);
    if (!(number >= 0) || number != std::floor(number)) return false;
  }
  return true;
}

// What programs call the column of row names that they write in front.
bool names_an_index(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"",         "index",     "Unnamed: 0",
                                                      "rownames", "row_names", "row"};
  return is_id(name) || std::ranges::find(kNames, name) != kNames.end();
}

// A column that numbers the rows, and where its note stands.
struct RowIndex {
  std::vector<std::string> names = {};
  std::optional<std::size_t> note = {};
};

// Such a first column that counts the rows is no measurement, unless a model learnt from it or
// somebody asks for it; where names are few enough to be worth their memory, they are the rows'
// names.
RowIndex take_index(const CsvValues& values, const std::string& name, const ColumnOptions& asked,
                    const std::vector<Index>& left, ColumnTypes& types, Table& result) {
  constexpr Index kMostNames = 1'000'000;
  const std::string own = name.empty() ? "col1" : name;  // what it is called among the columns
  const bool known = std::ranges::find(asked.known.names, own) != asked.known.names.end() ||
                     std::ranges::find(asked.known.targets, own) != asked.known.targets.end();
  if (!names_an_index(name) || known || !asked.only.empty() || values.columns()[0] != 0) return {};
  const bool counts = counts_rows(values, types, left) || numbers_rows(values, name, types);
  if (!counts && !holds_index(values, name, asked.known, types)) return {};
  types.numeric.erase(types.numeric.begin());
  result.use.put_aside(0, own, aside::kRowNames);
  result.notes.push_back({(name.empty() ? std::string("the first column has no name and")
                                        : fmt::format("column \"{}\"", printable(name))) +
                              (counts ? " counts the rows" : " holds whole numbers") +
                              ": used as row names",
                          "--columns"});
  RowIndex index{.note = result.notes.size() - 1};
  if (values.rows() > kMostNames) return index;
  index.names.reserve(static_cast<std::size_t>(values.rows()));
  for (Index i = 0; i < values.rows(); ++i) index.names.push_back(exact(values.at(i, 0)));
  return index;
}

// Names that are texts go before numbers.
void name_rows(RowTexts& texts, RowIndex index, const std::string& name, Table& result) {
  if (texts.ids.empty() && !index.names.empty()) {
    texts.ids = std::move(index.names);
    result.texts.ids_name = name;
    return;
  }
  constexpr std::string_view kUsed = ": used as row names";
  if (texts.ids.empty() || !index.note) return;
  std::string& told = result.notes[*index.note].text;
  if (told.ends_with(kUsed)) told.replace(told.size() - kUsed.size(), kUsed.size(), ": set aside");
}

void note_columns(const CsvValues& values, const ColumnTypes& types,
                  const std::vector<std::string>& names, const std::vector<Index>& left,
                  Table& result) {
  for (const std::size_t slot : types.empty) {
    const Index column = values.columns()[slot];
    result.use.put_aside(column, names[static_cast<std::size_t>(column)], aside::kEmpty);
    result.notes.push_back({column_text(column, names) + " is empty and left out", ""});
  }
  if (!counts_rows(values, types, left)) return;
  const std::string title = column_text(values.columns()[0], names);
  result.notes.push_back({title + " counts the rows and is used as a measurement",
                          fmt::format("--drop {}", values.columns()[0] + 1)});
}

// The extra columns that are read all the same, since they may hold row names or classes.
std::vector<bool> never_wanted(const ColumnChoice& choice, const std::vector<std::string>& names,
                               const std::string& first_name) {
  std::vector<bool> extra = choice.extra;
  for (std::size_t j = 0; j < extra.size(); ++j)
    if (names_classes(names[j]) || (j == 0 && names_an_index(first_name))) extra[j] = false;
  return extra;
}

std::vector<bool> encoded_of(const ColumnChoice& choice, Index count) {
  if (choice.encode.empty()) return {};
  std::vector<bool> encoded(static_cast<std::size_t>(count), false);
  for (const ChosenEncoding& one : choice.encode)
    encoded[static_cast<std::size_t>(one.column)] = true;
  return encoded;
}

// Numbers that a model does not know.
void drop_extra(const CsvValues& values, const FileColumns& columns, const ColumnChoice& choice,
                const ColumnOptions& options, ColumnTypes& types, Table& result) {
  std::vector<Index> extra;
  for (const std::size_t slot : types.extra) extra.push_back(values.columns()[slot]);
  std::erase_if(types.numeric, [&](std::size_t slot) {
    if (!choice.is_extra(values.columns()[slot])) return false;
    extra.push_back(values.columns()[slot]);
    return true;
  });
  std::ranges::sort(extra);
  leave_out_extra(extra, columns, options, result);
}

// Where the used columns stand among those of the file.
std::vector<Index> places_of(const CsvValues& values, const ColumnTypes& types, Index count) {
  std::vector<Index> places = columns_at(values, types.numeric);
  if (static_cast<Index>(places.size()) == count && std::ranges::is_sorted(places)) return {};
  return places;
}

// The numbers of the numeric columns with their names, which are not needed any more elsewhere.
Dataset take_numbers(CsvValues& values, const ColumnTypes& types, std::vector<std::string> names) {
  const auto dim = static_cast<Index>(types.numeric.size());
  std::vector<std::string> kept;
  kept.reserve(types.numeric.size());
  for (const std::size_t slot : types.numeric)
    kept.push_back(std::move(names[static_cast<std::size_t>(values.columns()[slot])]));
  Dataset data(values.take(types.numeric), Scalar::f64, values.rows(), dim);
  data.column_names = std::move(kept);
  return data;
}

ReadOptions with_tabs(ReadOptions options) {
  if (options.format == "tsv" && !options.text.delimiter) options.text.delimiter = '\t';
  return options;
}

// Small budgets get small pieces; at most an eighth is text in flight, with the numbers in it,
// which take eight times as much where every cell is empty.
TextLimits within(TextLimits limits, const Context& context) {
  constexpr std::uint64_t kSmallest = 4 << 10;  // bytes of a piece
  constexpr std::uint64_t kWithNumbers = 9;     // a byte of text and the eight of its number
  const std::uint64_t pieces =
      std::min<std::uint64_t>(8 * static_cast<std::uint64_t>(thread_count(context.budget)), 128);
  const std::uint64_t share =
      std::max(context.memory_left() / 8 / pieces / kWithNumbers, kSmallest);
  limits.piece_bytes = static_cast<Index>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(limits.piece_bytes), share));
  return limits;
}

// Names, places and kinds of the columns; those of few columns take too little to be counted.
std::uint64_t bytes_of_columns(const OpenedText& table) {
  constexpr std::uint64_t kColumn = 128;  // bytes of a column, about
  constexpr Index kFew = 20'000;          // 2.5 MB, which every budget allows for
  if (table.dialect.columns <= kFew) return 0;
  return static_cast<std::uint64_t>(table.dialect.columns) * kColumn + bytes_of(table.header);
}

// The columns whose texts are needed even where they hold numbers.
RowWishes wishes_of(const ColumnChoice& choice, const std::vector<std::string>& names,
                    const KnownTexts& known, const ReadOptions& options) {
  RowWishes wishes{.numbers = choice.kept, .texts = {}, .rejects = !options.rejects.empty()};
  if (known.row_names) wishes.texts.push_back(*known.row_names);
  if (choice.label) wishes.texts.push_back(*choice.label);
  if (choice.ids) wishes.texts.push_back(*choice.ids);
  for (const ChosenEncoding& one : choice.encode) wishes.texts.push_back(one.column);
  if (choice.label || choice.no_label || choice.names_say_nothing) return wishes;
  for (const Index column : choice.kept)
    if (names_classes(names[static_cast<std::size_t>(column)])) wishes.texts.push_back(column);
  return wishes;
}

// Row names as R writes them are no measurement, unless somebody asks for them.
KnownTexts take_row_names(const OpenedText& table, const ReadOptions& options,
                          ColumnChoice& choice) {
  KnownTexts known;
  const bool first = !choice.kept.empty() && choice.kept[0] == 0;
  if (!table.dialect.row_names || !options.columns.only.empty() || !first) return known;
  choice.kept.erase(choice.kept.begin());
  known.row_names = 0;
  return known;
}

// The options that say what was found.
std::vector<std::string> flags_of(const Dialect& dialect, const ReadOptions& options) {
  const auto word = [](char c) {
    return c == '\t' ? std::string("tab") : c == ' ' ? std::string("space") : std::string(1, c);
  };
  std::vector<std::string> flags = {"--format",    "csv",
                                    "--delimiter", word(dialect.delimiter),
                                    "--decimal",   word(dialect.style.decimal),
                                    "--header",    dialect.header ? "yes" : "no"};
  if (dialect.style.thousands) {
    flags.emplace_back("--thousands");
    flags.push_back(word(*dialect.style.thousands));
  }
  if (options.text.skip + dialect.title_rows > 0) {
    flags.emplace_back("--skip");
    flags.push_back(fmt::format("{}", options.text.skip + dialect.title_rows));
  }
  return flags;
}

void treat_rows(Missing policy, const Context& context, const std::string& file, Table& result) {
  try {
    take_whole(result, treat_missing(std::move(result.data), policy, context), context);
  } catch (const Error& error) {
    throw error.at(file);
  }
  context.report("read", 1);
}

void check_rows(const CsvValues& values, Index rejected, const std::string& file) {
  if (values.rows() > 0) return;
  if (rejected > 0)
    throw Error(ErrorCode::no_rows, "no row of the table can be read",
                "see the rejects file for the reasons", file);
  throw Error(ErrorCode::no_rows, "the table has a header but no rows of data",
              "if the first row is data: --header no", file);
}

// What each column holds, numbers in words ("20 %") among them.
ColumnTypes types_of(const OpenedText& table, CsvValues& values,
                     const std::vector<std::string>& names, const FileColumns& columns,
                     const std::string& first_name, const ColumnChoice& choice,
                     const ReadOptions& options, Table& result) {
  const bool rejects = !options.rejects.empty();
  ColumnTypes types;
  if (values.rows() > 0)
    types =
        judge_columns(table, values, names,
                      {rejects, options.columns.known.keep_empty, encoded_of(choice, columns.count),
                       never_wanted(choice, names, first_name)},
                      result.warnings);
  if (!rejects) take_worded_numbers(values, names, table.dialect.style, types, result.notes);
  return types;
}

}  // namespace

Table read_text_table(Source& source, const ReadOptions& asked, const Context& given,
                      const TextLimits& limits) {
  Context context = given;
  context.account = source.context().account;
  const ReadOptions options = with_tabs(asked);
  const Missing policy = missing_policy(options.columns.missing);
  const bool rejects = !options.rejects.empty();
  Table result;
  result.format = "csv";
  check_is_text(source.head(), source.name());
  PieceReader reader(source, within(limits, context));
  OpenedText table = open_text(reader, options, result.notes);
  const auto held = context.hold(bytes_of_columns(table), "the names of so many columns");
  const std::string first_name = table.header.empty() ? "none" : table.header[0];
  std::vector<std::string> names = read_names(table, result.warnings);
  result.named_columns = table.dialect.header;
  result.flags = flags_of(table.dialect, options);

  const FileColumns columns{table.dialect.columns, names, table.dialect.header, table.file};
  ColumnChoice choice = choose_columns(columns, options.columns, result.use);
  KnownTexts known = take_row_names(table, options, choice);
  CsvValues values(table, reader, wishes_of(choice, names, known, options), context);
  ColumnTypes types = types_of(table, values, names, columns, first_name, choice, options, result);
  std::vector<Index> left;
  const auto numbers = context.hold(
      rejects ? static_cast<std::uint64_t>(values.rows()) * sizeof(Index) : 0, "the row numbers");
  if (rejects)
    left = set_rejects_aside(table, values, types, choice, options, names, context, result);
  check_rows(values, result.gaps.rows_rejected, table.file);
  known.numbered = take_called_classes(values, names, choice, options.columns.known, types, result);
  known.dates = columns_of_dates(values, types, table.dialect.style);
  if (types.numeric.empty() && types.encoded.empty() && choice.encode_rest.empty() &&
      choice.encode_dates.empty())
    throw_nothing_numeric(table, names, columns_at(values, types.text));
  RowIndex index = take_index(values, first_name, options.columns, left, types, result);
  drop_extra(values, columns, choice, options.columns, types, result);
  if (policy == Missing::error && !rejects) check_none_missing(table, values, types, names, choice);
  note_columns(values, types, names, left, result);

  RowTexts texts =
      read_texts(values, types, names, choice, known, options.columns.keep_texts, context, result);
  if (types.numeric.empty() && texts.encoded.empty())
    throw_nothing_numeric(table, names, columns_at(values, types.text));
  if (options.columns.keep_texts)
    result.texts.columns = take_set_aside(values, types, names, texts, result.warnings);
  name_rows(texts, std::move(index), first_name, result);
  result.use.places = places_of(values, types, columns.count);
  Dataset data = take_numbers(values, types, std::move(names));
  if (!texts.encoded.empty())
    data = with_encoded(data, std::move(texts.encoded), options.columns.unknown_is_zero,
                        table.dialect.style, table.file, context, result);
  data.labels = std::move(texts.labels);
  data.ids = std::move(texts.ids);
  result.data = std::move(data);
  if (!left.empty()) name_by_numbers(result, left, context);
  treat_rows(treats_gaps_later(options.columns) ? Missing::keep : policy, context, table.file,
             result);
  return result;
}

}  // namespace mercer::detail
