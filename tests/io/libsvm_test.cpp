#include "mercer/io/table.h"
#include "tests/io/damage.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer {

const TableFormat& libsvm_format();

namespace libsvm_test {

Table read(const std::string& content, const ReadOptions& options = {},
           const Context& context = {}) {
  Source source(content, "t.svm", std::numeric_limits<std::uint64_t>::max());
  return libsvm_format().read(source, options, context);
}

Error error_of(const std::string& content, const ReadOptions& options = {}) {
  try {
    read(content, options);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "read without an error: " << content;
  return {ErrorCode::internal, "none"};
}

std::string code_of(const std::string& content, const ReadOptions& options = {}) {
  return code_text(error_of(content, options).code());
}

bool has_note(const Table& table, std::string_view text) {
  for (const Note& note : table.notes)
    if (note.text.find(text) != std::string::npos) return true;
  return false;
}

TEST(Libsvm, KeepsRowsSparseAndLabelsAsTheyAreWritten) {
  const Table table = read("# made by hand\n+1 1:0.5 3:-2e-1 # first\n-1 2:7\n\n+1 5:1.25\n");
  const DataView view = table.data;
  EXPECT_TRUE(table.data.sparse());
  EXPECT_EQ(table.format, "libsvm");
  ASSERT_EQ(table.data.n(), 3);
  ASSERT_EQ(table.data.dim(), 5);
  Points expected(3, 5);
  expected << 0.5, 0, -0.2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1.25;
  EXPECT_EQ(view.to_points(), expected);
  EXPECT_EQ(view.stored(), 4);
  EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"+1", "-1"}));
  EXPECT_EQ(table.data.labels.of_row, (std::vector<Index>{0, 1, 0}));
  EXPECT_TRUE(has_note(table, "5 columns"));
}

TEST(Libsvm, AcceptsWhatWritersDo) {
  // No newline at the end, CRLF, tabs, several labels, a row without features, explicit zeros.
  const Table table = read("1,4 1:1\t2:2 \r\n2 \r\n3.5 1:0 2:-0 3:0.0");
  ASSERT_EQ(table.data.n(), 3);
  EXPECT_EQ(table.data.dim(), 3);
  EXPECT_EQ(table.data.view().stored(), 2);
  EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"1,4", "2", "3.5"}));
}

TEST(Libsvm, CountsFromZeroWhereAnIndexIsZero) {
  const Table table = read("1 1:5 2:6\n1 0:7\n");
  EXPECT_EQ(table.data.dim(), 3);
  EXPECT_EQ(table.data.view().at(0, 1), 5);
  EXPECT_EQ(table.data.view().at(1, 0), 7);
  EXPECT_TRUE(has_note(table, "counted from 0"));
  EXPECT_FALSE(has_note(read("1 1:5\n"), "counted from 0"));
}

TEST(Libsvm, SortsARowAndRefusesAnIndexTwice) {
  const Table table = read("1 3:3 1:1 2:2\n");
  const SparseRow row = table.data.view().sparse_row(0);
  ASSERT_EQ(row.count, 3);
  for (Index k = 0; k < 3; ++k) {
    EXPECT_EQ(row.columns[k], k);
    EXPECT_EQ(row.values[k], static_cast<double>(k + 1));
  }
  const Error error = error_of("1 1:1\n# comment\n1 2:1 5:2 2:3\n");
  EXPECT_EQ(code_text(error.code()), "M440");
  EXPECT_NE(error.message().find("line 3: index 2 occurs twice"), std::string::npos)
      << error.message();
  EXPECT_EQ(code_of("1 2:0 2:1\n"), "M440");
}

TEST(Libsvm, RefusesIndicesThatAreTooLarge) {
  EXPECT_EQ(code_of("1 2147483648:1\n"), "M441");
  EXPECT_EQ(code_of("1 99999999999999999999999999:1\n"), "M441");
  // Allowed as an index, but no table has so many columns.
  EXPECT_EQ(code_of("1 2147483647:1\n"), "M215");
  EXPECT_EQ(read("1 10000000:1\n").data.dim(), 10'000'000);
}

TEST(Libsvm, NamesTheLineOfWhatItCannotRead) {
  for (const char* line : {"1 x:1", "1 1", "1 1:", "1 :1", "1 1:2:3", "1 1:abc", "1 -1:2",
                           "1 1.5:2", "1:2 3:4", "1 1:1,5", "1 1 :5"}) {
    const Error error = error_of(std::string("1 1:1\n") + line + "\n1 1:1\n");
    EXPECT_EQ(code_text(error.code()), "M440") << line;
    EXPECT_NE(error.message().find("line 2"), std::string::npos) << error.message();
    EXPECT_EQ(error.place(), "t.svm");
  }
  EXPECT_EQ(code_of("1 1:1e400\n"), "M213");
  EXPECT_EQ(code_of("# nothing\n\n"), "M202");
  EXPECT_EQ(code_of("1\n2\n"), "M211");
  const Table tiny = read("1 1:1e-400 2:1\n");
  EXPECT_TRUE(test::has_warning(tiny.warnings, WarningCode::number_underflows));
  EXPECT_EQ(tiny.data.view().stored(), 1);
}

TEST(Libsvm, TreatsMissingValuesAsAsked) {
  const std::string gaps = "1 1:1 2:nan\n2 1:3\n3 1:5 2:4\n";
  const Error error = error_of(gaps);
  EXPECT_EQ(code_text(error.code()), "M212");
  EXPECT_NE(error.message().find("line 1"), std::string::npos);
  EXPECT_EQ(code_of("1 1:inf\n", {.columns = {.missing = "mean"}}), "M212");
  const Table dropped = read(gaps, {.columns = {.missing = "drop"}});
  ASSERT_EQ(dropped.data.n(), 2);
  EXPECT_EQ(dropped.gaps.rows_dropped, 1);
  EXPECT_EQ(dropped.data.view().at(0, 0), 3);
  const Table filled = read(gaps, {.columns = {.missing = "mean"}});
  EXPECT_EQ(filled.data.view().at(0, 1), 2);  // of 0 and 4
  EXPECT_EQ(read("1 1:-99 2:1\n2 1:3\n", {.text = {.na = {"-99"}}, .columns = {.missing = "drop"}})
                .data.n(),
            1);
}

TEST(Libsvm, IgnoresQueriesWithANote) {
  const Table table = read("3 qid:1 1:0.5 2:1\n2 qid:2 1:1\n");
  EXPECT_EQ(table.data.dim(), 2);
  EXPECT_TRUE(has_note(table, "qid"));
}

TEST(Libsvm, ChoosesColumnsAndLabels) {
  const std::string content = "1 1:5 2:6 3:7\n2 3:8\n";
  const Table table = read(content, {.columns = {.only = {"3", "1"}}});
  ASSERT_TRUE(table.data.sparse());
  Points expected(2, 2);
  expected << 7, 5, 8, 0;
  EXPECT_EQ(table.data.view().to_points(), expected);
  EXPECT_TRUE(read(content, {.columns = {.label = "none"}}).data.labels.empty());
  const Table labelled = read(content, {.columns = {.label = "2"}});
  EXPECT_EQ(labelled.data.dim(), 2);
  EXPECT_EQ(labelled.data.labels.classes, (std::vector<std::string>{"6", "0"}));
  EXPECT_EQ(code_of(content, {.columns = {.drop = {"4"}}}), "M216");
  EXPECT_EQ(code_of(content, {.columns = {.drop = {"1", "2", "3"}}}), "M211");
}

// Long enough for several blocks; what stands in which line must not depend on where they are cut.
TEST(Libsvm, ReadsLongFilesInBlocksAndCountsTheirLines) {
  std::string content;
  Index rows = 0;
  while (content.size() < (std::size_t{9} << 20) + 12345) {
    content += std::to_string(rows % 7) + " 1:" + std::to_string(rows) + " " +
               std::to_string(2 + rows % 50) + ":0.25\n";
    ++rows;
  }
  for (const Index threads : {1, 3}) {
    Context context;
    context.budget.threads = threads;
    const Table table = read(content, {}, context);
    ASSERT_EQ(table.data.n(), rows);
    for (Index i = 0; i < rows; i += 997) {
      EXPECT_EQ(table.data.view().at(i, 0), static_cast<double>(i));
      EXPECT_EQ(table.data.view().at(i, 1 + i % 50), 0.25);
      EXPECT_EQ(table.data.labels.classes[static_cast<std::size_t>(
                    table.data.labels.of_row[static_cast<std::size_t>(i)])],
                std::to_string(i % 7));
    }
  }
  const Error error = error_of(content + "1 1:x\n1 1:y\n");
  EXPECT_NE(error.message().find("line " + std::to_string(rows + 1) + ":"), std::string::npos)
      << error.message();
  Context small;
  small.budget.memory = 12 << 20;
  EXPECT_EQ(test::code_of([&] { read(content, {}, small); }), "M301");
}

TEST(Libsvm, IsRecognisedByItsFirstLines) {
  const auto recognise = libsvm_format().recognise;
  EXPECT_TRUE(recognise("+1 1:0.5 3:2\n"));
  EXPECT_TRUE(recognise("# comment\n2\n1,3 qid:7 1:1e-3"));
  EXPECT_TRUE(recognise("1 1:0.5 2:0.\n1 12:0.125 13"));  // cut within a line
  for (const char* text : {"", "1\n2\n", "1,2\n3,4\n", "1 2 3\n4 5 6\n", "a 1:2\n", "1;2\n",
                           "time value\n1 10:30:15\n", "1 10:30:15\n2 10:31:15\n", "1:2 3:4\n",
                           "1 x:4\n", "1 1:2\nname 1:2\n", "1 2:\n", "{\"a\": 1}\n"})
    EXPECT_FALSE(recognise(text)) << text;
}

TEST(Libsvm, SurvivesDamage) {
  const std::string sample =
      "# c\n+1 1:0.5 3:-2e-1 # first\n-1 qid:3 2:7 9:nan\n\n1,2 0:1 2147483647:3\n2 4:inf 5:1e400";
  test::read_damaged(sample, [](const std::string& content) {
    const Table table = read(content, {.columns = {.missing = "drop"}});
    EXPECT_LE(table.data.view().stored(), 20);
    EXPECT_LE(libsvm_format().recognise(content), true);
  });
}

}  // namespace libsvm_test
}  // namespace mercer
