// Every sample file to every reader: a table where the reader is for it, and an error with a code,
// words and the file's name everywhere else.
#include "mercer/core/text.h"
#include "mercer/io/detail/compression.h"
#include "mercer/io/model_file.h"
#include "mercer/io/table.h"
#include "tests/io/damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace mercer {
namespace cross_format_test {

using namespace std::string_literals;

struct Sample {
  std::string name, content;
  std::vector<std::string_view> readers;  // those that make a table of it
};

Points numbers() {
  Points points(3, 2);
  points << 1.5, 2, -3, 4, 5, 6.25;
  return points;
}

std::string written(std::string_view name, const WriteOptions& options = {}) {
  for (const TableFormat* format : table_formats())
    if (format->name == name) return table_text(*format, numbers(), options);
  return {};
}

std::string packed(std::string_view content, std::string_view compression) {
  return detail::compressed(content, compression);
}

std::string model() {
  State state;
  state.kind = "pca";
  state.values = Value::Object{{"n", 3}};
  state.arrays.push_back(Array::of("axes", numbers()));
  return encode_model(state);
}

// 2 x 3 grey pixels, with right checksums.
const std::string kPng =
    "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\3\0\0\0\2\b\0\0\0\0\xB8\x1F\x39\xC6\0\0\0\x10IDAT"
    "\x78\x9C\x63\x64\x30\x32\x62\x98\x76\xE2\x3F\0\x06\x87\x02\xC3\xED\xB4\x13\xAC\0\0\0\0IEND"
    "\xAE\x42\x60\x82"s;

// What another program's file begins with, and then what could be anything.
std::string opening(std::string bytes) {
  bytes.resize(512, '\0');
  for (std::size_t i = 64; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
  return bytes;
}

std::vector<Sample> samples() {
  const WriteOptions named{.column_names = {"height", "width"}};
  const std::string csv = written("csv", named), npy = written("npy");
  std::string tsv = csv;
  std::replace(tsv.begin(), tsv.end(), ',', '\t');
  const std::string tensors = R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})"s;
  return {
      {"csv", csv, {"csv"}},
      {"tsv", tsv, {"csv"}},
      {"npy", npy, {"npy"}},
      {"npz", written("npz"), {"npz"}},
      {"idx", "\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\2abcdefgh"s, {"idx"}},
      {"libsvm", "1 1:0.5 3:2\n-1 2:1\n1 1:4\n", {"libsvm"}},
      {"mtx", written("matrix_market"), {"matrix_market"}},
      {"png", kPng, {}},
      {"pgm", "P5\n3 2\n255\n\x01\x02\x03\x04\x05\x06"s, {}},
      {"csv.gz", packed(csv, "gzip"), {"csv"}},
      {"npy.zst", packed(npy, "zstd"), {"npy"}},
      {"mercer", model(), {}},
      {"safetensors",
       std::string(1, static_cast<char>(tensors.size())) + "\0\0\0\0\0\0\0"s + tensors +
           "\0\0\0\0\0\0\xF0\x3F"s,
       {}},
      {"json", R"([{"height": 1.5, "width": 2}, {"height": -3, "width": 4}])"s, {}},
      {"elf",
       opening("\x7F"
               "ELF\2\1\1"s),
       {}},
      {"pdf", opening("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n"s), {}},
      {"h5", opening("\x89HDF\r\n\x1A\n\0\0\0\0\0\x08\x08"s), {}},
      {"parquet", opening("PAR1\x15\4\x15\x20"s), {}},
      {"arrow", opening("ARROW1\0\0\xFF\xFF\xFF\xFF"s), {}},
      {"xlsx", opening("PK\3\4\x14\0\6\0\b\0\0\0!\0[Content_Types].xml"s), {}},
  };
}

class CrossFormat : public testing::Test {
 protected:
  // An error must tell what is wrong, and with which file.
  template <class Read>
  void expect_outcome(const std::string& path, const std::string& what, bool readable, Read read) {
    ++runs_;
    try {
      read();
      EXPECT_TRUE(readable) << what << " was read";
    } catch (const Error& error) {
      EXPECT_FALSE(readable) << what << ": " << error.what();
      EXPECT_NE(error.code(), ErrorCode::internal) << what;
      EXPECT_FALSE(error.message().empty()) << what;
      EXPECT_NE(error.place().find(printable(path)), std::string::npos) << what << error.place();
    }
  }
  void TearDown() override { std::printf("%d runs of a reader\n", runs_); }

  const test::TemporaryFolder folder_{"cross_format"};
  int runs_ = 0;
};

TEST_F(CrossFormat, EverySampleToEveryReaderGivesATableOrAnError) {
  for (const Sample& sample : samples()) {
    const std::string path = folder_.write("sample." + sample.name, sample.content);
    for (const TableFormat* format : table_formats()) {
      ReadOptions options;
      options.format = format->name;
      const bool readable = std::find(sample.readers.begin(), sample.readers.end(), format->name) !=
                            sample.readers.end();
      expect_outcome(path, sample.name + " as " + options.format, readable,
                     [&] { read_table(path, options, {}); });
    }
    expect_outcome(path, sample.name + " as a model", sample.name == "mercer",
                   [&] { load_state(path); });
  }
}

// The name says nothing, or the wrong thing: the content decides. Only .csv is believed as long as
// the content is text.
TEST_F(CrossFormat, ContentDecidesWhateverTheNameIs) {
  for (const Sample& sample : samples())
    for (const std::string ending : {"", ".csv", ".npy", ".npz", ".mtx", ".svm", ".gz", ".dat"}) {
      const std::string path = folder_.write("sample" + ending, sample.content);
      const bool taken_for_csv =
          ending == ".csv" && (sample.name == "libsvm" || sample.name == "mtx");
      const bool readable = !sample.readers.empty() && !taken_for_csv;
      expect_outcome(path, sample.name + " called sample" + ending, readable, [&] {
        const std::string format = read_table(path, {}, {}).format;
        EXPECT_EQ(format, sample.readers.empty() ? "none" : sample.readers[0]) << path;
      });
    }
}

}  // namespace cross_format_test
}  // namespace mercer
