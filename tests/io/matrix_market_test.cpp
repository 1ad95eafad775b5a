#include "mercer/io/table.h"
#include "tests/io/damage.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>

#include <limits>

namespace mercer {

const TableFormat& matrix_market_format();

namespace matrix_market_test {

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";
const std::string kArray = "%%MatrixMarket matrix array real general\n";

Table read(const std::string& content, const ReadOptions& options = {},
           const Context& context = {}) {
  Source source(content, "t.mtx", std::numeric_limits<std::uint64_t>::max());
  return matrix_market_format().read(source, options, context);
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

void expect_refused(const std::string& content, std::string_view text) {
  const Error error = error_of(content);
  EXPECT_EQ(code_text(error.code()), "M442") << content;
  EXPECT_NE(error.message().find(text), std::string::npos) << error.message();
  EXPECT_EQ(error.place(), "t.mtx");
}

TEST(MatrixMarket, KeepsCoordinateMatricesSparse) {
  // Written by scipy.io.mmwrite, with entries put out of order.
  const Table table = read(kGeneral + "%\n3 4 4\n3 4 1e-3\n1 2 1.5\n1 1 -2\n3 1 0\n");
  EXPECT_TRUE(table.data.sparse());
  EXPECT_EQ(table.format, "matrix_market");
  Points expected = Points::Zero(3, 4);
  expected(2, 3) = 1e-3;
  expected(0, 1) = 1.5;
  expected(0, 0) = -2;
  EXPECT_EQ(table.data.view().to_points(), expected);
  EXPECT_EQ(table.data.view().stored(), 3);  // the zero is not kept
  EXPECT_TRUE(table.notes.empty());
}

TEST(MatrixMarket, MakesBothHalvesOfSymmetricMatrices) {
  Points symmetric(3, 3), skew(3, 3);
  symmetric << 1, 2, 0, 2, 0, 5, 0, 5, 0;
  skew << 0, -2, 0, 2, 0, -5, 0, 5, 0;
  const std::string banner = "%%MatrixMarket MATRIX Coordinate Integer ";
  EXPECT_EQ(read(banner + "symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 5\n").data.view().to_points(),
            symmetric);
  EXPECT_EQ(read(banner + "skew-symmetric\n3 3 2\n2 1 2\n3 2 5\n").data.view().to_points(), skew);
  const std::string array = "%%MatrixMarket matrix array real ";
  EXPECT_EQ(read(array + "symmetric\n3 3\n1\n2\n0\n0\n5\n0\n").data.view().to_points(), symmetric);
  EXPECT_EQ(read(array + "skew-symmetric\n3 3\n2\n0\n5\n").data.view().to_points(), skew);
  expect_refused(banner + "symmetric\n3 3 1\n1 2 1\n", "line 3");
  expect_refused(banner + "skew-symmetric\n3 3 1\n1 1 1\n", "lower half");
  expect_refused(banner + "symmetric\n3 2 1\n1 1 1\n", "3 x 2");
}

TEST(MatrixMarket, ReadsPatternsAndArrays) {
  const Table pattern = read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n");
  Points expected(2, 2);
  expected << 0, 1, 1, 0;
  EXPECT_EQ(pattern.data.view().to_points(), expected);
  const Table array = read(kArray + "% a comment\n\n2 3\n1\n4\n2\n5\n\n3\n6");
  EXPECT_FALSE(array.data.sparse());
  Points dense(2, 3);
  dense << 1, 2, 3, 4, 5, 6;
  EXPECT_EQ(array.data.view().to_points(), dense);
}

TEST(MatrixMarket, AddsUpEntriesOfOnePlaceWithANote) {
  const Table table = read(kGeneral + "2 2 4\n1 2 1\n2 2 5\n1 1 7\n1 2 0.5\n");
  EXPECT_EQ(table.data.view().at(0, 1), 1.5);
  EXPECT_EQ(table.data.view().stored(), 3);
  ASSERT_EQ(table.notes.size(), 1U);
}

TEST(MatrixMarket, RefusesOtherBannersWithTheLine) {
  expect_refused("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "complex");
  expect_refused("%%MatrixMarket matrix array complex hermitian\n1 1\n1 0\n", "complex");
  expect_refused("%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n", "line 1");
  expect_refused("%%MatrixMarket matrix sparse real general\n1 1 1\n1 1 1\n", "\"sparse\"");
  expect_refused("%%MatrixMarket matrix coordinate float general\n1 1 1\n1 1 1\n", "\"float\"");
  expect_refused("%%MatrixMarket matrix coordinate real triangular\n1 1 1\n1 1 1\n",
                 "\"triangular\"");
  expect_refused("%%MatrixMarket matrix array pattern general\n1 1\n1\n", "pattern");
  expect_refused("%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", "banner");
  expect_refused("", "banner");
  expect_refused(kGeneral, "sizes");
  expect_refused(kGeneral + "% only\n%comments", "sizes");
}

TEST(MatrixMarket, RefusesCountsAndIndicesThatAreWrong) {
  expect_refused(kGeneral + "2 2 3\n1 1 1\n2 2 1\n", "2 of 3 entries");
  expect_refused(kGeneral + "2 2 1\n1 1 1\n\n2 2 1\n", "line 5: there are more than the 1 entries");
  expect_refused(kGeneral + "2 2 1\n0 1 1\n", "line 3: there is no row 0");
  expect_refused(kGeneral + "2 2 1\n1 3 1\n", "there is no column 3: they are numbered 1 to 2");
  expect_refused(kGeneral + "2 2 1\n99999999999999999999 1 1\n", "there is no row");
  expect_refused(kGeneral + "2 2 1\n1.5 1 1\n", "\"1.5\"");
  expect_refused(kGeneral + "2 2 1\n1 1\n", "\"\" is no number");
  expect_refused(kGeneral + "2 2 1\n1 1 x\n", "\"x\" is no number");
  expect_refused(kGeneral + "2 2 1\n1 1 1 1\n", "too much");
  expect_refused(kGeneral + "2 2\n1 1 1\n", "sizes");
  expect_refused(kGeneral + "-2 2 1\n1 1 1\n", "sizes");
  expect_refused(kArray + "2 2\n1\n2\n3\n", "4 entries are promised");
  expect_refused(kArray + "2 2\n1\n2\n3\n4\n5\n", "more than the 4");
  EXPECT_EQ(code_text(error_of(kGeneral + "0 2 0\n").code()), "M202");
  EXPECT_EQ(code_text(error_of(kGeneral + "2 0 0\n").code()), "M211");
  EXPECT_EQ(code_text(error_of(kGeneral + "1 1 1\n1 1 1e999\n").code()), "M213");
}

TEST(MatrixMarket, BelievesNoSizeThatTheTextCannotBack) {
  expect_refused(kArray + "2147483647 2147483647\n1\n", "are promised");
  expect_refused(kGeneral + "9 9 9223372036854775807\n1 1 1\n", "are promised");
  expect_refused(kGeneral + "2000000000 9 1\n1 1 1\n", "nearly all rows would be empty");
  expect_refused(kGeneral + "9 4294967296 1\n1 1 1\n", "too large");
  EXPECT_EQ(code_text(error_of(kGeneral + "9 20000000 1\n1 1 1\n").code()), "M215");
  Context context;
  context.budget.memory = 1000;
  EXPECT_EQ(test::code_of([&] { read(kGeneral + "1000 9 1\n1 1 1\n", {}, context); }), "M301");
  EXPECT_EQ(read(kGeneral + "1000 9 1\n1 1 1\n").data.n(), 1000);
}

TEST(MatrixMarket, TreatsMissingValuesAsAsked) {
  const std::string gaps = kGeneral + "3 2 3\n1 1 NaN\n2 1 4\n3 2 1\n";
  EXPECT_NE(error_of(gaps).message().find("line 3"), std::string::npos);
  EXPECT_EQ(code_text(error_of(gaps).code()), "M212");
  EXPECT_EQ(read(gaps, {.columns = {.missing = "drop"}}).data.n(), 2);
  EXPECT_EQ(read(gaps, {.columns = {.missing = "mean"}}).data.view().at(0, 0), 2);
  EXPECT_EQ(
      code_text(error_of(kGeneral + "1 1 1\n1 1 inf\n", {.columns = {.missing = "drop"}}).code()),
      "M212");
}

TEST(MatrixMarket, ChoosesColumnsAndLabels) {
  const std::string content = kGeneral + "2 3 3\n1 1 5\n1 3 7\n2 2 6\n";
  const Table table = read(content, {.columns = {.drop = {"2"}, .label = "1"}});
  ASSERT_EQ(table.data.dim(), 1);
  EXPECT_EQ(table.data.view().at(0, 0), 7);
  EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"5", "0"}));
}

TEST(MatrixMarket, WritesWhatItReadsBack) {
  Points points(3, 2);
  points << 0.1, -2, 3e300, 4e-310, 5, 1.0 / 3;
  const std::string dense = table_text(matrix_market_format(), points, {});
  EXPECT_EQ(dense.substr(0, kArray.size() + 8), kArray + "3 2\n0.1\n");
  EXPECT_EQ(read(dense).data.view().to_points(), points);
  const Dataset sparse(SparseRows{{0, 1, 1, 3}, {4, 0, 2}, {0.1, -1e-300, 2.0 / 3}}, 5);
  const std::string text = table_text(matrix_market_format(), sparse, {});
  EXPECT_EQ(text.substr(0, kGeneral.size() + 6), kGeneral + "3 5 3\n");
  const Table back = read(text);
  EXPECT_TRUE(back.data.sparse());
  EXPECT_EQ(back.data.dim(), 5);
  EXPECT_EQ(back.data.view().to_points(), sparse.view().to_points());
}

TEST(MatrixMarket, IsRecognisedByItsBanner) {
  const auto recognise = matrix_market_format().recognise;
  EXPECT_TRUE(recognise(kGeneral));
  EXPECT_TRUE(recognise("%%matrixmarket MATRIX"));
  EXPECT_TRUE(recognise("%MatrixMarket matrix"));  // its reader says what is wrong with it
  for (const char* text :
       {"", "%", "%%", "% matrix of mine\n1 2", "%PDF-1.4", "MatrixMarket", "1 2\n"})
    EXPECT_FALSE(recognise(text)) << text;
}

TEST(MatrixMarket, SurvivesDamage) {
  const auto attempt = [](const std::string& content) {
    EXPECT_LE(read(content, {.columns = {.missing = "drop"}}).data.view().stored(), 20);
  };
  test::read_damaged(kGeneral + "% x\n3 4 4\n3 4 1e-3\n1 2 1.5\n1 1 -2\n3 1 nan\n", attempt,
                     10'000);
  test::read_damaged("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n0\n0\n5\n0\n", attempt,
                     10'000);
}

}  // namespace matrix_market_test
}  // namespace mercer
