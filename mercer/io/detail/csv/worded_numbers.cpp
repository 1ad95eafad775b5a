#include "mercer/io/detail/csv/worded_numbers.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/csv/called_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::detail {
namespace {

constexpr std::array<std::string_view, 4> kCurrencies = {"$", "€", "£", "¥"};

bool same_word(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return a == b || (a >= 'A' && a <= 'Z' && (a | 0x20) == b);
  });
}

// Digits in groups: with a decimal mark behind them, or with two separators at least.
std::optional<double> in_groups(std::string_view text, const NumberStyle& style) {
  for (const char separator : {',', '.'}) {
    const char mark = separator == ',' ? '.' : ',';
    if (!has_groups_of_three(text, separator, mark)) continue;
    const bool sure =
        text.find(mark) != text.npos || std::count(text.begin(), text.end(), separator) > 1;
    if (!sure) continue;
    double value = 0;
    const NumberStyle grouped{.decimal = mark, .thousands = separator, .na = style.na};
    if (read_number(text, grouped, value) == CellKind::number) return value;
  }
  return std::nullopt;
}

std::optional<double> plain_number(std::string_view text, const NumberStyle& style) {
  double value = 0;
  if (read_number(text, style, value) == CellKind::number) return value;
  return std::nullopt;
}

// The text without the sign in front of it or behind it, and whether it was there.
bool take_sign(std::string_view& text, std::string_view sign) {
  if (text.starts_with(sign))
    text.remove_prefix(sign.size());
  else if (text.ends_with(sign))
    text.remove_suffix(sign.size());
  else
    return false;
  text = trim(text);
  return !text.empty();
}

std::optional<WordedNumber> amount(std::string_view text, const NumberStyle& style) {
  // -$2.50 as well as $-2.50.
  const bool negative = text.starts_with('-') && text.size() > 1 && text[1] != '-';
  std::string_view rest = negative ? trim(text.substr(1)) : text;
  for (const std::string_view currency : kCurrencies) {
    if (!take_sign(rest, currency)) continue;
    std::optional<double> value = plain_number(rest, style);
    if (!value) value = in_groups(rest, style);
    if (!value || (negative && std::signbit(*value))) return std::nullopt;
    return WordedNumber{Wording::currency, currency, negative ? -*value : *value};
  }
  return std::nullopt;
}

// The numbers of the different texts of a column; empty where one of them is none, or is worded in
// another way. Missing ones become NaN.
std::vector<double> numbers_of(const TextColumn& column, const NumberStyle& style,
                               WordedNumber& common) {
  std::vector<double> numbers;
  bool known = false;
  for (const std::string& text : column.different()) {
    double unused = 0;
    if (read_number(text, style, unused) == CellKind::missing) {
      numbers.push_back(std::nan(""));
      continue;
    }
    const std::optional<WordedNumber> one = worded_number(text, style);
    if (!one || (known && (one->wording != common.wording || one->sign != common.sign))) return {};
    common = *one;
    known = true;
    numbers.push_back(one->value);
  }
  return numbers;
}

std::string note_about(const WordedNumber& common) {
  if (common.wording == Wording::truth) return "holds true and false: read as 1 and 0";
  return fmt::format("holds numbers with {}: read without it", common.sign);
}

}  // namespace

std::optional<WordedNumber> worded_number(std::string_view text, const NumberStyle& style) {
  text = trim(text);
  if (same_word(text, "true")) return WordedNumber{Wording::truth, {}, 1};
  if (same_word(text, "false")) return WordedNumber{Wording::truth, {}, 0};
  if (text.ends_with('%')) {
    const auto value = plain_number(trim(text.substr(0, text.size() - 1)), style);
    if (!value) return std::nullopt;
    return WordedNumber{Wording::percent, "%", *value};
  }
  return amount(text, style);
}

void take_worded_numbers(CsvValues& values, const std::vector<std::string>& names,
                         const NumberStyle& style, ColumnTypes& types, std::vector<Note>& notes) {
  std::erase_if(types.text, [&](std::size_t slot) {
    const Index place = values.columns()[slot];
    if (names_classes(names[static_cast<std::size_t>(place)])) return false;
    const TextColumn* column = values.texts(place);
    if (column == nullptr || values.tally(slot).numeric(values.rows()) > 0) return false;
    WordedNumber common;
    const std::vector<double> numbers = numbers_of(*column, style, common);
    if (numbers.empty()) return false;
    for (Index i = column->first_row(); i < values.rows(); ++i) {
      const Index text = column->rows()[static_cast<std::size_t>(i - column->first_row())];
      values.set(i, slot, numbers[static_cast<std::size_t>(text)]);
    }
    notes.push_back({column_text(place, names) + " " + note_about(common),
                     fmt::format("--label {0} or --drop {0}", place + 1)});
    types.numeric.insert(std::ranges::upper_bound(types.numeric, slot), slot);
    return true;
  });
}

}  // namespace mercer::detail
