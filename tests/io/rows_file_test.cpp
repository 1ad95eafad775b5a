// The file beside an array that names its rows.
#include "mercer/io/rows_file.h"

#include "mercer/io/atomic_file.h"
#include "tests/io/damage.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace mercer {
namespace rows_file_test {

const std::vector<std::string> kIds = {"a", "b, c"};
const Labels kLabels{"kind", {"u", "v"}, {1, 0}};

WriteOptions with_names() {
  return {.ids = &kIds, .labels = &kLabels, .format = {}, .rows_file = true};
}

TEST(RowsFile, StandsBesideAnArray) {
  EXPECT_EQ(rows_file_of("x/s.npy"), "x/s.rows.csv");
  EXPECT_EQ(rows_file_of("s.NPY.gz"), "s.rows.csv");
  for (const char* other : {"s.csv", "s.npz", "-", ".npy", "npy", "/dev/null"})
    EXPECT_EQ(rows_file_of(other), "") << other;
  EXPECT_EQ(rows_file_of("s.npy", with_names()), "s.rows.csv");
  EXPECT_EQ(rows_file_of("s.npy", {.format = {}, .rows_file = true}), "");
}

TEST(RowsFile, TellsNamesAndClasses) {
  const test::TemporaryFolder folder("rows_file");
  const std::string array = folder.path() + "/s.npy", beside = folder.path() + "/s.rows.csv";
  const Points rows = Points::Ones(2, 3);
  write_table(array, rows, with_names());
  EXPECT_EQ(read_file(beside, 1000), "row,kind\na,v\n\"b, c\",u\n");
  WriteOptions classes = with_names();
  classes.ids = nullptr;
  write_table(array, rows, classes);
  EXPECT_EQ(read_file(beside, 1000), "row,kind\n1,v\n2,u\n");
  write_table(array, rows, {.format = {}, .rows_file = true});
  EXPECT_FALSE(std::filesystem::exists(beside)) << "it told of other rows";
  WriteOptions without = with_names();
  without.rows_file = false;
  write_table(array, rows, without);
  EXPECT_FALSE(std::filesystem::exists(beside));
}

TEST(RowsFile, ReplacesNoOtherFile) {
  const test::TemporaryFolder folder("rows_file");
  const std::string beside = folder.write("s.rows.csv", "rows,x\n1,2\n");
  const std::string array = folder.path() + "/s.npy";
  EXPECT_EQ(test::code_of([&] { check_rows_file(beside); }), "M409");
  EXPECT_EQ(test::code_of([&] { write_table(array, Points(Points::Ones(2, 3)), with_names()); }),
            "M409");
  write_table(array, Points(Points::Ones(2, 3)), {.format = {}, .rows_file = true});
  EXPECT_EQ(read_file(beside, 1000), "rows,x\n1,2\n");
}

}  // namespace rows_file_test
}  // namespace mercer
