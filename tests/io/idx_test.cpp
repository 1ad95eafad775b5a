#include "mercer/io/table.h"
#include "tests/io/damage.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

namespace mercer {

const TableFormat& idx_format();

namespace idx_test {

using namespace std::string_literals;

// The format's description: 00 00 type dimensions, extents of 32 bits, all big-endian.
std::string header_of(int type, const std::vector<std::uint32_t>& extents) {
  std::string head = "\0\0"s + static_cast<char>(type) + static_cast<char>(extents.size());
  for (const std::uint32_t extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(extent >> shift & 0xFF);
  return head;
}

template <class T>
std::string big_endian(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return {bytes.rbegin(), bytes.rend()};
}

const std::string kImages = header_of(8, {2, 2, 3}) + "abcdefABCDEF";
const std::string kLabels = header_of(8, {2}) + "\7\0"s;

Table read(const std::string& content, const ReadOptions& options = {}) {
  Source source(content, "t.idx", std::numeric_limits<std::uint64_t>::max());
  return idx_format().read(source, options, {});
}

Table read_file(const std::string& path, const ReadOptions& options = {}) {
  Source source(path, Context());
  return idx_format().read(source, options, {});
}

template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "read without an error";
  return {ErrorCode::internal, "none"};
}

std::string code_of(const std::string& content) {
  return code_text(error_of([&] { read(content); }).code());
}

TEST(Idx, FlattensImagesAndKeepsBytes) {
  const Table table = read(kImages);
  EXPECT_EQ(table.format, "idx");
  EXPECT_EQ(table.data.type(), Scalar::u8);
  ASSERT_EQ(table.data.n(), 2);
  ASSERT_EQ(table.data.dim(), 6);
  EXPECT_EQ(table.data.view().at(1, 4), 'E');
  EXPECT_EQ(table.image_shape, (std::vector<Index>{2, 3}));
  EXPECT_TRUE(table.data.labels.empty());
}

TEST(Idx, ReadsEveryTypeOfNumber) {
  const auto value = [](int type, const std::string& bytes) {
    return read(header_of(type, {1, 1}) + bytes).data.view().at(0, 0);
  };
  EXPECT_EQ(value(0x08, "\xFE"), 254);
  EXPECT_EQ(value(0x09, "\xFE"), -2);
  EXPECT_EQ(value(0x0B, big_endian<std::int16_t>(-300)), -300);
  EXPECT_EQ(value(0x0C, big_endian<std::int32_t>(-70000)), -70000);
  EXPECT_EQ(value(0x0D, big_endian(0.1F)), static_cast<double>(0.1F));
  EXPECT_EQ(value(0x0E, big_endian(0.1)), 0.1);
  EXPECT_EQ(code_of(header_of(0x0E, {1, 1}) + big_endian(std::numeric_limits<double>::infinity())),
            "M212");
}

TEST(Idx, FindsTheLabelsBesideTheImages) {
  const test::TemporaryFolder folder("idx_labels");
  const std::string images = folder.write("train-images-idx3-ubyte", kImages);
  EXPECT_TRUE(read_file(images).data.labels.empty());
  folder.write("train-labels-idx1-ubyte", kLabels);
  const Table table = read_file(images);
  EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"7", "0"}));
  EXPECT_EQ(table.data.labels.of_row, (std::vector<Index>{0, 1}));
  ASSERT_EQ(table.notes.size(), 2U);
  EXPECT_EQ(table.notes[1].text, "labels from train-labels-idx1-ubyte");
  EXPECT_TRUE(read_file(images, {.columns = {.label = "none"}}).data.labels.empty());
  EXPECT_EQ(read_file(images, {.columns = {.label = "2"}}).data.labels.classes,
            (std::vector<std::string>{"98", "66"}));
}

TEST(Idx, RefusesLabelsThatDoNotFitTheImages) {
  const test::TemporaryFolder folder("idx_count");
  const std::string images = folder.write("t10k-images.idx3-ubyte", kImages);
  folder.write("t10k-labels.idx1-ubyte", header_of(8, {3}) + "123");
  const Error error = error_of([&] { read_file(images); });
  EXPECT_EQ(code_text(error.code()), "M443");
  EXPECT_NE(error.message().find("3 labels for 2 images"), std::string::npos) << error.message();
  folder.write("t10k-labels.idx1-ubyte", header_of(8, {2, 1}) + "12");
  EXPECT_EQ(code_text(error_of([&] { read_file(images); }).code()), "M443");
  folder.write("t10k-labels.idx1-ubyte", "no labels");
  EXPECT_EQ(code_text(error_of([&] { read_file(images); }).code()), "M443");
}

TEST(Idx, RefusesALabelFileAsTable) {
  const Error error = error_of([] { read(kLabels); });
  EXPECT_EQ(code_text(error.code()), "M443");
  EXPECT_NE(error.message().find("label file"), std::string::npos);
  EXPECT_NE(error.hint().find("images file"), std::string::npos);
}

TEST(Idx, RefusesWrongMarksAndImpossibleSizes) {
  EXPECT_EQ(code_of("\0\1\x08\3"s + kImages.substr(4)), "M443");
  EXPECT_EQ(code_of("\0\0\x0A\3"s + kImages.substr(4)), "M443");
  EXPECT_EQ(code_of("\0\0\x08\0"s), "M443");
  EXPECT_EQ(code_of("\0\0"s), "M443");
  EXPECT_EQ(code_of(header_of(8, {~0U, ~0U, ~0U}) + "abc"), "M443");
  EXPECT_EQ(code_of(header_of(14, {~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U}) + "abc"), "M443");
  EXPECT_EQ(code_of(header_of(8, {0, 2, 2})), "M202");
  EXPECT_EQ(code_of(header_of(8, {2, 0})), "M211");
  const Error shorter = error_of([] { read(kImages.substr(0, kImages.size() - 1)); });
  EXPECT_EQ(code_text(shorter.code()), "M443");
  EXPECT_NE(shorter.message().find("need 12 bytes of data, the file has 11"), std::string::npos)
      << shorter.message();
  EXPECT_EQ(code_of(kImages + "x"), "M443");
}

TEST(Idx, ChoosesColumnsAndForgetsTheShapeThen) {
  const Table table = read(kImages, {.columns = {.only = {"6", "1"}}});
  ASSERT_EQ(table.data.dim(), 2);
  EXPECT_EQ(table.data.view().at(0, 0), 'f');
  EXPECT_TRUE(table.image_shape.empty());
}

TEST(Idx, IsRecognisedByItsMarkAlone) {
  const auto recognise = idx_format().recognise;
  EXPECT_TRUE(recognise(kImages));
  EXPECT_FALSE(recognise("1,2\n3,4\n"));
  EXPECT_FALSE(recognise(std::string(64, '\0')));
  EXPECT_FALSE(recognise(header_of(8, {~0U, ~0U, ~0U})));
  EXPECT_FALSE(recognise(kImages.substr(0, 10)));
}

TEST(Idx, RefusesATableOverTheMemoryBudget) {
  Context context;
  context.budget.memory = 11;  // the images have 12 bytes
  Source source(kImages, "t.idx", 100);
  EXPECT_EQ(code_text(error_of([&] { idx_format().read(source, {}, context); }).code()), "M301");
}

TEST(Idx, SurvivesDamage) {
  test::read_damaged(kImages, [](const std::string& content) {
    EXPECT_LE(read(content).data.n(), 12);
    EXPECT_LE(idx_format().recognise(content), true);
  });
}

}  // namespace idx_test
}  // namespace mercer
