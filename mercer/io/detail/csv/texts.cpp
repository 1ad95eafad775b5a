#include "mercer/io/detail/csv/texts.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/column_names.h"
#include "mercer/io/detail/csv/dates.h"
#include "mercer/io/detail/csv/encode_dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mercer::detail {
namespace {

// Replaces each byte that belongs to no well-formed sequence; says whether there was one.
bool mend_utf8(std::string& text) {
  if (is_utf8(text)) return false;
  std::string mended;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    while (length <= 4 && !is_utf8(std::string_view(text).substr(i, length))) ++length;
    mended += length <= 4 ? std::string_view(text).substr(i, length) : "\xEF\xBF\xBD";
    i += length <= 4 ? length : 1;
  }
  text = std::move(mended);
  return true;
}

void warn_mended(Index count, std::string_view what, Warnings& warnings) {
  if (count == 0) return;
  const std::string_view some = count == 1 ? " was" : "s were";
  warnings.push_back({WarningCode::labels_replaced,
                      fmt::format("{} {}{} not UTF-8; bad bytes are shown as \xEF\xBF\xBD",
                                  grouped(count), what, some)});
}

// Each different text once, mended; `any` tells whether one was.
std::vector<std::string> take_mended(TextColumn& column, bool& any, Warnings& warnings) {
  std::vector<std::string> texts = column.take_different();
  std::vector<bool> mended(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) mended[i] = mend_utf8(texts[i]);
  Index cells = 0;
  for (const Index place : column.rows())
    if (mended[static_cast<std::size_t>(place)]) ++cells;
  warn_mended(cells, "label", warnings);
  any = cells > 0;
  return texts;
}

Labels take_labels(std::string name, TextColumn& column, Warnings& warnings) {
  bool mended = false;
  std::vector<std::string> texts = take_mended(column, mended, warnings);
  if (!mended) return {std::move(name), std::move(texts), column.rows()};
  // Different bytes may have become the same text.
  Labels different = Labels::from_texts(std::move(name), texts);
  Labels labels{std::move(different.name), std::move(different.classes), {}};
  labels.of_row.reserve(column.rows().size());
  for (const Index place : column.rows())
    labels.of_row.push_back(different.of_row[static_cast<std::size_t>(place)]);
  return labels;
}

// A text that several rows have is copied, so that repeated row names take more than their column.
std::vector<std::string> take_ids(TextColumn& column, const Context& context, Warnings& warnings) {
  MemoryAccount::Hold hold = context.hold(0, "the names of the rows");
  std::uint64_t bytes = column.rows().size() * sizeof(std::string);
  for (Index row = 0; column.repeats() && row < static_cast<Index>(column.rows().size()); ++row)
    bytes += column.text(row + column.first_row()).size() + 24;
  hold.resize(bytes);
  bool mended = false;
  const bool repeats = column.repeats();
  std::vector<std::string> different = take_mended(column, mended, warnings);
  std::vector<std::string> texts;
  texts.reserve(column.rows().size());
  for (const Index place : column.rows()) {
    std::string& text = different[static_cast<std::size_t>(place)];
    texts.push_back(repeats ? text : std::move(text));
  }
  return texts;
}

// Those that options or a model name.
void add_chosen(const ColumnChoice& choice, const std::vector<std::string>& names,
                const ColumnTypes& types, const CsvValues& values,
                std::vector<EncodedColumn>& encoded) {
  for (const std::size_t slot : types.encoded) {
    const Index column = values.columns()[slot];
    const auto chosen = std::ranges::find(choice.encode, column, &ChosenEncoding::column);
    const Encoding fresh{names[static_cast<std::size_t>(column)], chosen->as};
    encoded.push_back({.encoding = chosen->known != nullptr ? *chosen->known : fresh,
                       .known = chosen->known != nullptr,
                       .place = column});
  }
}

void take_encoded(EncodedColumn& column, CsvValues& values, const Context& context, Table& result) {
  TextColumn& texts = *values.texts(column.place);
  column.held = context.hold(texts.bytes() + texts.rows().size() * sizeof(Index),
                             "the texts that become numbers");
  column.of_row = texts.rows();
  bool mended = false;
  column.texts = take_mended(texts, mended, result.warnings);
}

// The column that held row names in a table read before, of texts or numbers; unless it is empty.
std::optional<Index> ids_among(const CsvValues& values, const ColumnTypes& types,
                               const ColumnChoice& choice) {
  const auto holds_ids = [&](std::size_t slot) { return values.columns()[slot] == choice.ids; };
  return std::ranges::any_of(types.empty, holds_ids) ? std::nullopt : choice.ids;
}

// Which columns of texts hold the classes and the names of the rows.
struct Roles {
  std::optional<Index> label, id;
};

// Gives every column of texts its part; those that have none are set aside, in their order.
Roles roles_of(CsvValues& values, const ColumnTypes& types, const std::vector<std::string>& names,
               const ColumnChoice& choice, const KnownTexts& known, RowTexts& texts,
               Table& result) {
  Roles roles{choice.label ? choice.label : known.numbered,
              known.row_names ? known.row_names : ids_among(values, types, choice)};
  const auto encode = [&](Index column, const std::string& as) {
    texts.encoded.push_back(
        {.encoding = {names[static_cast<std::size_t>(column)], as}, .place = column});
  };
  for (const std::size_t slot : types.text) {
    const Index column = values.columns()[slot];
    if (values.spell_numbers(slot))
      result.notes.push_back(
          {column_text(column, names) + " holds only numbers at first: these are spelt anew", ""});
    if (column == roles.id) continue;
    const bool repeats = values.texts(column)->repeats(), dates = known.is_date(slot);
    if (dates && !choice.encode_dates.empty())
      encode(column, choice.encode_dates);
    else if (repeats && !dates && !roles.label && !choice.no_label)
      roles.label = column;
    else if (!repeats && !dates && !roles.id)
      roles.id = column;
    else if (repeats && !dates && !choice.encode_rest.empty())
      encode(column, choice.encode_rest);
    else
      texts.set_aside.push_back(slot);
  }
  // The index of a series: nothing else names its rows.
  if (!roles.id && !texts.set_aside.empty() && known.is_date(texts.set_aside[0]) &&
      values.columns()[texts.set_aside[0]] == 0 && !values.texts(0)->repeats()) {
    roles.id = 0;
    texts.set_aside.erase(texts.set_aside.begin());
  }
  return roles;
}

// Whoever wants the rest of the texts or the dates as numbers is told where there are none.
void check_encoded(const ColumnChoice& choice, const Roles& roles, const RowTexts& texts,
                   const std::vector<std::string>& names) {
  const auto refuse = [&](const std::string& word, const char* what) {
    throw Error(ErrorCode::unknown_column,
                fmt::format("--encode {}: no column of {} is left to become numbers{}", word, what,
                            roles.label ? fmt::format("; {} holds the classes",
                                                      column_text(*roles.label, names))
                                        : ""),
                fmt::format("name the column, --encode {}:COLUMN, or drop it", word));
  };
  const auto any = [&](bool dates) {
    return std::ranges::any_of(texts.encoded, [&](const EncodedColumn& column) {
      return encodes_dates(column.encoding.as) == dates;
    });
  };
  if (!choice.encode_rest.empty() && !any(false)) refuse(choice.encode_rest, "texts");
  if (!choice.encode_dates.empty() && !any(true)) refuse(choice.encode_dates, "dates");
}

// The options that make something of a column that is set aside; a model leaves no choice.
std::string way_to_use(const TextColumn& column, bool dates, const ColumnChoice& choice) {
  if (!choice.extra.empty()) return "";
  if (dates) return "--encode date:COLUMN";
  return column.repeats() ? "--label COLUMN, or --encode onehot:COLUMN" : "--label COLUMN";
}

Note note_of_classes(const std::string& name, const Labels& labels, const ColumnChoice& choice,
                     const KnownTexts& known) {
  const Index count = labels.count();
  const std::string text = fmt::format("{} {}: used as labels ({} class{})", name,
                                       known.numbered ? "holds whole numbers" : "is text",
                                       grouped(count), count == 1 ? "" : "es");
  if (known.numbered) return {text, "--label none"};
  return {text, choice.names_say_nothing ? "--label COLUMN, or --encode onehot:COLUMN"
                                         : "--label COLUMN"};
}

}  // namespace

std::vector<std::string> read_names(OpenedText& table, Warnings& warnings) {
  std::vector<std::string> names = std::move(table.header);
  Index mended = 0;
  for (std::string& name : names)
    if (mend_utf8(name)) ++mended;
  warn_mended(mended, "column name", warnings);
  names.resize(static_cast<std::size_t>(table.dialect.columns));
  // A comment sign before the names, as numerical programs write it.
  if (!names.empty() && names[0].starts_with('#'))
    names[0] = trim(std::string_view(names[0]).substr(1));
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j].empty()) names[j] = fmt::format("col{}", j + 1);
  rename_doubles(names, warnings);
  return names;
}

std::vector<std::size_t> columns_of_dates(CsvValues& values, const ColumnTypes& types,
                                          const NumberStyle& style) {
  std::vector<std::size_t> dates;
  for (const std::size_t slot : types.text) {
    const TextColumn* column = values.texts(values.columns()[slot]);
    if (column == nullptr || values.tally(slot).numeric(values.rows()) > 0) continue;
    DateOrders orders;
    for (const std::string& text : column->different()) {
      if (!is_missing(text, style)) orders.see(text);
      if (!orders.any() && !is_missing(text, style)) break;
    }
    if (orders.any()) dates.push_back(slot);
  }
  return dates;
}

RowTexts read_texts(CsvValues& values, const ColumnTypes& types,
                    const std::vector<std::string>& names, const ColumnChoice& choice,
                    const KnownTexts& known, bool keep, const Context& context, Table& result) {
  const auto name = [&](Index column) { return column_text(column, names); };
  RowTexts texts;
  const Roles roles = roles_of(values, types, names, choice, known, texts, result);
  check_encoded(choice, roles, texts, names);
  for (const std::size_t slot : texts.set_aside) {
    const bool dates = known.is_date(slot);
    const Index column = values.columns()[slot];
    result.use.put_aside(column, names[static_cast<std::size_t>(column)],
                         dates ? aside::kDates : aside::kText);
    if (!keep)
      result.notes.push_back(
          {name(column) + (dates ? " holds dates: set aside" : " is text and set aside"),
           way_to_use(*values.texts(column), dates, choice)});
  }
  const std::optional<Index>&label = roles.label, &id = roles.id;
  if (label && !choice.label)
    result.use.put_aside(*label, names[static_cast<std::size_t>(*label)], aside::kLabels);
  if (id) result.use.put_aside(*id, names[static_cast<std::size_t>(*id)], aside::kRowNames);
  texts.label_column = label.value_or(-1);
  if (label) {
    texts.labels = take_labels(names[static_cast<std::size_t>(*label)], *values.texts(*label),
                               result.warnings);
    if (!choice.label)
      result.notes.push_back(note_of_classes(name(*label), texts.labels, choice, known));
  }
  if (id) {
    const bool dates = std::ranges::any_of(
        known.dates, [&](std::size_t slot) { return values.columns()[slot] == *id; });
    texts.ids = take_ids(*values.texts(*id), context, result.warnings);
    result.ids_name = names[static_cast<std::size_t>(*id)];
    if (id == choice.ids)
      result.notes.push_back({name(*id) + " holds the row names, as before", ""});
    else if (dates)
      result.notes.push_back({name(*id) + " holds dates, all different: used as row names",
                              choice.extra.empty() ? "--encode date:COLUMN" : ""});
    else if (!known.row_names)
      result.notes.push_back(
          {name(*id) + " is text, all different: used as row names", "--label COLUMN"});
  }
  add_chosen(choice, names, types, values, texts.encoded);
  for (EncodedColumn& column : texts.encoded) take_encoded(column, values, context, result);
  return texts;
}

std::vector<TextOfRows> take_set_aside(CsvValues& values, const ColumnTypes& types,
                                       const std::vector<std::string>& names, const RowTexts& used,
                                       Warnings& warnings) {
  const auto numbers_before = [&](Index column) {
    // How many columns of numbers an encoded one becomes is not known yet: texts come last.
    if (!used.encoded.empty()) return std::numeric_limits<Index>::max();
    return std::ranges::count_if(
        types.numeric, [&](std::size_t other) { return values.columns()[other] < column; });
  };
  std::vector<TextOfRows> columns;
  Index classes = used.label_column;
  const auto place_classes = [&](Index column) {
    if (classes < 0 || classes > column) return;
    columns.push_back({{}, numbers_before(classes), true});
    classes = -1;
  };
  for (const std::size_t slot : used.set_aside) {
    const Index column = values.columns()[slot];
    place_classes(column);
    columns.push_back(
        {take_labels(names[static_cast<std::size_t>(column)], *values.texts(column), warnings),
         numbers_before(column), false});
  }
  place_classes(std::numeric_limits<Index>::max());
  return columns;
}

}  // namespace mercer::detail
