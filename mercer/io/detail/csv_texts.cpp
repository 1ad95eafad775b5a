#include "mercer/io/detail/csv_texts.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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
  warnings.push_back(
      {WarningCode::labels_replaced,
       fmt::format("{} {} not UTF-8; bad bytes are shown as \xEF\xBF\xBD", grouped(count), what)});
}

// x, x -> x, x.1, where x.1 is not taken either.
void rename_doubles(std::vector<std::string>& names, Warnings& warnings) {
  std::unordered_set<std::string> taken(names.begin(), names.end());
  if (taken.size() == names.size()) return;
  std::unordered_map<std::string, Index> seen;
  std::string list;
  Index renamed = 0;
  for (std::string& name : names) {
    Index& count = seen[name];
    if (count++ == 0) continue;
    std::string other;
    do other = fmt::format("{}.{}", name, count - 1);
    while (!taken.insert(other).second && ++count > 0);
    if (++renamed <= 4) list += fmt::format("{}\"{}\"", renamed == 1 ? "" : ", ", printable(other));
    name = std::move(other);
  }
  warnings.push_back({WarningCode::duplicate_names,
                      fmt::format("{} duplicate column name{} renamed: {}{}", renamed,
                                  renamed == 1 ? "" : "s", list, renamed > 4 ? ", ..." : "")});
}

// Each different text once, mended.
std::vector<std::string> mended_texts(const TextColumn& column, Warnings& warnings) {
  std::vector<std::string> texts(column.different().begin(), column.different().end());
  std::vector<bool> mended(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) mended[i] = mend_utf8(texts[i]);
  Index cells = 0;
  for (const Index place : column.rows())
    if (mended[static_cast<std::size_t>(place)]) ++cells;
  warn_mended(cells, "labels were", warnings);
  return texts;
}

Labels labels_of(std::string name, const TextColumn& column, Warnings& warnings) {
  // Different bytes may have become the same text.
  const Labels different = Labels::from_texts(std::move(name), mended_texts(column, warnings));
  Labels labels{.name = different.name, .classes = different.classes, .of_row = {}};
  labels.of_row.reserve(column.rows().size());
  for (const Index place : column.rows())
    labels.of_row.push_back(different.of_row[static_cast<std::size_t>(place)]);
  return labels;
}

std::vector<std::string> ids_of(const TextColumn& column, Warnings& warnings) {
  const std::vector<std::string> different = mended_texts(column, warnings);
  std::vector<std::string> texts;
  texts.reserve(column.rows().size());
  for (const Index place : column.rows())
    texts.push_back(different[static_cast<std::size_t>(place)]);
  return texts;
}

}  // namespace

std::vector<std::string> read_names(const TextTable& table, Warnings& warnings) {
  std::vector<std::string> names;
  Index mended = 0;
  for (const std::string& name : table.header) {
    names.push_back(name);
    if (mend_utf8(names.back())) ++mended;
  }
  warn_mended(mended, "column names were", warnings);
  names.resize(static_cast<std::size_t>(table.dialect.columns));
  // A comment sign before the names, as numerical programs write it.
  if (!names.empty() && names[0].starts_with('#'))
    names[0] = trim(std::string_view(names[0]).substr(1));
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j].empty()) names[j] = fmt::format("col{}", j + 1);
  rename_doubles(names, warnings);
  return names;
}

RowTexts read_texts(CsvValues& values, const ColumnTypes& types,
                    const std::vector<std::string>& names, const ColumnChoice& choice,
                    const KnownTexts& known, Table& result) {
  const auto name = [&](Index column) { return column_text(column, names); };
  std::optional<Index> label = choice.label ? choice.label : known.numbered;
  std::optional<Index> id = known.row_names;
  for (const std::size_t slot : types.text) {
    const Index column = values.columns()[slot];
    if (values.spell_numbers(slot))
      result.notes.push_back(
          {name(column) + " holds only numbers at first: these are spelt anew", ""});
    if (values.texts(column)->repeats() && !label && !choice.no_label)
      label = column;
    else if (!values.texts(column)->repeats() && !id)
      id = column;
    else
      result.notes.push_back({name(column) + " is text and set aside", "--label COLUMN"});
  }
  RowTexts texts;
  if (label) {
    texts.labels =
        labels_of(names[static_cast<std::size_t>(*label)], *values.texts(*label), result.warnings);
    if (!choice.label)
      result.notes.push_back({fmt::format("{} {}: used as labels ({} classes)", name(*label),
                                          known.numbered ? "holds whole numbers" : "is text",
                                          grouped(static_cast<Index>(texts.labels.classes.size()))),
                              known.numbered ? "--label none" : "--label COLUMN"});
  }
  if (id) {
    texts.ids = ids_of(*values.texts(*id), result.warnings);
    result.ids_name = names[static_cast<std::size_t>(*id)];
    if (!known.row_names)
      result.notes.push_back(
          {name(*id) + " is text, all different: used as row names", "--label COLUMN"});
  }
  return texts;
}

}  // namespace mercer::detail
