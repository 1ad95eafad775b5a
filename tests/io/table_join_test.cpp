#include "mercer/io/table_join.h"

#include "tests/io/csv_reading.h"

#include <fstream>

namespace mercer {
namespace table_join_test {

using csv_reading::expect_values;
using csv_reading::Texts;

class TableJoin : public ::testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view text) {
    const std::string path = ::testing::TempDir() + "join_" + name;
    std::ofstream(path) << text;
    return path;
  }
  Table read(const Texts& paths, const ReadOptions& options = {}) {
    return read_tables(paths, options, Context());
  }
  // The message of the error that names the file.
  std::string refused(const Texts& paths, const ReadOptions& options = {}) {
    try {
      read(paths, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::tables_differ) << error.what();
      EXPECT_NE(error.place().find(paths.back()), std::string::npos) << error.place();
      return error.message();
    }
    ADD_FAILURE() << "read without an error";
    return {};
  }
};

TEST_F(TableJoin, PutsRowsWithTheirNamesAndClassesTogether) {
  const std::string a = write("a.csv", "id,x,y,kind\na,1,2,u\nb,3,4,u\nc,5,6,v\n");
  const std::string b = write("b.csv", "kind,y,x,id\nw,8,7,d\nu,1,9,e\n");
  const Table table = read({a, b});
  expect_values(table, {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 1}});
  EXPECT_EQ(table.data.column_names, (Texts{"x", "y"}));
  EXPECT_EQ(table.data.ids, (Texts{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(table.data.labels.classes, (Texts{"u", "v", "w"}));
  EXPECT_EQ(table.data.labels.of_row, (std::vector<Index>{0, 0, 1, 2, 0}));
  EXPECT_GT(table.data.held_bytes(), 0U);
}

TEST_F(TableJoin, FillsGapsByTheFiguresOfAllRows) {
  const std::string a = write("a.csv", "x,y\n1,2\n,4\n");
  const std::string b = write("b.csv", "y,x\n9,5\n3,6\n");
  const Table table = read({a, b}, {.columns = {.missing = "mean"}});
  expect_values(table, {{1, 2}, {4, 4}, {5, 9}, {6, 3}});
  EXPECT_EQ(table.gaps.cells_filled, 1);
}

TEST_F(TableJoin, SplitsTargetsOffByTheirNames) {
  const std::string a = write("a.csv", "x,t,y\n1,2,3\n4,5,6\n");
  const std::string b = write("b.csv", "t,y,x\n8,9,7\n");
  const Table table = read({a, b}, {.columns = {.targets = {"2"}}});
  expect_values(table, {{1, 3}, {4, 6}, {7, 9}});
  ASSERT_EQ(table.targets.n(), 3);
  EXPECT_EQ(table.targets.view().at(2, 0), 8);
}

TEST_F(TableJoin, NamesTheColumnThatIsLackingOrTooMuch) {
  const std::string a = write("a.csv", "x,y\n1,2\n3,4\n");
  EXPECT_NE(refused({a, write("b.csv", "x,z\n1,2\n")}).find("lacks column \"y\""),
            std::string::npos);
  EXPECT_NE(refused({a, write("c.csv", "x,y,z\n1,2,3\n")}).find("\"z\""), std::string::npos);
  EXPECT_NE(refused({a, write("d.csv", "1,2,3\n4,5,6\n")}).find("3 columns"), std::string::npos);
  expect_values(read({a, write("e.csv", "1,2\n4,5\n")}), {{1, 2}, {3, 4}, {1, 2}, {4, 5}});
}

TEST_F(TableJoin, CountsWhatItPutsTogether) {
  std::string text = "x,y\n";
  for (int i = 0; i < 20000; ++i) text += "1.5,2.5\n";
  const std::string a = write("a.csv", text);
  const MemoryAccount account(std::uint64_t{1} << 20);  // one table of 320 kB and another, not both
  Context context;
  context.account = account;
  try {
    read_tables({a, a}, {}, context);
    FAIL() << "read within too little";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::over_memory);
  }
}

}  // namespace table_join_test
}  // namespace mercer
