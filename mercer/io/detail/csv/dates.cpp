#include "mercer/io/detail/csv/dates.h"

#include "mercer/core/text.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace mercer::detail {
namespace {

constexpr std::int64_t kSecondsOfDay = 86'400;

// What is left of a text while it is read from its front.
class DateText {
 public:
  explicit DateText(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  /// The next character, which stays; 0 at the end.
  char front() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// A number of so many digits; nothing where there are fewer.
  std::optional<int> number(int least, int most) {
    int value = 0, digits = 0;
    for (; digits < most && front() >= '0' && front() <= '9'; ++digits) {
      value = 10 * value + (front() - '0');
      rest_.remove_prefix(1);
    }
    if (digits < least) return std::nullopt;
    return value;
  }

 private:
  std::string_view rest_;
};

bool leaps(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_of_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leaps(year) ? 1 : 0);
}

int days_of_year(int year) { return leaps(year) ? 366 : 365; }

// Days from 1970-01-01 to the first of the year.
std::int64_t first_day(int year) {
  constexpr std::int64_t kTo1970 = 719'162;  // from the first day of the year 1
  const std::int64_t past = year - 1;
  return 365 * past + past / 4 - past / 100 + past / 400 - kTo1970;
}

struct CalendarDay {
  int year = 0;
  int past = 0;  // days of the year before this one
};

std::optional<CalendarDay> calendar_day(int year, int month, int day) {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
    return std::nullopt;
  CalendarDay found{year, day - 1};
  for (int m = 1; m < month; ++m) found.past += days_of_month(year, m);
  return found;
}

// Three numbers with the same mark between them.
std::optional<CalendarDay> take_day(DateText& text, DateOrder order) {
  const bool year_first = order == DateOrder::ymd;
  const auto first = year_first ? text.number(4, 4) : text.number(1, 2);
  const char mark = text.front();
  if (!first || (mark != '-' && mark != '/' && mark != '.')) return std::nullopt;
  text.take(mark);
  const auto second = text.number(1, 2);
  if (!second || !text.take(mark)) return std::nullopt;
  const auto third = year_first ? text.number(1, 2) : text.number(4, 4);
  if (!third) return std::nullopt;
  if (year_first) return calendar_day(*first, *second, *third);
  return order == DateOrder::dmy ? calendar_day(*third, *second, *first)
                                 : calendar_day(*third, *first, *second);
}

// Seconds that a zone is ahead of UTC: Z, UTC, +02:00, -0530, +02.
std::optional<std::int64_t> take_zone(DateText& text) {
  while (text.take(' ')) {
  }
  if (text.at_end() || text.take('Z')) return 0;
  if (text.take('U')) {
    if (!text.take('T') || !text.take('C')) return std::nullopt;
    return 0;
  }
  const bool behind = text.front() == '-';
  if (!text.take('+') && !text.take('-')) return std::nullopt;
  const auto hours = text.number(2, 2);
  const bool colon = text.take(':');
  const auto minutes = text.number(2, 2);
  if (!hours || *hours > 18 || (colon && !minutes) || minutes.value_or(0) > 59) return std::nullopt;
  const std::int64_t ahead = 3600 * std::int64_t{*hours} + 60 * minutes.value_or(0);
  return behind ? -ahead : ahead;
}

// Seconds of the day in UTC, which may lie on the day before or behind: 13:05, 13:05:59.25Z.
std::optional<double> take_time(DateText& text) {
  if (text.at_end()) return 0;
  if (!text.take('T') && !text.take(' ')) return std::nullopt;
  while (text.take(' ')) {
  }
  const auto hours = text.number(1, 2);
  if (!hours || *hours > 23 || !text.take(':')) return std::nullopt;
  const auto minutes = text.number(2, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  double seconds = 0;
  if (text.take(':')) {
    const auto whole = text.number(2, 2);
    if (!whole || *whole > 60) return std::nullopt;  // 60 is a leap second
    seconds = *whole;
    if (text.take('.') || text.take(',')) {
      if (text.front() < '0' || text.front() > '9') return std::nullopt;
      for (double unit = 0.1; const auto digit = text.number(1, 1); unit /= 10)
        seconds += unit * *digit;
    }
  }
  const auto ahead = take_zone(text);
  if (!ahead || !text.at_end()) return std::nullopt;
  return seconds + 60.0 * *minutes + 3600.0 * *hours - static_cast<double>(*ahead);
}

}  // namespace

std::string_view word_of(DateOrder order) {
  constexpr std::array<std::string_view, kDateOrders> kWords = {"ymd", "dmy", "mdy"};
  return kWords[static_cast<std::size_t>(order)];
}

std::optional<DateOrder> date_order(std::string_view word) {
  for (int order = 0; order < kDateOrders; ++order)
    if (word == word_of(static_cast<DateOrder>(order))) return static_cast<DateOrder>(order);
  return std::nullopt;
}

std::optional<DateNumbers> date_numbers(std::string_view text, DateOrder order) {
  DateText rest(trim(text));
  const std::optional<CalendarDay> found = take_day(rest, order);
  if (!found) return std::nullopt;
  const std::optional<double> time = take_time(rest);
  if (!time) return std::nullopt;
  CalendarDay day = *found;
  double seconds = *time;
  if (seconds < 0) {
    seconds += static_cast<double>(kSecondsOfDay);
    if (--day.past < 0) day = {day.year - 1, days_of_year(day.year - 1) - 1};
  } else if (seconds >= static_cast<double>(kSecondsOfDay)) {
    seconds -= static_cast<double>(kSecondsOfDay);
    if (++day.past == days_of_year(day.year)) day = {day.year + 1, 0};
  }
  const double part = seconds / static_cast<double>(kSecondsOfDay);
  const std::int64_t number = first_day(day.year) + day.past;
  constexpr std::int64_t kMonday = 3;  // 1970-01-01 was a Thursday
  const std::int64_t weekday = ((number + kMonday) % 7 + 7) % 7;
  return DateNumbers{static_cast<double>(number) + part,
                     (day.past + part) / static_cast<double>(days_of_year(day.year)),
                     static_cast<double>(weekday + 1)};
}

void DateOrders::see(std::string_view text) {
  seen_ = true;
  for (int order = 0; order < kDateOrders; ++order)
    if (has(static_cast<DateOrder>(order)) && !date_numbers(text, static_cast<DateOrder>(order)))
      possible_ &= ~(1U << order);
}

std::optional<DateOrder> DateOrders::only() const {
  for (int order = 0; order < kDateOrders; ++order)
    if (seen_ && possible_ == 1U << order) return static_cast<DateOrder>(order);
  return std::nullopt;
}

}  // namespace mercer::detail
