#include "mercer/io/table_rows.h"

#include "mercer/core/parallel.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/table.h"
#include "tests/io/damage.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <limits>

namespace mercer {
namespace table_rows_test {

Context with_memory(std::uint64_t bytes) {
  Context context;
  context.budget.memory = bytes;
  context.account = MemoryAccount(bytes);
  return context;
}

// The rows of a matrix, handed out in blocks of this many.
TableRows in_blocks(const Points& rows, Index block, const Context& context) {
  const auto make = [&rows, block](const TableRows::Take& take) {
    for (const Range part : tiles_of(rows.rows(), block))
      take(Block(rows.middleRows(part.begin, part.size())));
  };
  return {rows.rows(), rows.cols(), make, context};
}

TEST(TableRows, AreWrittenTheSameInAnyBlocks) {
  const Points rows = test::random_points({.n = 5000, .dim = 7, .seed = 1});
  Labels labels{"class", {"a", "b \"quoted\""}, {}};
  std::vector<std::string> ids;
  for (Index i = 0; i < rows.rows(); ++i) {
    labels.of_row.push_back(i % 2);
    ids.push_back("row " + std::to_string(i));
  }
  const WriteOptions options{.column_names = {"a", "b", "c", "d", "e", "f", "g"},
                             .ids = &ids,
                             .ids_name = "name",
                             .labels = &labels,
                             .format = {}};
  const Context context = with_memory(1 << 20);
  for (const TableFormat* format : table_formats()) {
    if (!format->write) continue;
    const std::string expected = table_text(*format, rows, options);
    for (const Index block : {1, 7, 512, 4999, 5000})
      EXPECT_EQ(table_text(*format, in_blocks(rows, block, context), options), expected)
          << format->name << ", " << block;
  }
}

TEST(TableRows, AreCompressedTheSameInAnyBlocks) {
  const test::TemporaryFolder folder("rows");
  const Points rows = test::random_points({.n = 9000, .dim = 5, .seed = 1});
  const Context context = with_memory(1 << 20);
  for (const std::string ending : {"csv", "csv.gz", "csv.zst", "npy.gz", "npz"}) {
    const std::string path = folder.path() + "/t." + ending;
    write_table(path, rows, {});
    const std::string whole = read_file(path, 1 << 24);
    for (const Index block : {1000, 8999}) {
      write_table(path, in_blocks(rows, block, context), {});
      EXPECT_EQ(read_file(path, 1 << 24), whole) << ending;
    }
    EXPECT_TRUE(read_table(path, {}, {}).data.view().to_points() == rows) << ending;
  }
}

TEST(TableRows, ThatMustBeThereAtOnceAreCounted) {
  const Points rows = test::random_points({.n = 1000, .dim = 10, .seed = 1});  // 80 000 bytes
  const Context enough = with_memory(80'000), tight = with_memory(79'999);
  TableRows good = in_blocks(rows, 100, enough), bad = in_blocks(rows, 100, tight);
  EXPECT_TRUE(good.all().to_points() == rows);
  EXPECT_EQ(enough.memory_left(), 0u);
  EXPECT_EQ(test::code_of([&] { bad.all(); }), "M301");
  bad.collect_if_small();  // they are not
  Index blocks = 0;
  bad.each_block([&](DataView) { ++blocks; });
  EXPECT_EQ(blocks, 10);
}

TEST(TableRows, ThatCannotBeMadeLeaveTheOldFile) {
  const test::TemporaryFolder folder("rows");
  const std::string path = folder.write("t.csv", "old");
  const Context context;
  const auto make = [](const TableRows::Take& take) {
    take(Block(Block::Ones(50'000, 2)));
    throw Error(ErrorCode::number_overflows, "row 50001");
  };
  for (const std::string& name : {path, path + ".gz"}) {
    EXPECT_EQ(test::code_of([&] { write_table(name, TableRows(60'000, 2, make, context), {}); }),
              "M213");
  }
  EXPECT_EQ(read_file(path, 100), "old");
  Index files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  EXPECT_EQ(files, 1);
}

}  // namespace table_rows_test
}  // namespace mercer
