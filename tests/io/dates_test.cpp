// Dates against the calendar of the standard library, and what is no date.
#include "mercer/io/detail/csv/dates.h"

#include "tests/io/csv_reading.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace mercer {
namespace dates_test {

using csv_reading::code_of;
using csv_reading::error_of;
using csv_reading::read;
using detail::date_numbers;
using detail::DateNumbers;
using detail::DateOrder;
using detail::DateOrders;

ReadOptions encoding(const std::string& as) { return {.columns = {.encode = {{as, {"d"}}}}}; }

// Every few days of four centuries and beyond, so that each kind of year is met at both its ends.
TEST(Dates, AreThoseOfTheCalendar) {
  using namespace std::chrono;
  for (sys_days day = sys_days{year{1581} / 12 / 28}; day < sys_days{year{2105} / 1 / 5};
       day += days{1}) {
    const year_month_day date(day);
    const int y = static_cast<int>(date.year());
    const auto m = static_cast<unsigned>(date.month()), d = static_cast<unsigned>(date.day());
    if (d > 2 && d < 27) continue;
    const auto first = sys_days{date.year() / 1 / 1},
               next = sys_days{(date.year() + years{1}) / 1 / 1};
    const std::string texts[] = {fmt::format("{:04}-{:02}-{:02}", y, m, d),
                                 fmt::format("{}.{}.{:04}", d, m, y),
                                 fmt::format("{}/{:02}/{:04}", m, d, y)};
    for (int order = 0; order < detail::kDateOrders; ++order) {
      const auto found = date_numbers(texts[order], static_cast<DateOrder>(order));
      ASSERT_TRUE(found) << texts[order];
      EXPECT_EQ(found->day, day.time_since_epoch().count()) << texts[order];
      EXPECT_EQ(found->weekday, weekday(day).iso_encoding()) << texts[order];
      EXPECT_DOUBLE_EQ(found->year_fraction, static_cast<double>((day - first).count()) /
                                                 static_cast<double>((next - first).count()));
    }
  }
}

double day_of(std::string_view text) {
  const auto found = date_numbers(text, DateOrder::ymd);
  return found ? found->day : std::nan("");
}

TEST(Dates, HaveTimesAndZones) {
  EXPECT_EQ(day_of("1970-01-02T06:00:00"), 1.25);
  EXPECT_EQ(day_of("1970-01-02 06:00"), 1.25);
  EXPECT_EQ(day_of("1970-01-02T06:00:00Z"), 1.25);
  EXPECT_EQ(day_of("1970-01-02 06:00:00 UTC"), 1.25);
  EXPECT_EQ(day_of("1970-01-02 06:00:00+00:00"), 1.25);
  EXPECT_EQ(day_of("1970-01-01T22:00:00-0800"), 1.25);
}

TEST(Dates, AreNothingElse) {
  for (const char* text :
       {"2021-02-29", "2021-13-01", "2021-00-10", "2021-04-31", "0000-01-01", "21-01-01", "2021-01",
        "2021-01-01T", "2021-01-01T25:00", "2021-01-01 10:60", "2021-01-01x", "2021-01/01",
        "2021 01 01", "20210101", "2021-01-01 10:00:00.", "2021-1-1-1", ""})
    EXPECT_FALSE(date_numbers(text, DateOrder::ymd)) << text;
  EXPECT_FALSE(date_numbers("31.12.21", DateOrder::dmy));
  EXPECT_FALSE(date_numbers("12/31/2021", DateOrder::dmy));
}

TEST(Dates, OfAColumnSayTogetherWhichNumberIsTheDay) {
  DateOrders orders;
  orders.see("01/02/2021");
  EXPECT_TRUE(orders.any() && !orders.only());
  orders.see("01/13/2021");
  EXPECT_EQ(orders.only(), DateOrder::mdy);
  orders.see("13/01/2021");
  EXPECT_FALSE(orders.any());
}

TEST(Dates, BecomeThreeColumnsBehindTheOthers) {
  const Table table = read("d,x\n2021-03-31,1\n,2\n2021-04-01 12:00,4\n",
                           {.columns = {.encode = {{"date", {"d"}}}, .missing = "keep"}});
  EXPECT_EQ(table.data.column_names,
            (std::vector<std::string>{"x", "d.day", "d.year_fraction", "d.weekday"}));
  EXPECT_EQ(table.data.view().at(0, 1), 18717);
  EXPECT_TRUE(std::isnan(table.data.view().at(1, 1)) && std::isnan(table.data.view().at(1, 3)));
  EXPECT_EQ(table.data.view().at(2, 1), 18718.5);
  EXPECT_EQ(table.data.view().at(2, 3), 4);
  ASSERT_EQ(table.use.encoded.size(), 1U);
  EXPECT_EQ(table.use.encoded[0].as, "date");
  EXPECT_EQ(table.use.encoded[0].format, "ymd");
}

TEST(Dates, ThatCanBeReadInTwoWaysAreAskedFor) {
  const char* text = "x,d\n1,01/02/2021\n2,03/04/2021\n";
  EXPECT_EQ(code_of(text, encoding("date")), "M282");
  EXPECT_NE(error_of(text, encoding("date")).hint().find("date-dmy:d"), std::string::npos);
  EXPECT_EQ(read(text, encoding("date-dmy")).data.view().at(0, 1), 18659);  // 1 February
  EXPECT_EQ(read(text, encoding("date-mdy")).data.view().at(0, 1), 18629);  // 2 January
}

TEST(Dates, OfNewRowsAreWrittenAsThoseOfTheFit) {
  const Table fitted = read("x,d\n1,31.1.2021\n2,1.2.2021\n", encoding("date"));
  ReadOptions known;
  known.columns.known.names = {"x", "d"};
  known.columns.known.encoded = fitted.use.encoded;
  EXPECT_EQ(read("x,d\n1,02.01.2021\n", known).data.view().at(0, 1), 18629);
  const Error error = error_of("x,d\n1,1.2.2021\n3,2021-02-01\n", known);
  EXPECT_EQ(code_text(error.code()), "M282");
  EXPECT_NE(error.place().find("row 2"), std::string::npos) << error.place();
  EXPECT_NE(error.message().find("day.month.year"), std::string::npos) << error.message();
}

TEST(Dates, AreNeitherClassesNorNamesOfRowsBesideOthers) {
  const Table table = read("when,id,x\n2021-01-01,a,1\n2021-01-02,b,2\n2021-01-03,c,4\n");
  EXPECT_EQ(table.texts.ids_name, "id");
  EXPECT_TRUE(csv_reading::has_note(table, "\"when\" holds dates: set aside", "--encode date"));
  const Table repeated = read("when,kind,x\n2021-01-01,a,1\n2021-01-01,a,2\n2021-01-03,c,4\n");
  EXPECT_EQ(repeated.data.labels.name, "kind");
  const Table alone = read("x,when\n1,2021-01-01\n2,2021-01-01\n4,2021-01-03\n");
  EXPECT_TRUE(alone.data.labels.empty() && alone.data.ids.empty());
}

}  // namespace dates_test
}  // namespace mercer
