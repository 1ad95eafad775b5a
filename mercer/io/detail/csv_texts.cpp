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

// Which of the columns hold some text twice.
std::vector<bool> find_repeats(const TextTable& table, const std::vector<Index>& columns,
                               const Context& context) {
  std::vector<std::unordered_set<std::string_view>> seen(columns.size());
  std::vector<bool> repeats(columns.size(), false);
  for_each_row(table, context, [&](const std::vector<Cell>& cells, Index) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (repeats[i]) continue;
      const std::string_view text = cells[static_cast<std::size_t>(columns[i])].text;
      if (text.empty() || seen[i].insert(text).second) continue;
      repeats[i] = true;
      seen[i] = {};
    }
  });
  return repeats;
}

std::vector<std::string> texts_of(const TextTable& table, Index column, const Context& context,
                                  Warnings& warnings) {
  std::vector<std::string> texts;
  Index mended = 0;
  for_each_row(table, context, [&](const std::vector<Cell>& cells, Index) {
    texts.push_back(plain_text(cells[static_cast<std::size_t>(column)]));
    if (mend_utf8(texts.back())) ++mended;
  });
  warn_mended(mended, "labels were", warnings);
  return texts;
}

}  // namespace

std::vector<std::string> read_names(const TextTable& table, Warnings& warnings) {
  std::vector<std::string> names;
  Index mended = 0;
  for (const Cell& cell : header_row(table)) {
    names.push_back(plain_text(cell));
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

RowTexts read_texts(const TextTable& table, const std::vector<std::string>& names,
                    const std::vector<Index>& columns, const ColumnChoice& choice,
                    std::optional<Index> numbered, const Context& context, Table& result) {
  const auto name = [&](Index column) { return column_text(column, names); };
  std::optional<Index> label = choice.label ? choice.label : numbered;
  std::optional<Index> id;
  if (!columns.empty()) {
    const std::vector<bool> repeats = find_repeats(table, columns, context);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (repeats[i] && !label && !choice.no_label)
        label = columns[i];
      else if (!repeats[i] && !id)
        id = columns[i];
      else
        result.notes.push_back({name(columns[i]) + " is text and set aside", "--label COLUMN"});
    }
  }
  RowTexts texts;
  if (label) {
    texts.labels = Labels::from_texts(names[static_cast<std::size_t>(*label)],
                                      texts_of(table, *label, context, result.warnings));
    if (!choice.label)
      result.notes.push_back({fmt::format("{} {}: used as labels ({} classes)", name(*label),
                                          numbered ? "holds whole numbers" : "is text",
                                          grouped(static_cast<Index>(texts.labels.classes.size()))),
                              numbered ? "--label none" : "--label COLUMN"});
  }
  if (id) {
    texts.ids = texts_of(table, *id, context, result.warnings);
    result.notes.push_back(
        {name(*id) + " is text, all different: used as row names", "--label COLUMN"});
  }
  return texts;
}

}  // namespace mercer::detail
