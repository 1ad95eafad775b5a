#include "mercer/io/table.h"

#include "mercer/core/random.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mercer {
namespace table_test {

namespace fs = std::filesystem;

class TableFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("mercer_table_" + std::to_string(getpid()) + "_" + test->name());
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string content(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

template <class F>
Error error_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::internal, "none"};
}

std::string code_of(const std::string& path, const ReadOptions& options = {}) {
  return code_text(error_of([&] { read_table(path, options, {}); }).code());
}

Points small_table() {
  Points points(2, 3);
  points << 1, 0.1, -3e-7, 4, 5, 6;
  return points;
}

TEST_F(TableFile, ReadsBackWhatItWroteInEveryFormat) {
  for (const TableFormat* format : table_formats()) {
    if (!format->write) continue;
    for (const std::string_view extension : format->extensions) {
      const std::string file = path("table" + std::string(extension));
      write_table(file, small_table(), {});
      const Table table = read_table(file, {}, {});
      EXPECT_EQ(table.data.view().to_points(), small_table()) << file;
      EXPECT_EQ(table.format, format->name);
    }
  }
}

TEST_F(TableFile, ListsTheFormatsInTheOrderOfTheirNames) {
  const auto formats = table_formats();
  ASSERT_GE(formats.size(), 2U);
  EXPECT_EQ(formats[0]->name, "csv");
  for (std::size_t i = 1; i < formats.size(); ++i)
    EXPECT_LT(formats[i - 1]->name, formats[i]->name);
}

TEST_F(TableFile, WritesTabsForTheExtensionTsv) {
  const Labels labels = Labels::from_texts("kind", {"a b", "c\td"});
  write_table(path("x.tsv"), small_table(), {.column_names = {"p", "q", "r"}, .labels = &labels});
  EXPECT_EQ(content("x.tsv"), "p\tq\tr\tkind\n1\t0.1\t-3e-07\ta b\n4\t5\t6\t\"c\td\"\n");
  write_table(path("x.CSV"), small_table(), {});
  EXPECT_EQ(content("x.CSV"), "1,0.1,-3e-07\n4,5,6\n");
}

// zlib's and zstd's own whole-file functions are the oracle.
std::string unpacked(const std::string& file, const std::string& bytes) {
  std::string text(100'000, '\0');
  if (file.ends_with(".zst")) {
    const std::size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
    return text.substr(0, ZSTD_isError(size) == 0 ? size : 0);
  }
  gzFile opened = gzopen(file.c_str(), "rb");
  const int size = gzread(opened, text.data(), static_cast<unsigned>(text.size()));
  gzclose(opened);
  return text.substr(0, static_cast<std::size_t>(std::max(size, 0)));
}

TEST_F(TableFile, CompressesWhenTheNameAsksForIt) {
  for (const char* name : {"x.csv.gz", "x.csv.zst", "x.TSV.GZ", "x.npy.gz"}) {
    write_table(path(name), small_table(), {});
    EXPECT_EQ(read_table(path(name), {}, {}).data.view().to_points(), small_table()) << name;
  }
  EXPECT_EQ(unpacked(path("x.csv.gz"), content("x.csv.gz")), "1,0.1,-3e-07\n4,5,6\n");
  EXPECT_EQ(unpacked(path("x.csv.zst"), content("x.csv.zst")), "1,0.1,-3e-07\n4,5,6\n");
  EXPECT_EQ(unpacked(path("x.TSV.GZ"), content("x.TSV.GZ")), "1\t0.1\t-3e-07\n4\t5\t6\n");
  const std::string once = content("x.csv.gz");
  write_table(path("x.csv.gz"), small_table(), {});
  EXPECT_EQ(content("x.csv.gz"), once);
  EXPECT_EQ(code_text(error_of([&] { write_table(path("x.gz"), small_table(), {}); }).code()),
            "M412");
}

TEST_F(TableFile, ReadsCompressedFilesUnderAnyNameAndRefusesDamagedOnes) {
  write_table(path("x.csv.gz"), small_table(), {});
  const std::string packed = content("x.csv.gz");
  const Table renamed = read_table(put("y.csv", packed), {}, {});
  EXPECT_EQ(renamed.data.view().to_points(), small_table());
  const Table stated = read_table(path("x.csv.gz"), {}, {});
  for (const Note& note : stated.notes) EXPECT_EQ(note.text.find("although"), std::string::npos);
  EXPECT_EQ(code_of(put("cut.csv.gz", packed.substr(0, packed.size() - 3))), "M407");
  EXPECT_EQ(code_of(put("plain.csv.gz", "picture\x01\x02\x03\x04")), "M203");
  EXPECT_EQ(read_table(put("plain.csv.zst", "a,b\n1,2\n3,4\n"), {}, {}).data.n(), 2);
}

TEST_F(TableFile, FindsTheArrayOfAnArchiveInTheName) {
  EXPECT_EQ(code_of(path("none.npz:x")), "M401");
  // A file that is called so is itself meant.
  EXPECT_EQ(read_table(put("odd.npz:x", "a,b\n1,2\n3,4\n"), {}, {}).data.n(), 2);
}

TEST_F(TableFile, LetsTheContentDecideOverTheExtension) {
  const Table text = read_table(put("x.npy", "a,b\n1,2\n3,4\n"), {}, {});
  EXPECT_EQ(text.format, "csv");
  EXPECT_EQ(text.notes.back().text, "the content is csv, although the name ends in .npy");
  write_table(path("y.csv"), small_table(), {.format = "npy"});
  const Table array = read_table(path("y.csv"), {}, {});
  EXPECT_EQ(array.format, "npy");
  EXPECT_EQ(array.notes.back().flag, "--format");
}

TEST_F(TableFile, ObeysAForcedFormat) {
  EXPECT_EQ(code_of(put("x.csv", "1,2\n"), {.format = "npy"}), "M420");
  EXPECT_EQ(code_of(path("x.csv"), {.format = "cvs"}), "M112");
  EXPECT_EQ(
      read_table(put("t.txt", "1,5\t2\n3,5\t4\n"), {.format = "tsv"}, {}).data.view().at(1, 0),
      3.5);
}

TEST_F(TableFile, RefusesWhatCannotBeRead) {
  EXPECT_EQ(code_of(path("none.csv")), "M401");
  EXPECT_EQ(code_of(folder_.string()), "M406");
  EXPECT_EQ(code_of(put("empty.npy", "")), "M201");
  EXPECT_EQ(code_of(put("empty.csv", "")), "M201");
  EXPECT_EQ(code_of(put("picture.csv", "\x89PNG\r\n\x1A\n")), "M203");
  EXPECT_EQ(code_of(put("picture", "\x89PNG\r\n\x1A\n")), "M203");
  EXPECT_EQ(code_of(put("broken.npy", std::string("\x93NUMPX\x01\0\0\0", 10))), "M420");
}

TEST_F(TableFile, ShowsFileNamesEscaped) {
  const Error error = error_of([&] { read_table(put("a\x1B[31m.csv", "a,b\n"), {}, {}); });
  EXPECT_EQ(error.place().find('\x1B'), std::string::npos);
  EXPECT_NE(error.place().find("\\x1b[31m.csv"), std::string::npos);
}

TEST_F(TableFile, RefusesUnknownExtensionsForOutput) {
  for (const char* name : {"x.xyz", "x", "a.csv/x"}) {
    const Error error = error_of([&] { write_table(path(name), small_table(), {}); });
    EXPECT_EQ(code_text(error.code()), "M412") << name;
    EXPECT_NE(error.hint().find(".npy"), std::string::npos);
  }
  EXPECT_EQ(code_text(error_of([&] {
                        write_table(path("x.csv"), small_table(), {.format = "xls"});
                      }).code()),
            "M112");
}

TEST_F(TableFile, WritesCsvToStandardOutput) {
  testing::internal::CaptureStdout();
  write_table("-", small_table(), {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1,0.1,-3e-07\n4,5,6\n");
}

TEST_F(TableFile, WritesNoLabelColumnWhereThereAreNoLabels) {
  const Labels none;
  write_table(path("x.csv"), small_table(), {.column_names = {"a", "b", "c"}, .labels = &none});
  EXPECT_EQ(content("x.csv"), "a,b,c\n1,0.1,-3e-07\n4,5,6\n");
}

TEST_F(TableFile, WritesCsvToADeviceWhoseNameSaysNoFormat) {
  EXPECT_EQ(code_text(error_of([&] { write_table("/dev/full", small_table(), {}); }).code()),
            "M410");
}

TEST_F(TableFile, ChecksANameBeforeThereIsATableToWrite) {
  const auto code = [](const std::string& name) {
    return code_text(error_of([&] { check_table_output(name); }).code());
  };
  EXPECT_EQ(code(path("x.xyz")), "M412");
  EXPECT_EQ(code(path("no/x.csv")), "M402");
  EXPECT_EQ(code(path("")), "M412");
  EXPECT_NO_THROW(check_table_output(path("x.csv")));
  EXPECT_NO_THROW(check_table_output("-"));
  EXPECT_FALSE(std::filesystem::exists(path("x.csv")));
}

TEST_F(TableFile, RefusesAFileOverTheMemoryBudget) {
  Context context;
  context.budget.memory = 100;
  const std::string file = put("x.csv", std::string(200, '1'));
  EXPECT_EQ(code_text(error_of([&] { read_table(file, {}, context); }).code()), "M301");
}

TEST_F(TableFile, StaysCountedAsLongAsItsNumbersLive) {
  const Points points = Points::Random(2000, 20);
  for (const std::string name : {"x.csv", "x.npy", "x.npz", "x.mtx", "x.csv.gz", "x.npy.zst"}) {
    write_table(path(name), points, {});
    Context context;
    context.budget.memory = 4 << 20;
    context.account = MemoryAccount(context.budget.memory);
    Dataset kept;
    {
      const Table table = read_table(path(name), {}, context);
      EXPECT_GE(table.data.held_bytes(), table.data.bytes()) << name;
      EXPECT_LT(table.data.held_bytes(), table.data.bytes() + 2000) << name;
      EXPECT_EQ(context.account->held(), table.data.held_bytes()) << name;
      kept = table.data;
    }
    EXPECT_EQ(context.account->held(), kept.held_bytes()) << name;
    kept = {};
    EXPECT_EQ(context.account->held(), 0u) << name;
    // What others hold already is not there for the table.
    const auto others = context.hold(context.memory_left() - 100'000, "other things");
    const Error error = error_of([&] { read_table(path(name), {}, context); });
    EXPECT_EQ(code_text(error.code()), "M301") << name;
    EXPECT_EQ(error.place(), path(name));
    EXPECT_EQ(context.memory_left(), 100'000u) << name;
  }
}

// Each reader gets bytes of every kind, as a file handed to the wrong reader would be.
TEST_F(TableFile, EveryReaderSurvivesRandomBytes) {
  const Random random(9);
  std::uint64_t draw = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random.below(300, draw++), '\0');
    const bool text = round % 2 == 0;
    for (char& c : bytes)
      c = static_cast<char>(text ? 9 + random.below(118, draw++) : random.below(256, draw++));
    for (const TableFormat* format : table_formats()) {
      try {
        Source source(bytes, "random", std::uint64_t{1} << 30);
        format->read(source, {}, {});
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace table_test
}  // namespace mercer
