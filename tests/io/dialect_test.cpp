// How text tables are written is found from their content: see io/detail/csv/dialect.h and
// file_kind.h.
#include "tests/io/csv_reading.h"

#include <fmt/format.h>

namespace mercer {
namespace dialect_test {

using csv_reading::code_of, csv_reading::error_of, csv_reading::expect_values;
using csv_reading::has_note, csv_reading::read, csv_reading::Texts;

TEST(Dialect, FindsEveryDelimiter) {
  for (const std::string delimiter : {",", ";", "\t", "|", " ", "   ", ", "}) {
    const std::string text = "x" + delimiter + "y\n1.5" + delimiter + "2\n3" + delimiter + "-4\n";
    SCOPED_TRACE(text);
    expect_values(read(text), {{1.5, 2}, {3, -4}});
  }
}

TEST(Dialect, ReadsADecimalCommaWithSemicolonsTabsAndSpaces) {
  for (const char* text :
       {"x;y\n1,5;0,25\n2,5;-3\n", "1,5\t0,25\n2,5\t-3\n", "1,5 0,25\n2,5 -3\n"}) {
    const Table table = read(text);
    expect_values(table, {{1.5, 0.25}, {2.5, -3}});
    EXPECT_TRUE(has_note(table, "comma", "--decimal"));
  }
}

TEST(Dialect, ReadsAllKindsOfLineEndsBlankLinesAndAByteOrderMark) {
  for (const char* text : {"a,b\r\n1,2\r\n\r\n3,4\r\n", "a,b\r1,2\r3,4\r",
                           "\xEF\xBB\xBF"
                           "a,b\n\n1,2\n  \n3,4\n\n"}) {
    const Table table = read(text);
    expect_values(table, {{1, 2}, {3, 4}});
    EXPECT_EQ(table.data.column_names, (Texts{"a", "b"}));
  }
}

TEST(Dialect, SkipsTitleLinesAboveTheHeader) {
  for (const char* text :
       {"Measured in May\nx,y\n1,2\n3,4\n5,6\n", "Survey, 2020\n\nx,y,z\n1,2,3\n3,4,5\n",
        "# made by a program\n# units: m, s, kg, A\nx,y\n1,2\n3,4\n7,8\n"}) {
    const Table table = read(text);
    EXPECT_TRUE(has_note(table, "above the table skipped", "--skip")) << text;
    EXPECT_EQ(table.data.column_names[0], "x") << text;
    EXPECT_EQ(table.data.view().at(0, 1), 2) << text;
  }
  expect_values(read("1;2;3\nx,y\n1,2\n3,4\n", {.text = {.skip = 1}}), {{1, 2}, {3, 4}});
}

TEST(Dialect, AcceptsATrailingDelimiterOnEachLine) {
  for (const char* text :
       {"a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", "a,b,\n1,2\n3,4\n", "1,2,\n3,4,\n"}) {
    const Table table = read(text);
    expect_values(table, {{1, 2}, {3, 4}});
    EXPECT_TRUE(has_note(table, "end of each line")) << text;
  }
}

TEST(Dialect, ReadsANumericHeaderAsDataUnlessTold) {
  const Table table = read("2019,2020,2021\n1,2,3\n4,5,6\n");
  EXPECT_EQ(table.data.n(), 3);
  EXPECT_TRUE(has_note(table, "read as data", "--header yes"));
  const Table told = read("2019,2020,2021\n1,2,3\n4,5,6\n", {.text = {.header = true}});
  EXPECT_EQ(told.data.n(), 2);
  EXPECT_EQ(told.data.column_names[2], "2021");
}

TEST(Dialect, AsksRatherThanLosesAFirstRowThatMixesTextAndNumbers) {
  const Error error = error_of("5.1,oops\n4.9,3.0\n4.7,3.2\n");
  EXPECT_EQ(code_text(error.code()), "M204");
  EXPECT_NE(error.hint().find("--header yes"), std::string::npos);
}

TEST(Dialect, ReadsGroupsOfDigitsThatCanBeNothingElse) {
  const Table points = read("x;y\n1,234.5;1\n2,000.5;2,345\n");
  expect_values(points, {{1234.5, 1}, {2000.5, 2345}});
  EXPECT_TRUE(has_note(points, "grouped by commas", "--thousands"));
  const Table commas = read("x;y\n1.065,00;0,5\n12,25;1.073.096\n");
  expect_values(commas, {{1065, 0.5}, {12.25, 1073096}});
  EXPECT_TRUE(has_note(commas, "grouped by points", "--thousands"));
  expect_values(read("x;y\n1.234,5;0,1\n2,5;2\n"), {{1234.5, 0.1}, {2.5, 2}});
  // Names of columns say where cells end, whatever stands in the cells.
  expect_values(read("price;paid\n1.250,00 €;3,50\n12,25 €;0,75\n"), {{1250, 3.5}, {12.25, 0.75}});
  // Other cells say what the decimal mark is, in a table with commas only inside quotes.
  expect_values(read("x;y\n1,234;0.5\n2,345;2\n"), {{1234, 0.5}, {2345, 2}});
  expect_values(read("x;y\n1.234;0,5\n2.345;2\n"), {{1234, 0.5}, {2345, 2}});
  expect_values(read("x,y\n\"1,234\",0.5\n950,2\n"), {{1234, 0.5}, {950, 2}});
  expect_values(read("x,y\n\"0,25\",1\n\"2,5\",2\n"), {{0.25, 1}, {2.5, 2}});
  expect_values(read("x;y\n1,234;1\n2,345;2\n", {.text = {.decimal = '.'}}),
                {{1234, 1}, {2345, 2}});
  // Three decimals are no groups where nothing says so.
  expect_values(read("x;y\n1.234;1\n2.345;2\n"), {{1.234, 1}, {2.345, 2}});
  // A number that is not in groups of three speaks against them, late ones too.
  std::string late = "x;y\n1.065,00;0,5\n";
  for (int i = 0; i < 1000; ++i) late += "1;2\n";
  EXPECT_EQ(code_of(late + "12.5;1\n"), "M209");
}

TEST(Dialect, TellsOfTheOneColumnThatRWritesAsCategories) {
  const std::string head = "\"\",\"RI\",\"Na\",\"Type\"\n";
  std::string glass = head, all = head, bare = head;
  for (int i = 1; i < 7; ++i) {
    const int type = i % 3;
    glass += fmt::format("\"{}\",1.5{},13.{},\"{}\"\n", i, i, 7 - i, type);
    all += fmt::format("\"{}\",\"{}\",13.{},\"{}\"\n", i, i, i, type);
    bare += fmt::format("\"{}\",1.5{},13.{},{}\n", i, i, i, type);
  }
  const Table table = read(glass);
  EXPECT_TRUE(has_note(table, "\"Type\" holds whole numbers in quotes", "--label 4"));
  EXPECT_EQ(table.data.dim(), 3);
  for (const std::string& other : {all, bare})
    EXPECT_FALSE(has_note(read(other), "in quotes", "--label 4"));
  EXPECT_FALSE(has_note(read(glass, {.columns = {.label = "Type"}}), "in quotes", "--label 4"));
}

TEST(Dialect, RefusesAmbiguousThousandsUnlessTold) {
  EXPECT_EQ(code_of("x,y\n\"1,234.5\",1\n\"2,5\",2\n"), "M209");
  EXPECT_EQ(code_of("x;y\n1,234;1\n2,345;2\n"), "M209");
  expect_values(read("x;y\n1,234.5;1\n-2,000,000;2\n", {.text = {.thousands = ','}}),
                {{1234.5, 1}, {-2e6, 2}});
  expect_values(read("x;y\n1.234,5;1\n2,5;2\n", {.text = {.thousands = '.'}}),
                {{1234.5, 1}, {2.5, 2}});
  expect_values(read("x;y\n1,234;1\n2,345;2\n", {.text = {.decimal = ','}}),
                {{1.234, 1}, {2.345, 2}});
}

TEST(Dialect, RefusesOtherEncodingsAndBinaryFiles) {
  using namespace std::string_literals;
  EXPECT_EQ(code_of("\xFF\xFE"
                    "1\0,\0002\0\n\0"s),
            "M205");
  EXPECT_EQ(code_of("1\0,\0002\0\n\0003\0,\0004\0\n\0"s), "M205");
  EXPECT_EQ(code_of("\0001\0,\0002\0\n"s), "M205");
  EXPECT_NE(error_of("\xFE\xFF\0001"s).hint().find("iconv -f UTF-16BE -t UTF-8"),
            std::string::npos);
  EXPECT_EQ(code_of("a,b\n1,2\n3,\0004\n"s), "M206");
  EXPECT_EQ(code_of("\x01\x02\x03\x04\x05\x06 binary"s), "M203");
}

TEST(Dialect, SaysWhatABinaryFileLooksLike) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> kinds[] = {{"\x89PNG\r\n\x1A\n\0\0"s, "PNG"},
                                                       {"\xFF\xD8\xFF\xE0"s, "JPEG"},
                                                       {"%PDF-1.4\n"s, "PDF"},
                                                       {"\x7F"
                                                        "ELF\x02\x01"s,
                                                        "ELF"},
                                                       {"BZh91AY"s, "bzip2"},
                                                       {"PK\x03\x04"s, "zip"},
                                                       {"\x89HDF\r\n\x1A\n"s, "HDF5"},
                                                       {"PAR1\x15"s, "Parquet"},
                                                       {"SQLite format 3\0"s, "SQLite"}};
  for (const auto& kind : kinds) {
    const Error error = error_of(kind.first);
    EXPECT_EQ(code_text(error.code()), "M203") << kind.second;
    EXPECT_NE(error.message().find(kind.second), std::string::npos) << error.message();
  }
}

TEST(Dialect, RefusesOptionsThatExcludeEachOther) {
  EXPECT_EQ(code_of("1,2\n", {.text = {.delimiter = 'x'}}), "M102");
  EXPECT_EQ(code_of("1,2\n", {.text = {.decimal = ';'}}), "M102");
  EXPECT_EQ(code_of("1,2\n", {.text = {.delimiter = ',', .decimal = ','}}), "M102");
  EXPECT_EQ(code_of("1,2\n", {.text = {.decimal = '.', .thousands = '.'}}), "M102");
}

}  // namespace dialect_test
}  // namespace mercer
