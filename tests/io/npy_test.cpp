#include "mercer/core/random.h"
#include "mercer/io/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace mercer {

const TableFormat& npy_format();

namespace npy_test {

using namespace std::string_literals;

// Magic, version, length and dictionary, as the format's description says.
std::string header_of(const std::string& dictionary, int version = 1) {
  const std::size_t length = dictionary.size();
  std::string head = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    head += static_cast<char>(length >> (8 * i) & 0xFF);
  return head + dictionary;
}

std::string header_of(const std::string& descr, const std::string& shape, bool fortran = false) {
  return header_of("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                   ", 'shape': " + shape + ", }\n");
}

template <class T>
std::string bytes_of(std::vector<T> values, bool big_endian = false) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  for (std::size_t i = 0; big_endian && i < bytes.size(); i += sizeof(T))
    std::reverse(bytes.data() + i, bytes.data() + i + sizeof(T));
  return bytes;
}

Table read(const std::string& content, const ReadOptions& options = {},
           const Context& context = {}) {
  Source source(content, "t.npy", context.budget.memory);
  return npy_format().read(source, options, context);
}

Error error_of(const std::string& content, const ReadOptions& options = {},
               const Context& context = {}) {
  try {
    read(content, options, context);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "read without an error";
  return {ErrorCode::internal, "none"};
}

std::string code_of(const std::string& content, const ReadOptions& options = {}) {
  return code_text(error_of(content, options).code());
}

void expect_values(const Table& table, const std::vector<std::vector<double>>& rows) {
  ASSERT_EQ(table.data.n(), static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(table.data.dim(), static_cast<Index>(rows[i].size()));
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      EXPECT_EQ(table.data.view().at(static_cast<Index>(i), static_cast<Index>(j)), rows[i][j]);
  }
}

TEST(Npy, KeepsDoublesFloatsAndBytesAsTheyAre) {
  const Table doubles = read(header_of("<f8", "(2, 2)") + bytes_of<double>({1, 2, 3, 4.5}));
  expect_values(doubles, {{1, 2}, {3, 4.5}});
  EXPECT_EQ(doubles.data.type(), Scalar::f64);
  EXPECT_EQ(doubles.format, "npy");
  EXPECT_FALSE(doubles.named_columns);
  const Table floats = read(header_of("<f4", "(2, 1)") + bytes_of<float>({0.1F, -2}));
  expect_values(floats, {{static_cast<double>(0.1F)}, {-2}});
  EXPECT_EQ(floats.data.type(), Scalar::f32);
  const Table pixels = read(header_of("|u1", "(1, 3)") + bytes_of<unsigned char>({0, 7, 255}));
  expect_values(pixels, {{0, 7, 255}});
  EXPECT_EQ(pixels.data.type(), Scalar::u8);
}

TEST(Npy, WidensOtherNumbersToDouble) {
  const std::vector<std::vector<double>> expected = {{-1, 100}};
  expect_values(read(header_of("|i1", "(1, 2)") + bytes_of<std::int8_t>({-1, 100})), expected);
  expect_values(read(header_of("<i2", "(1, 2)") + bytes_of<std::int16_t>({-1, 100})), expected);
  expect_values(read(header_of("<i4", "(1, 2)") + bytes_of<std::int32_t>({-1, 100})), expected);
  expect_values(read(header_of("<i8", "(1, 2)") + bytes_of<std::int64_t>({-1, 100})), expected);
  expect_values(read(header_of(">i4", "(1, 2)") + bytes_of<std::int32_t>({-1, 100}, true)),
                expected);
  expect_values(read(header_of(">f8", "(1, 2)") + bytes_of<double>({-1, 100}, true)), expected);
  expect_values(read(header_of(">f4", "(1, 2)") + bytes_of<float>({-1, 100}, true)), expected);
  expect_values(read(header_of("<u2", "(1, 2)") + bytes_of<std::uint16_t>({1, 65535})),
                {{1, 65535}});
  expect_values(read(header_of("<u4", "(1, 1)") + bytes_of<std::uint32_t>({4294967295U})),
                {{4294967295.0}});
  expect_values(read(header_of("<u8", "(1, 1)") + bytes_of<std::uint64_t>({~0ULL})),
                {{18446744073709551616.0}});
  expect_values(read(header_of("|b1", "(1, 3)") + "\x00\x01\x02"s), {{0, 1, 1}});
}

TEST(Npy, ReadsHalfPrecision) {
  // 1, -2, 65504 (largest), 2^-24 (smallest), 1/3 rounded to 11 bits.
  const auto half = bytes_of<std::uint16_t>({0x3C00, 0xC000, 0x7BFF, 0x0001, 0x3555});
  expect_values(read(header_of("<f2", "(1, 5)") + half),
                {{1, -2, 65504, std::ldexp(1, -24), 1365.0 / 4096}});
  EXPECT_EQ(code_of(header_of("<f2", "(1, 1)") + bytes_of<std::uint16_t>({0x7C00})), "M212");
  EXPECT_EQ(code_of(header_of("<f2", "(1, 1)") + bytes_of<std::uint16_t>({0x7E00})), "M212");
}

TEST(Npy, TransposesFortranOrder) {
  const std::string content =
      header_of("<f8", "(2, 3)", true) + bytes_of<double>({1, 4, 2, 5, 3, 6});
  expect_values(read(content), {{1, 2, 3}, {4, 5, 6}});
  // 200 rows: more than one band.
  std::vector<std::int32_t> values(600);
  for (std::size_t k = 0; k < 600; ++k)
    values[k] = static_cast<std::int32_t>(k % 200 * 1000 + k / 200);
  const Table table = read(header_of("<i4", "(200, 3)", true) + bytes_of(values));
  for (Index i = 0; i < 200; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_EQ(table.data.view().at(i, j), static_cast<double>(i * 1000 + j));
}

TEST(Npy, ReadsEveryVersionKeyOrderAndSpacing) {
  const std::string data = bytes_of<double>({1, 2});
  expect_values(
      read(header_of("{ \"shape\" :(1,2),'fortran_order':False,'descr':'<f8'}", 1) + data),
      {{1, 2}});
  expect_values(
      read(header_of("{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L), }  \n", 2) +
           data),
      {{1, 2}});
  expect_values(
      read(header_of("{'shape': (1, 2,), 'descr': '<f8', 'fortran_order': False}", 3) + data),
      {{1, 2}});
}

TEST(Npy, RefusesWhatIsNotNpy) {
  EXPECT_EQ(code_of("\x93NUMPX\x01\0"s), "M420");
  EXPECT_NE(error_of("%PDF-1.4").message().find("PDF"), std::string::npos);
}

TEST(Npy, ComparesSizesWithTheFileBeforeAnyAllocation) {
  const Error error = error_of(header_of("<f8", "(65536, 65536)"));
  EXPECT_EQ(code_text(error.code()), "M421");
  EXPECT_NE(error.message().find("need 34359738368 bytes, the array has 0"), std::string::npos)
      << error.message();
  EXPECT_EQ(code_of(header_of("<f8", "(2, 2)") + std::string(31, '\0')), "M421");
  const Table longer = read(header_of("<f8", "(2, 2)") + std::string(35, '\0'));
  ASSERT_EQ(longer.warnings.size(), 1U);
  EXPECT_EQ(longer.warnings[0].code, WarningCode::npy_extra_bytes);
}

TEST(Npy, RefusesImpossibleHeaders) {
  EXPECT_EQ(code_of(header_of("<f8", "(-1, 2)")), "M422");
  EXPECT_EQ(code_of(header_of("<f8", "(9223372036854775808, 2)")), "M422");
  EXPECT_EQ(code_of(header_of("<f8", "(9223372036854775807, 9223372036854775807)")), "M422");
  EXPECT_EQ(code_of("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{"s), "M422");
  EXPECT_EQ(code_of("\x93NUMPY\x01\0\xFF\x00{}"s), "M422");
  EXPECT_EQ(code_of("\x93NUMPY\x07\0\x02\x00{}"s), "M422");
  EXPECT_EQ(code_of("\x93NUMPY\x01\0"s), "M422");
  for (const char* text :
       {"", "{}", "{'descr': '<f8'}", "{'descr': '', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (1, 1)}", "{'shape': (1 1)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} exit()",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'x': 1}", "{'descr"})
    EXPECT_EQ(code_of(header_of(text)), "M422") << text;
}

TEST(Npy, RefusesElementTypesThatAreNoNumbers) {
  EXPECT_EQ(code_of(header_of("|O", "(2, 2)")), "M403");
  EXPECT_EQ(code_of(header_of("|V8", "(2, 2)")), "M423");
  EXPECT_EQ(code_of(header_of(
                "{'descr': [('x', '<f8'), ('y', '<f8')], 'fortran_order': False, 'shape': (2,)}")),
            "M423");
  EXPECT_EQ(code_of(header_of("<c16", "(2, 2)")), "M424");
  for (const char* type :
       {"<U5", "|S3", "<M8[ns]", "<f16", "<f3", "i", "<f99999999999999999999", "zz"})
    EXPECT_EQ(code_of(header_of(type, "(2, 2)")), "M428") << type;
}

TEST(Npy, RefusesOtherThanTwoDimensionsAndSaysHowToFixIt) {
  EXPECT_EQ(code_of(header_of("<f8", "()") + bytes_of<double>({1})), "M425");
  const Error error = error_of(header_of("<f8", "(2,)") + bytes_of<double>({1, 2}));
  EXPECT_EQ(code_text(error.code()), "M425");
  EXPECT_NE(error.hint().find("reshape(-1, 1)"), std::string::npos);
  EXPECT_NE(error_of(header_of("|u1", "(2, 2, 2)") + "12345678").hint().find("--images"),
            std::string::npos);
  EXPECT_EQ(code_of(header_of("<f8", "(0, 3)")), "M202");
  EXPECT_EQ(code_of(header_of("<f8", "(3, 0)")), "M211");
}

TEST(Npy, FlattensImagesWhenAsked) {
  std::vector<unsigned char> pixels(24);
  for (std::size_t i = 0; i < 24; ++i) pixels[i] = static_cast<unsigned char>(i);
  const Table table = read(header_of("|u1", "(2, 3, 4)") + bytes_of(pixels), {.images = true});
  ASSERT_EQ(table.data.dim(), 12);
  EXPECT_EQ(table.data.view().at(1, 5), 17);
  // In Fortran order element (a, b, c) lies at a + 2 b + 6 c, and is column 4 b + c of row a.
  const Table other =
      read(header_of("|u1", "(2, 3, 4)", true) + bytes_of(pixels), {.images = true});
  for (Index a = 0; a < 2; ++a)
    for (Index b = 0; b < 3; ++b)
      for (Index c = 0; c < 4; ++c)
        EXPECT_EQ(other.data.view().at(a, 4 * b + c), static_cast<double>(a + 2 * b + 6 * c));
}

TEST(Npy, NamesRowAndColumnOfMissingAndInfiniteValues) {
  const double nan = std::nan("");
  const std::string gaps = header_of("<f8", "(3, 2)") + bytes_of<double>({1, 2, 3, nan, 5, 6});
  const Error error = error_of(gaps);
  EXPECT_EQ(code_text(error.code()), "M212");
  EXPECT_NE(error.message().find("row 2, column 2"), std::string::npos);
  EXPECT_EQ(error.place(), "t.npy");
  const Table dropped = read(gaps, {.columns = {.missing = "drop"}});
  expect_values(dropped, {{1, 2}, {5, 6}});
  EXPECT_EQ(dropped.gaps.rows_dropped, 1);
  expect_values(read(gaps, {.columns = {.missing = "mean"}}), {{1, 2}, {3, 4}, {5, 6}});
  expect_values(read(gaps, {.columns = {.drop = {"2"}}}), {{1}, {3}, {5}});
  EXPECT_EQ(code_of(header_of("<f4", "(1, 1)") + bytes_of<float>({HUGE_VALF}),
                    {.columns = {.missing = "mean"}}),
            "M212");
}

TEST(Npy, ChoosesColumnsAndLabelsByNumber) {
  const std::string content = header_of("<f4", "(2, 3)") + bytes_of<float>({1, 2, 7, 4, 5, 7});
  const Table table = read(content, {.columns = {.only = {"2", "1"}, .label = "3"}});
  expect_values(table, {{2, 1}, {5, 4}});
  EXPECT_EQ(table.data.type(), Scalar::f32);
  EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"7"}));
  EXPECT_EQ(code_of(content, {.columns = {.drop = {"4"}}}), "M216");
  EXPECT_EQ(code_of(content, {.columns = {.drop = {"1", "2", "3"}}}), "M211");
}

TEST(Npy, RefusesAnArrayOverTheMemoryBudget) {
  Context context;
  context.budget.memory = 500;
  const std::string content = header_of("|i1", "(100, 1)") + std::string(100, '\1');
  EXPECT_EQ(code_text(error_of(content, {}, context).code()), "M301");
}

TEST(Npy, WritesWhatItReadsBack) {
  Points points(3, 2);
  points << 0.1, -2, 3e300, 4e-310, 5, 6;
  const std::string content = table_text(npy_format(), points, {});
  EXPECT_EQ(content.find("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"), 10U);
  EXPECT_EQ(content.size() % 64, 48U);  // header of 128 or 64 bytes, then 48
  EXPECT_EQ(content[content.size() - 49], '\n');
  EXPECT_EQ(read(content).data.view().to_points(), points);
  const Block columns = points;
  EXPECT_EQ(table_text(npy_format(), columns, {}), content);
  const float floats[] = {0.1F, 2};
  const Table table = read(table_text(npy_format(), DataView(floats, Scalar::f32, 2, 1, 1, 1), {}));
  EXPECT_EQ(table.data.type(), Scalar::f32);
  EXPECT_EQ(table.data.view().at(0, 0), static_cast<double>(0.1F));
}

TEST(Npy, SurvivesRandomAndMutatedBytes) {
  const std::string seed = header_of("<f4", "(3, 2)") + bytes_of<float>({1, 2, 3, 4, 5, 6});
  const Random random(5);
  std::uint64_t draw = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string content = seed;
    for (std::uint64_t i = random.below(6, draw++) + 1; i > 0; --i) {
      const std::uint64_t at = random.below(content.size(), draw++);
      const bool digit = random.below(2, draw++) == 0;
      content[at] = digit ? "0123456789(),:'<>|fiubO"[random.below(23, draw)]
                          : static_cast<char>(random.below(256, draw));
      if (random.below(10, ++draw) == 0) content.resize(random.below(content.size(), draw) + 1);
    }
    if (round % 10 == 0)
      std::memcpy(content.data(), "\x93NUMPY", std::min<std::size_t>(6, content.size()));
    try {
      const Table table = read(content, {.images = round % 2 == 0});
      EXPECT_LE(table.data.n() * table.data.dim(), 24);
    } catch (const Error&) {
    }
  }
}

}  // namespace npy_test
}  // namespace mercer
