// Rows of a file in pieces: the same numbers as the table read as a whole, whatever their type, and
// an error where the file is not what it was.
#include "mercer/io/row_file.h"

#include "tests/support/errors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace mercer {
namespace row_file_test {

std::string header(const char* descr, Index n, Index dim) {
  std::string head = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(n) + ", " + std::to_string(dim) + "), }";
  head.resize(117, ' ');
  head += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size()) + '\0' + head;
}

class RowFileTest : public testing::Test {
 protected:
  RowFileTest() : path_(testing::TempDir() + "/row_file_" + std::to_string(::getpid()) + ".npy") {}
  ~RowFileTest() override { std::filesystem::remove(path_); }

  void write(const std::string& content) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }
  std::unique_ptr<RowFile> opened(const Context& context = {}) {
    return std::get<std::unique_ptr<RowFile>>(open_rows(path_, {}, context));
  }
  Points collected(const RowFile& rows) {
    Points all(rows.n(), rows.dim());
    Index done = 0;
    rows.each_chunk([&](DataView chunk) {
      EXPECT_EQ(chunk.number_of(0), done + 1);
      all.middleRows(done, chunk.n()) = chunk.to_points();
      done += chunk.n();
    });
    EXPECT_EQ(done, rows.n());
    return all;
  }

  std::string path_;
};

template <class T>
std::string bytes_of(Index count, bool swapped) {
  std::string bytes;
  for (Index i = 0; i < count; ++i) {
    const T value = static_cast<T>(i % 101);
    std::string one(reinterpret_cast<const char*>(&value), sizeof(T));
    if (swapped) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

TEST_F(RowFileTest, GivesTheNumbersOfEveryType) {
  // More than one piece of 2^20 numbers.
  const Index n = 120'000, dim = 11, count = n * dim;
  const std::pair<const char*, std::string> cases[] = {
      {"<f8", bytes_of<double>(count, false)},
      {"<f4", bytes_of<float>(count, false)},
      {"|u1", bytes_of<unsigned char>(count, false)},
      {">f8", bytes_of<double>(count, true)},
      {"<i2", bytes_of<std::int16_t>(count, false)}};
  for (const auto& [descr, bytes] : cases) {
    write(header(descr, n, dim) + bytes);
    const auto rows = opened();
    const Points all = collected(*rows);
    for (const Index i : {Index{0}, Index{95'000}, n - 1})
      for (Index j = 0; j < dim; ++j)
        EXPECT_EQ(all(i, j), static_cast<double>((i * dim + j) % 101)) << descr;
    EXPECT_EQ(collected(*rows), all);  // a second walk
  }
}

TEST_F(RowFileTest, AFileThatChangesIsAnError) {
  const std::string content = header("<f8", 1000, 3) + bytes_of<double>(3000, false);
  write(content);
  const auto shrunk = opened();
  ASSERT_EQ(::truncate(path_.c_str(), 20000), 0);
  EXPECT_EQ(test::code_of([&] { shrunk->each_chunk([](DataView) {}); }), "M405");

  write(content);
  const auto during = opened();
  EXPECT_EQ(test::code_of([&] {
              during->each_chunk([&](DataView) { ASSERT_EQ(::truncate(path_.c_str(), 20000), 0); });
            }),
            "M405");

  write(content);
  const auto touched = opened();
  std::filesystem::last_write_time(
      path_, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(test::code_of([&] { touched->each_chunk([](DataView) {}); }), "M405");
}

TEST_F(RowFileTest, AHeaderIsNotBelieved) {
  write(header("<f8", 1000, 3) + bytes_of<double>(2999, false));
  EXPECT_EQ(test::code_of([&] { opened(); }), "M421");
  write(header("<f8", 0, 3));
  EXPECT_EQ(test::code_of([&] { opened(); }), "M202");
  write(header("<f8", 10, 30'000'000) + "x");
  EXPECT_EQ(test::code_of([&] { opened(); }), "M421");
}

TEST_F(RowFileTest, APieceIsCountedAndAWalkCanBeStopped) {
  write(header("<f8", 1000, 3) + bytes_of<double>(3000, false));
  Context context;
  context.account = MemoryAccount(10'000);
  EXPECT_EQ(test::code_of([&] { opened(context)->each_chunk([](DataView) {}); }), "M301");
  Context stopped;
  stopped.observer.cancelled = [] { return true; };
  EXPECT_EQ(test::code_of([&] { opened(stopped)->each_chunk([](DataView) {}); }), "M001");
}

}  // namespace row_file_test
}  // namespace mercer
