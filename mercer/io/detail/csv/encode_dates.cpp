#include "mercer/io/detail/csv/encode_dates.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/csv/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

constexpr std::string_view kDate = "date", kOrder = "date-";

std::string place_of_text(const EncodedColumn& column, std::size_t text, const std::string& file) {
  const auto row = std::ranges::find(column.of_row, static_cast<Index>(text));
  return fmt::format("{}, row {}, column \"{}\"", file, row - column.of_row.begin() + 1,
                     printable(column.encoding.column));
}

[[noreturn]] void refuse_text(const EncodedColumn& column, std::size_t text, const std::string& how,
                              const std::string& file) {
  throw Error(
      ErrorCode::not_a_date,
      fmt::format("column \"{}\": \"{}\" is no date{}", printable(column.encoding.column),
                  printable(column.texts[text]), how),
      fmt::format("treat it as missing, --na \"{}\" --missing drop, or leave the column out",
                  printable(column.texts[text])),
      place_of_text(column, text, file));
}

[[noreturn]] void refuse_two_ways(const EncodedColumn& column, std::size_t text,
                                  const std::string& file) {
  const std::string name = printable(column.encoding.column);
  throw Error(
      ErrorCode::not_a_date,
      fmt::format("column \"{}\": is the day or the month first in \"{}\", and in all others?",
                  name, printable(column.texts[text])),
      fmt::format("say which: --encode date-dmy:{0} or --encode date-mdy:{0}", name),
      place_of_text(column, text, file));
}

// In which order all texts of the column are dates.
DateOrder order_of(const EncodedColumn& column, const NumberStyle& style, const std::string& file) {
  DateOrders orders;
  std::size_t first = column.texts.size();
  for (std::size_t t = 0; t < column.texts.size(); ++t) {
    if (is_missing(column.texts[t], style)) continue;
    first = std::min(first, t);
    orders.see(column.texts[t]);
    if (!orders.any()) refuse_text(column, t, t == first ? "" : " as those before it are", file);
  }
  if (first == column.texts.size())
    throw Error(ErrorCode::not_a_date,
                fmt::format("column \"{}\" is empty: there is no date in it",
                            printable(column.encoding.column)),
                "leave it out", file);
  if (const auto only = orders.only()) return *only;
  refuse_two_ways(column, first, file);
}

}  // namespace

bool encodes_dates(std::string_view word) { return word == kDate || word.starts_with(kOrder); }

Points read_dates(EncodedColumn& column, const NumberStyle& style, const std::string& file) {
  Encoding& encoding = column.encoding;
  std::optional<DateOrder> order;
  if (encoding.as.starts_with(kOrder)) encoding.format = encoding.as.substr(kOrder.size());
  if (!encoding.format.empty()) order = date_order(encoding.format);
  if (!order) order = order_of(column, style, file);
  encoding.as = kDate;
  encoding.format = word_of(*order);
  constexpr const char* kForms[] = {" as year-month-day", " as day.month.year",
                                    " as month/day/year"};
  const std::string how = std::string(kForms[static_cast<std::size_t>(*order)]) +
                          (column.known ? ", the order of the fit" : "");
  Points numbers(static_cast<Index>(column.texts.size()), 3);
  for (std::size_t t = 0; t < column.texts.size(); ++t) {
    auto row = numbers.row(static_cast<Index>(t));
    row.setConstant(std::nan(""));
    if (is_missing(column.texts[t], style)) continue;
    const auto date = date_numbers(column.texts[t], *order);
    if (!date) refuse_text(column, t, how, file);
    row << date->day, date->year_fraction, date->weekday;
  }
  return numbers;
}

}  // namespace mercer::detail
