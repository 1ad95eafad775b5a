#include "mercer/core/random.h"
#include "mercer/io/detail/csv/opened_text.h"
#include "tests/io/csv_reading.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace mercer {
namespace csv_test {

using csv_reading::code_of, csv_reading::error_of, csv_reading::expect_values;
using csv_reading::has_note, csv_reading::has_warning, csv_reading::read, csv_reading::Texts;

TEST(Csv, ReadsNumbersUnderAHeader) {
  const Table table = read("a,b\n1,2.5\n-3,4e2\n");
  expect_values(table, {{1, 2.5}, {-3, 400}});
  EXPECT_EQ(table.data.column_names, (Texts{"a", "b"}));
  EXPECT_TRUE(table.named_columns);
  EXPECT_EQ(table.format, "csv");
  EXPECT_TRUE(has_note(table, "column names", "--header no"));
  EXPECT_TRUE(has_note(table, "commas", "--delimiter"));
}

TEST(Csv, ReadsNumbersWithoutAHeader) {
  const Table table = read("7,2\n3,4");
  expect_values(table, {{7, 2}, {3, 4}});
  EXPECT_FALSE(table.named_columns);
  EXPECT_EQ(table.data.column_names, (Texts{"col1", "col2"}));
  EXPECT_TRUE(has_note(table, "no header", "--header yes"));
}

TEST(Csv, RoundsEveryNumberAsTheStandardDoes) {
  const Random random(7);
  std::string text;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const double size =
        std::ldexp(random.uniform(2 * i), static_cast<int>(random.below(2000, 2 * i + 1)) - 1000);
    char buffer[64];
    const int digits = static_cast<int>(random.below(20, i + 9000));
    std::snprintf(buffer, sizeof buffer, "%.*g", digits + 1, i % 2 == 0 ? size : -size);
    text += std::string(buffer) + "\n";
    values.push_back(std::strtod(buffer, nullptr));
  }
  const Table table = read(text, {.text = {.header = false}});
  ASSERT_EQ(table.data.n(), 4000);
  for (Index i = 0; i < 4000; ++i)
    EXPECT_EQ(table.data.view().at(i, 0), values[static_cast<std::size_t>(i)]);
}

TEST(Csv, ReadsUnusualSpellingsOfNumbers) {
  expect_values(
      read("+1,.5,5.,1E+2,0e999,-0,123456789012345678901234567890,4.9e-324\n1,1,1,1,1,1,1,1\n"),
      {{1, 0.5, 5, 100, 0, -0.0, 123456789012345678901234567890.0, 4.9e-324},
       {1, 1, 1, 1, 1, 1, 1, 1}});
  expect_values(read("\"1\",\" 2 \"\n\"3\",\"4\"\n"), {{1, 2}, {3, 4}});
}

TEST(Csv, TakesRepeatingTextAsLabelsAndDistinctTextAsIds) {
  const Table table = read("name,x,kind,town\np1,1,a,A\np2,2,b,B\np3,3,a,A\n");
  expect_values(table, {{1}, {2}, {3}});
  EXPECT_EQ(table.data.ids, (Texts{"p1", "p2", "p3"}));
  EXPECT_EQ(table.data.labels.name, "kind");
  EXPECT_EQ(table.data.labels.classes, (Texts{"a", "b"}));
  EXPECT_EQ(table.data.labels.of_row, (std::vector<Index>{0, 1, 0}));
  EXPECT_TRUE(has_note(table, "\"kind\"", "--label"));
  EXPECT_TRUE(has_note(table, "\"town\" is text and set aside", "--label"));
}

TEST(Csv, TakesANumericColumnAsLabelsWhenAsked) {
  for (const char* label : {"digit", "3"}) {
    const Table table = read("x,y,digit\n1,2,7\n3,4,1\n5,6,7\n", {.columns = {.label = label}});
    expect_values(table, {{1, 2}, {3, 4}, {5, 6}});
    EXPECT_EQ(table.data.labels.classes, (Texts{"7", "1"}));
  }
}

TEST(Csv, TakesWholeNumbersUnderTheNameLabelOrClassAsLabels) {
  for (const char* name : {"label", "Class", "LABEL"}) {
    const Table table = read(std::string("x,y,") + name + "\n1,2,7\n3,4,1\n5,6,7\n");
    expect_values(table, {{1, 2}, {3, 4}, {5, 6}});
    EXPECT_EQ(table.data.labels.name, name);
    EXPECT_EQ(table.data.labels.classes, (Texts{"7", "1"}));
    EXPECT_TRUE(has_note(table, "used as labels (2 classes)", "--label none"));
  }
}

TEST(Csv, KeepsAColumnNamedLabelAsNumbersWhenToldOrWhenItIsNoListOfClasses) {
  const std::string text = "x,label\n1,7\n3,1\n";
  const Table none = read(text, {.columns = {.label = "none"}});
  expect_values(none, {{1}, {3}});
  EXPECT_TRUE(none.data.labels.empty());
  EXPECT_TRUE(has_note(none, "\"label\" is called as classes are: set aside", "--columns"));
  expect_values(read(text, {.columns = {.label = "none", .keep_texts = true}}), {{1, 7}, {3, 1}});
  expect_values(read(text, {.columns = {.only = {"label", "x"}}}), {{7, 1}, {1, 3}});
  expect_values(read(text, {.columns = {.label = "x"}}), {{7}, {1}});
  expect_values(read("x,label\n1,0.5\n3,1\n"), {{1, 0.5}, {3, 1}});
  expect_values(read("label\n1\n3\n"), {{1}, {3}});
  expect_values(read("x,labels\n1,2\n3,4\n"), {{1, 2}, {3, 4}});
}

TEST(Csv, TakesAnEmptyCellAmongClassesThatAreNumbersForARowWithoutClass) {
  const Table table = read("x,label\n1,\n3,4\n5,NA\n");
  expect_values(table, {{1}, {3}, {5}});
  EXPECT_EQ(table.data.labels.count(), 1);
  EXPECT_EQ(code_of("x,label\n1,\n3,4.5\n"), "M212");  // a measurement with a gap
}

TEST(Csv, PrefersTextUnderTheNameLabelToNumbersUnderTheNameClass) {
  const Table table = read("class,label,x\n1,a,5\n2,a,6\n");
  expect_values(table, {{5}, {6}});
  EXPECT_EQ(table.data.labels.name, "label");
  EXPECT_TRUE(has_note(table, "\"class\" is called as classes are", "--label class"));
}

TEST(Csv, ReadsACommonWordAsClassesOnlyWhereItsNumbersComeOften) {
  const auto classes_of = [](int rows, int different, double step) {
    std::string text = "x,y,target\n";
    for (int i = 0; i < rows; ++i)
      text += std::to_string(i * i % 13) + "," + std::to_string(i % 7) + "," +
              std::to_string(step * (i % different)) + "\n";
    const Table table = read(text);
    EXPECT_EQ(table.data.dim(), 2);
    EXPECT_EQ(table.use.set_aside.size(), 1U);
    return table.data.labels.classes.size();
  };
  EXPECT_EQ(classes_of(30, 2, 1), 2U);
  EXPECT_EQ(classes_of(30, 15, 1), 15U);
  EXPECT_EQ(classes_of(30, 16, 1), 0U);    // half of them come once
  EXPECT_EQ(classes_of(100, 25, 1), 0U);   // many, four times each
  EXPECT_EQ(classes_of(300, 30, 1), 30U);  // many, ten times each
  EXPECT_EQ(classes_of(30, 3, 0.5), 0U);   // not whole
}

TEST(Csv, ListsEveryColumnThatIsNoMeasurement) {
  const Table table = read("id,x,kind,town,none,class\na,1,u,p,,0\nb,2,u,q,,1\nc,3,v,q,,0\n",
                           {.columns = {.drop = {"none"}, .label = "kind"}});
  ASSERT_EQ(table.use.set_aside_count, 5);
  const auto reason = [&](std::string_view name) {
    for (const SetAside& column : table.use.set_aside)
      if (column.name == name) return column.reason;
    return std::string();
  };
  EXPECT_EQ(reason("id"), aside::kRowNames);
  EXPECT_EQ(reason("kind"), aside::kLabels);
  EXPECT_EQ(reason("town"), aside::kText);
  EXPECT_EQ(reason("none"), aside::kDropped);
  EXPECT_EQ(reason("class"), aside::kCalledClasses);
  EXPECT_EQ(table.use.width, 6);
  EXPECT_EQ(table.use.places, std::vector<Index>{1});
}

TEST(Csv, SetsTextAsideWhenNoColumnIsToHoldTheClasses) {
  const Table table = read("x,kind\n1,a\n2,a\n", {.columns = {.label = "none"}});
  expect_values(table, {{1}, {2}});
  EXPECT_TRUE(table.data.labels.empty());
  EXPECT_TRUE(has_note(table, "\"kind\" is text and set aside"));
  EXPECT_EQ(read("x,none\n1,a\n2,a\n", {.columns = {.label = "none"}}).data.labels.name, "none");
}

TEST(Csv, TakesDatesAsText) {
  const Table table = read("day,x\n2020-01-01,1\n2020-01-02,2\n");
  expect_values(table, {{1}, {2}});
  EXPECT_EQ(table.data.ids[1], "2020-01-02");
}

TEST(Csv, ReadsQuotesWithDelimitersLineEndsAndQuotesInside) {
  const Table table =
      read("\"a,1\",kind\n1,\"x \"\"y\"\"\nz\"\n2,\"x \"\"y\"\"\nz\"\n\"3\",plain\n");
  expect_values(table, {{1}, {2}, {3}});
  EXPECT_EQ(table.data.column_names[0], "a,1");
  EXPECT_EQ(table.data.labels.classes, (Texts{"x \"y\"\nz", "plain"}));
}

TEST(Csv, KeepsAQuoteInTheMiddleOfACell) {
  const Table table = read("x,size\n1,5\" pipe\n2,5\" pipe\n");
  EXPECT_EQ(table.data.labels.classes, (Texts{"5\" pipe"}));
}

TEST(Csv, CountsLinesInsideQuotesWhenItNamesAPlace) {
  const Error error = error_of("x,kind\n1,\"a\nb\"\n2,\"a\n\nb\"\noops,c\n3,c\n");
  EXPECT_EQ(code_text(error.code()), "M204");
  EXPECT_EQ(error.place().substr(0, 10), "t.csv:7:1 ");
}

TEST(Csv, KeepsAndDropsColumnsByNameAndNumber) {
  const std::string text = "a,b,c,k\n1,2,3,u\n4,5,6,u\n";
  Table table = read(text, {.columns = {.only = {"c", "1"}}});
  expect_values(table, {{3, 1}, {6, 4}});
  EXPECT_EQ(table.data.column_names, (Texts{"c", "a"}));
  EXPECT_TRUE(table.data.labels.empty());
  table = read(text, {.columns = {.drop = {"b", "3"}}});
  expect_values(table, {{1}, {4}});
  EXPECT_EQ(table.data.labels.classes, (Texts{"u"}));
}

TEST(Csv, RefusesUnknownColumnsWithASuggestion) {
  const Error error = error_of("width,height\n1,2\n3,4\n", {.columns = {.drop = {"widht"}}});
  EXPECT_EQ(code_text(error.code()), "M216");
  EXPECT_NE(error.hint().find("width"), std::string::npos);
  EXPECT_EQ(code_of("1,2\n3,4\n", {.columns = {.only = {"3"}}}), "M216");
  EXPECT_EQ(code_of("1,2\n3,4\n", {.columns = {.only = {"0"}}}), "M216");
  EXPECT_EQ(code_of("1,2\n3,4\n", {.columns = {.label = "kind"}}), "M216");
}

TEST(Csv, RenamesDuplicateAndEmptyColumnNames) {
  const Table table = read("x,x,,x.1,x\n1,2,3,4,5\n6,7,8,9,0\n");
  EXPECT_EQ(table.data.column_names, (Texts{"x", "x.2", "col3", "x.1", "x.3"}));
  EXPECT_TRUE(has_warning(table, WarningCode::duplicate_names));
  EXPECT_EQ(read("x,x\n1,2\n").data.column_names, (Texts{"x", "x.1"}));
}

TEST(Csv, NamesTheTextInANumericColumnWithItsPlaceAndRows) {
  const Error error = error_of("a,width\n1,2\n1,n/a\n1,3\n1,4\n1,n/a\n");
  EXPECT_EQ(code_text(error.code()), "M204");
  EXPECT_EQ(error.message(), "column \"width\" has text in a numeric column");
  EXPECT_EQ(error.place(), "t.csv:3:2   value \"n/a\" (2 such rows: 3, 6)");
  EXPECT_NE(error.hint().find("--na \"n/a\" --missing drop"), std::string::npos);
  EXPECT_EQ(
      read("a,width\n1,2\n1,n/a\n1,3\n", {.text = {.na = {"n/a"}}, .columns = {.missing = "drop"}})
          .gaps.rows_dropped,
      1);
  EXPECT_EQ(read("a,width\n1,2\n1,n/a\n1,3\n", {.columns = {.drop = {"width"}}}).data.dim(), 1);
}

TEST(Csv, TreatsHexadecimalNumbersAsText) { EXPECT_EQ(code_of("x\n1\n0x1p3\n2\n"), "M204"); }

TEST(Csv, RefusesRaggedRowsWithLineAndCounts) {
  const Error fewer = error_of("a,b,c\n1,2,3\n4,5\n6,7,8\n");
  EXPECT_EQ(code_text(fewer.code()), "M207");
  EXPECT_EQ(fewer.message(), "line 3 has 2 cells, the header has 3");
  EXPECT_EQ(fewer.place(), "t.csv:3");
  EXPECT_EQ(code_of("a,b,c\n1,2,3\n4,5,6,7\n"), "M207");
  EXPECT_EQ(code_of("a,b\n1,2,3\n4,5,6\n"), "M207");
  EXPECT_EQ(code_of("1,2\n1,2,3\n4,5,6\n"), "M207");
  EXPECT_EQ(code_of("1,2,\n3,4,\n5,6,7\n", {.text = {.header = false}}), "M212");
}

TEST(Csv, NamesTheLineOfAnUnclosedQuote) {
  const Error error = error_of("a,b\n1,x\n2,\"y\n3,z\n");
  EXPECT_EQ(code_text(error.code()), "M208");
  EXPECT_EQ(error.place(), "t.csv:3");
  EXPECT_EQ(code_of("\""), "M208");
  EXPECT_EQ(code_of("\"a,b\n1,2\n", {.columns = {.label = "b"}}), "M208");
}

TEST(Csv, CountsMissingCellsAndNamesTheFirst) {
  const Error error = error_of("a,b\n1,NA\n,2\n3,\n4,?\n5,5\n6,6\n");
  EXPECT_EQ(code_text(error.code()), "M212");
  EXPECT_EQ(error.place(), "t.csv:2:2");
  EXPECT_NE(error.message().find("4 missing values in 6 rows (column \"a\": 1, column \"b\": 3)"),
            std::string::npos)
      << error.message();
  EXPECT_NE(error.hint().find("--missing drop"), std::string::npos);
}

TEST(Csv, KnowsTheUsualTextsForMissing) {
  for (const char* na : {"", "NA", "N/A", "NaN", "nan", "null", "?", "None", "-", "missing!"}) {
    const std::string text = std::string("a,b,k\n1,2,u\n") + na + ",4,v\n5,6,u\n";
    const Table table = read(text, {.text = {.na = {"missing!"}}, .columns = {.missing = "drop"}});
    expect_values(table, {{1, 2}, {5, 6}});
    EXPECT_EQ(table.gaps.rows_dropped, 1);
    EXPECT_EQ(table.data.labels.of_row.size(), 2U);
  }
}

TEST(Csv, FillsMissingCellsWithMeanOrMedian) {
  const std::string text = "a,b\n1,2\n,4\n3,9\n8,NA\n";
  const Table mean = read(text, {.columns = {.missing = "mean"}});
  expect_values(mean, {{1, 2}, {4, 4}, {3, 9}, {8, 5}});
  EXPECT_EQ(mean.gaps.cells_filled, 2);
  expect_values(read(text, {.columns = {.missing = "median"}}), {{1, 2}, {3, 4}, {3, 9}, {8, 4}});
  EXPECT_EQ(code_of(text, {.columns = {.missing = "zero"}}), "M102");
}

TEST(Csv, NeverFillsInInfinity) {
  for (const char* text : {"x\n1\ninf\n", "x\n1\n-Infinity\n", "x\n1\n+INF\n"})
    for (const char* policy : {"error", "drop", "mean"})
      EXPECT_EQ(code_of(text, {.columns = {.missing = policy}}), "M212");
  EXPECT_EQ(read("x\n1\ninf\n", {.text = {.na = {"inf"}}, .columns = {.missing = "drop"}}).data.n(),
            1);
}

TEST(Csv, RefusesOverflowAndWarnsOfUnderflow) {
  const Error error = error_of("x\n1\n1e400\n");
  EXPECT_EQ(code_text(error.code()), "M213");
  EXPECT_EQ(error.place().substr(0, 9), "t.csv:3:1");
  EXPECT_EQ(code_of("x\n1\n" + std::string(400, '9') + "\n"), "M213");
  const Table table = read("x,y\n1,0." + std::string(400, '0') + "1\n-1e-400,2\n");
  expect_values(table, {{1, 0}, {0, 2}});
  EXPECT_TRUE(has_warning(table, WarningCode::number_underflows));
}

TEST(Csv, RefusesEmptyFilesHeadersAloneAndTextAlone) {
  for (const char* text : {"", "\n", "\r\n\r\n", "  \n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"})
    EXPECT_EQ(code_of(text), "M201");
  EXPECT_EQ(code_of("1,2\n3,4\n", {.text = {.skip = 2}}), "M201");
  EXPECT_EQ(code_of("a,b,c\n"), "M202");
  const Error error = error_of("name,town\nx,A\ny,B\n");
  EXPECT_EQ(code_text(error.code()), "M211");
  EXPECT_NE(error.message().find("\"name\", column \"town\""), std::string::npos)
      << error.message();
  EXPECT_EQ(code_of("a\n1\n2\n", {.columns = {.drop = {"a"}}}), "M211");
}

TEST(Csv, ReplacesLatin1BytesInLabelsAndNames) {
  const Table table = read(
      "x,Stra\xDF"
      "e\n1,K\xF6ln\n2,K\xF6ln\n");
  EXPECT_TRUE(has_warning(table, WarningCode::labels_replaced));
  EXPECT_EQ(table.data.labels.classes[0], "K\xEF\xBF\xBDln");
  EXPECT_EQ(table.data.labels.name,
            "Stra\xEF\xBF\xBD"
            "e");
  EXPECT_FALSE(has_warning(read("x,k\n1,K\xC3\xB6ln\n"), WarningCode::labels_replaced));
}

TEST(Csv, ShowsControlCharactersOfNamesEscaped) {
  const Error error = error_of("a\x1B[31m,b\n1,2\nred,3\n4,5\n");
  EXPECT_EQ(error.message().find('\x1B'), std::string::npos);
}

TEST(Csv, LeavesOutEmptyColumnsAndNotesRowCounters) {
  const Table table = read("day,x,e,y\n1,2,,3\n2,5,,6\n3,7,,8\n4,9,,0\n");
  EXPECT_EQ(table.data.column_names, (Texts{"day", "x", "y"}));
  EXPECT_TRUE(has_note(table, "\"e\" is empty"));
  EXPECT_TRUE(has_note(table, "\"day\" counts the rows", "--drop 1"));
}

TEST(Csv, TakesAFirstColumnOfIdsForRowNames) {
  for (const char* text : {"id,x,y\n1,2,3\n2,5,6\n3,7,8\n4,9,0\n",
                           "Id,x,y\n1017023,2,3\n1016277,5,6\n1017023,7,8\n3,9,0\n"}) {
    const Table table = read(text);
    EXPECT_EQ(table.data.column_names, (Texts{"x", "y"}));
    EXPECT_EQ(table.data.ids.size(), 4U);
  }
  EXPECT_EQ(read("id,x,y\n1.5,2,3\n2,5,6\n3,7,8\n4,9,0\n").data.dim(), 3);  // measured
  EXPECT_EQ(read("x,id,y\n2,1,3\n5,2,6\n7,3,8\n9,4,0\n").data.dim(), 3);    // not the first
}

TEST(Csv, HasLimitsOnLinesAndColumns) {
  std::vector<Note> notes;
  const auto code = [&](std::string_view text) {
    try {
      Source source(text, "t.csv", 1 << 20);
      detail::PieceReader reader(source, {.line_bytes = 10, .columns = 3});
      detail::open_text(reader, {}, notes);
    } catch (const Error& error) {
      return code_text(error.code());
    }
    return std::string("none");
  };
  EXPECT_EQ(code("1,2,3\n1,2,3\n4,5,6\n"), "none");
  EXPECT_EQ(code("1,2,3\n111111,222222\n"), "M214");
  EXPECT_EQ(code("111111,222222"), "M214");
  EXPECT_EQ(code("1,2,3,4\n1,2,3,4\n"), "M215");
}

TEST(Csv, RefusesATableOverTheMemoryBudgetBeforeReadingIt) {
  Context context;
  context.budget.memory = 1000;
  std::string text;
  for (Index i = 0; i < 100; ++i) text += "1,2,3\n";
  EXPECT_EQ(code_text(error_of(text, {}, context).code()), "M301");
  // One long row and many short ones: the rows cannot all be long.
  const std::string mean = std::string(3000, ',') + "\n" + std::string(3000, '\n');
  context.budget.memory = 200'000;
  EXPECT_NE(code_text(error_of(mean, {.text = {.header = false}}, context).code()), "M301");
}

TEST(Csv, StopsWhenCancelledAndReportsProgress) {
  Context context;
  double last = 0;
  context.observer.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.phase, "read");
    last = progress.done;
  };
  read("1,2\n3,4\n", {}, context);
  EXPECT_EQ(last, 1);
  context.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_text(error_of("1,2\n3,4\n", {}, context).code()), "M001");
}

}  // namespace csv_test
}  // namespace mercer
