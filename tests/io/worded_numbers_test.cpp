// Numbers in words, and columns that count the rows.
#include "mercer/io/detail/csv/worded_numbers.h"

#include "tests/io/csv_reading.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace worded_numbers_test {

using csv_reading::read;
using detail::NumberStyle;
using detail::worded_number;
using detail::Wording;

double value_of(std::string_view text, const NumberStyle& style = {}) {
  const auto number = worded_number(text, style);
  return number ? number->value : std::nan("");
}

TEST(WordedNumber, UnderstandsTruthPercentAndMoney) {
  EXPECT_EQ(value_of("True"), 1);
  EXPECT_EQ(value_of("FALSE"), 0);
  EXPECT_EQ(value_of("20%"), 20);
  EXPECT_EQ(value_of("-2.5 %"), -2.5);
  EXPECT_EQ(value_of("$2.50"), 2.5);
  EXPECT_EQ(value_of("-$2.50"), -2.5);
  EXPECT_EQ(value_of("$-2.50"), -2.5);
  EXPECT_EQ(value_of("3 €"), 3);
  EXPECT_EQ(value_of("€ 1.250.000"), 1250000);
  EXPECT_EQ(value_of("$1,250.75"), 1250.75);
  EXPECT_EQ(value_of("1.250,75 €", {.decimal = ',', .thousands = {}, .na = {}}), 1250.75);
}

TEST(WordedNumber, GuessesNothingThatCanBeReadInTwoWays) {
  for (const char* text : {"$1,250", "truth", "T", "%", "$", "$$2", "--$2", "-$-2", "20%%", "2 USD",
                           "$1,25.00", "", "t%"})
    EXPECT_FALSE(worded_number(text, {})) << text;
}

TEST(WordedColumns, AreNumbersWhereEveryCellAgrees) {
  const Table table = read("a,p,paid,ok\n1,20%,$3.50,True\n2,5.5%,$1.25,False\n3,7%,$9,True\n");
  ASSERT_EQ(table.data.dim(), 4);
  const Points x = table.data.view().to_points();
  EXPECT_EQ(x(1, 1), 5.5);
  EXPECT_EQ(x(0, 2), 3.5);
  EXPECT_EQ(x(2, 3), 1);
  EXPECT_EQ(table.data.column_names, (std::vector<std::string>{"a", "p", "paid", "ok"}));
  EXPECT_TRUE(table.data.labels.empty());
}

TEST(WordedColumns, WithACellThatDoesNotAgreeStayTexts) {
  EXPECT_EQ(read("a,p\n1,20%\n2,$3\n3,20%\n").data.dim(), 1);
  EXPECT_EQ(read("a,p\n1,$3\n2,€3\n3,$3\n").data.dim(), 1);
  EXPECT_EQ(read("a,p\n1,True\n2,maybe\n3,True\n").data.dim(), 1);
}

TEST(WordedColumns, TellAHeaderFromData) {
  const Table named = read(",price,paid\n0,$2,True\n1,$3,False\n2,$4,True\n3,$1,True\n");
  EXPECT_EQ(named.data.column_names, (std::vector<std::string>{"price", "paid"}));
  EXPECT_EQ(named.data.n(), 4);
  const Table plain = read("20%,True\n30%,False\n40%,True\n");
  EXPECT_EQ(plain.data.n(), 3);
}

TEST(WordedColumns, HaveGapsAsOthersHave) {
  const Table table = read("a,p\n1,20%\n2,NA\n3,40%\n", {.columns = {.missing = "mean"}});
  EXPECT_EQ(table.data.view().to_points()(1, 1), 30);
}

TEST(WordedColumns, ThatAreNamedAsClassesStayClasses) {
  const Table table = read("a,class\n1,True\n2,False\n3,True\n");
  EXPECT_EQ(table.data.dim(), 1);
  EXPECT_EQ(table.data.labels.classes.size(), 2U);
}

TEST(IndexColumns, ThatCountTheRowsAreTheirNames) {
  for (const char* name : {"", "index", "Unnamed: 0"}) {
    const Table table = read(std::string(name) + ",a,b\n0,5,1\n1,6,3\n2,7,2\n3,8,9\n");
    EXPECT_EQ(table.data.dim(), 2) << name;
    EXPECT_EQ(table.data.ids, (std::vector<std::string>{"0", "1", "2", "3"})) << name;
  }
}

TEST(IndexColumns, WithoutANameNeedOnlyBeWholeNumbers) {
  for (const char* name : {"", "Unnamed: 0"}) {
    const Table table = read(std::string(name) + ",a,b\n7,5,1\n2,6,3\n7,7,2\n0,8,9\n");
    EXPECT_EQ(table.data.dim(), 2) << name;
    EXPECT_EQ(table.data.ids, (std::vector<std::string>{"7", "2", "7", "0"})) << name;
    EXPECT_EQ(read(std::string(name) + ",a\n0,5\n1,6\n2,7\n4.5,8\n").data.dim(), 2) << name;
    EXPECT_EQ(read(std::string(name) + ",a\n0,5\n1,6\n2,7\n-4,8\n").data.dim(), 2) << name;
  }
}

TEST(IndexColumns, OfOtherNamesOrNumbersAreMeasurementsAndSoAreThoseAskedFor) {
  EXPECT_EQ(read("time,a\n0,5\n1,6\n2,7\n3,8\n").data.dim(), 2);
  EXPECT_EQ(read("index,a\n0,5\n1,6\n2,7\n4,8\n").data.dim(), 2);
  EXPECT_EQ(read("index,a\n0,5\n1,6\n2,7\n3,8\n", {.columns = {.only = {"index", "a"}}}).data.dim(),
            2);
}

}  // namespace worded_numbers_test
}  // namespace mercer
