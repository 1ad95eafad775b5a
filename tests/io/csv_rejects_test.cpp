// Rows that cannot be read, put into a file; and row names as R writes them.
#include "mercer/io/detail/csv/table.h"
#include "tests/io/csv_reading.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace mercer {
namespace csv_rejects_test {

namespace fs = std::filesystem;
using csv_reading::code_of, csv_reading::error_of, csv_reading::expect_values;
using csv_reading::has_note, csv_reading::read, csv_reading::Texts;

class Rejects : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("mercer_rejects_" + std::to_string(getpid()));
    fs::create_directory(folder_);
    path_ = (folder_ / "bad.csv").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string rejects() const {
    std::stringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder_;
  std::string path_;
};

const std::string kText =
    "id,x,y,kind\n"
    "a,1,2,u\n"
    "b,oops,4,u\n"
    "c,5\n"
    "d,7,,v\n"
    "e,9,1e400,v\n"
    "f,inf,12,u\n"
    "g,13,14,v,\"w, x\"\n"
    "h,15,16,v\n"
    "i,no,none,v\n"
    "j,19,20,u\n";

TEST_F(Rejects, LeavesOutRowsThatCannotBeReadAndTellsWhy) {
  const Table table = read(kText, {.rejects = path_});
  expect_values(table, {{1, 2}, {15, 16}, {19, 20}});
  EXPECT_EQ(table.gaps.rows_rejected, 7);
  EXPECT_EQ(table.data.ids, (Texts{"a", "h", "j"}));
  EXPECT_EQ(table.data.labels.classes, (Texts{"u", "v"}));
  EXPECT_EQ(table.data.labels.of_row, (std::vector<Index>{0, 1, 0}));
  EXPECT_TRUE(has_note(table, "7 rows that cannot be read", "--rejects"));
  EXPECT_EQ(rejects(),
            "line,column,code,reason,text\n"
            "3,x,M204,text in a numeric column,oops\n"
            "4,,M207,2 cells instead of 4,\"c,5\"\n"
            "5,y,M212,missing value,\n"
            "6,y,M213,beyond the largest double,1e400\n"
            "7,x,M212,infinite value,inf\n"
            "8,,M207,5 cells instead of 4,\"g,13,14,v,\"\"w, x\"\"\"\n"
            "10,x,M204,text in a numeric column,no\n");
}

TEST_F(Rejects, GivesTheSameInPieces) {
  for (const Index size : {1, 20, 50}) {
    Source source(kText, "t.csv", 1 << 30);
    const Table table =
        detail::read_text_table(source, {.rejects = path_}, {}, {.piece_bytes = size});
    const std::string pieces = rejects();
    const Table whole = read(kText, {.rejects = path_});
    EXPECT_EQ(pieces, rejects());
    EXPECT_EQ(table.data.view().to_points(), whole.data.view().to_points());
    EXPECT_EQ(table.data.ids, whole.data.ids);
    EXPECT_EQ(table.data.labels.of_row, whole.data.labels.of_row);
  }
}

TEST_F(Rejects, LeavesMissingValuesToTheirOwnPolicy) {
  const Table dropped = read(kText, {.columns = {.missing = "drop"}, .rejects = path_});
  EXPECT_EQ(dropped.gaps.rows_rejected, 6);
  EXPECT_EQ(dropped.gaps.rows_dropped, 1);
  const Table filled = read(kText, {.columns = {.missing = "median"}, .rejects = path_});
  expect_values(filled, {{1, 2}, {7, 16}, {15, 16}, {19, 20}});
}

TEST_F(Rejects, WritesNoFileWhereThereIsNothingToReject) {
  EXPECT_EQ(read("x,y\n1,2\n3,4\n", {.rejects = path_}).gaps.rows_rejected, 0);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Rejects, KeepsErrorsOfTheWholeTable) {
  EXPECT_EQ(code_of("x,y\n1,2\n3,\"4\n", {.rejects = path_}), "M208");
  EXPECT_EQ(code_of("x;y\n1,234;1\n2,345;2\n", {.rejects = path_}), "M209");
  EXPECT_EQ(code_of("x,y\n1,2,3\n1\n4,5,6,7\n", {.rejects = path_}), "M202");
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_EQ(code_of("x,y\n1,2\n3\n", {.rejects = (folder_ / "no/bad.csv").string()}), "M402");
}

TEST_F(Rejects, ShowsControlCharactersEscapedAndLongRowsCut) {
  read("x,y\n1,2\n3,\x1B[2J\n5,6\n7,8," + std::string(5000, '9') + "\n", {.rejects = path_});
  EXPECT_EQ(rejects().find('\x1B'), std::string::npos);
  EXPECT_LT(rejects().size(), 500U);
}

TEST(RowNames, AreReadAsRWritesThem) {
  const Table spaced = read("\"a\" \"b\"\n\"1\" 1.5 2\n\"2\" 3 4\n\"3\" 5 6\n");
  expect_values(spaced, {{1.5, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(spaced.data.column_names, (Texts{"a", "b"}));
  EXPECT_EQ(spaced.data.ids, (Texts{"1", "2", "3"}));
  EXPECT_TRUE(has_note(spaced, "first column is row names"));
  const Table plain = read("a\tb\tkind\n1\t1.5\t2\tu\n2\t3\t4\tu\n");
  expect_values(plain, {{1.5, 2}, {3, 4}});
  EXPECT_EQ(plain.data.labels.name, "kind");
  const Table named = read("x,y\nNorth,1,2\nSouth,3,4\nWest,5,6\n", {.columns = {.drop = {"y"}}});
  expect_values(named, {{1}, {3}, {5}});
  EXPECT_EQ(named.data.ids, (Texts{"North", "South", "West"}));
  expect_values(read("x,y\nNorth,1,2\nSouth,3,4\n", {.columns = {.drop = {"1"}}}),
                {{1, 2}, {3, 4}});
  // Numbers in front that count nothing are a mistake.
  EXPECT_EQ(code_of("a,b\n1,2,3\n4,5,6\n"), "M207");
  EXPECT_EQ(code_of("x,y\nNorth,1,2\nNorth,3,4\n"), "M207");
}

}  // namespace csv_rejects_test
}  // namespace mercer
