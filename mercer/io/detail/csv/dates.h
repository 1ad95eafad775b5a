// Dates as people write them, as numbers: 2021-03-31, 31.3.2021 or 3/31/2021, perhaps with a time
// of day behind it. Whether the day or the month comes first is for the whole column to say.
#pragma once

#include <optional>
#include <string_view>

namespace mercer::detail {

/// The order of year, month and day; years have four digits.
enum class DateOrder { ymd, dmy, mdy };
constexpr int kDateOrders = 3;

/// "ymd", "dmy", "mdy".
std::string_view word_of(DateOrder order);
std::optional<DateOrder> date_order(std::string_view word);

struct DateNumbers {
  double day = 0;            // since 1970-01-01, with the time as a fraction
  double year_fraction = 0;  // of the year that has passed, from 0 up to 1
  double weekday = 0;        // 1 on Mondays to 7 on Sundays
};

/// Nothing where the text is no date in this order. Times with a zone count in UTC.
std::optional<DateNumbers> date_numbers(std::string_view text, DateOrder order);

/// The orders in which every text of a column is a date.
class DateOrders {
 public:
  void see(std::string_view text);
  /// Whether there was a text, and all of them are dates in some order.
  bool any() const { return seen_ && possible_ != 0; }
  bool has(DateOrder order) const { return (possible_ >> static_cast<int>(order)) & 1U; }
  /// The one order that is possible; nothing where there are more, or none.
  std::optional<DateOrder> only() const;

 private:
  unsigned possible_ = (1U << kDateOrders) - 1;
  bool seen_ = false;
};

}  // namespace mercer::detail
