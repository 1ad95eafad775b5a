// Text tables in pieces: whatever their size and the number of threads, the result and the errors
// are those of the whole text.
#include "mercer/core/random.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/compression.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/csv/quick_number.h"
#include "mercer/io/detail/csv/table.h"
#include "tests/io/csv_reading.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace mercer {
namespace csv_stream_test {

using csv_reading::expect_values, csv_reading::has_note, csv_reading::Texts;
using detail::TextLimits;

Table read(std::string_view text, const TextLimits& limits, const ReadOptions& options = {},
           Index threads = 2, std::uint64_t memory = std::uint64_t{1} << 40) {
  Context context;
  context.budget.threads = threads;
  context.budget.memory = memory;
  Source source(text, "t.csv", memory);
  return detail::read_text_table(source, options, context, limits);
}

// All there is to know about a result or an error, in one text.
std::string outcome(std::string_view text, const TextLimits& limits,
                    const ReadOptions& options = {}, Index threads = 2) {
  try {
    const Table table = read(text, limits, options, threads);
    const DataView view = table.data.view();
    std::string all = fmt::format("{} x {}\n", view.n(), view.dim());
    for (Index i = 0; i < view.n(); ++i)
      for (Index j = 0; j < view.dim(); ++j) all += fmt::format("{},", view.at(i, j));
    for (const std::string& name : table.data.column_names) all += name + ";";
    for (const std::string& id : table.data.ids) all += id + ";";
    for (const std::string& name : table.data.labels.classes) all += name + ";";
    for (const Index label : table.data.labels.of_row) all += fmt::format("{},", label);
    for (const Note& note : table.notes) all += "\n" + note.text + note.flag;
    for (const Warning& warning : table.warnings) all += "\n" + warning.message;
    return all;
  } catch (const Error& error) {
    return error.what() + error.place() + error.hint();
  }
}

Error error_of(std::string_view text, const TextLimits& limits, const ReadOptions& options = {},
               std::uint64_t memory = std::uint64_t{1} << 40) {
  try {
    read(text, limits, options, 2, memory);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "read without an error";
  return {ErrorCode::internal, "none"};
}

constexpr Index kSizes[] = {1, 7, 64, 1000};

std::string table_text(Index rows) {
  const Random random(3);
  std::string text = "name,x,\"kind, of\",y\n";
  for (Index i = 0; i < rows; ++i) {
    const auto draw = static_cast<std::uint64_t>(i);
    text += fmt::format("p{},{:.12g},{},{}\n", i, random.normal(draw),
                        i % 5 == 0 ? "\"a \"\"b\"\"\nc, d\"" : "plain 5\" pipe",
                        i % 7 == 0 ? "\" 1e-3 \"" : fmt::format("{}", i - 40));
    if (i % 11 == 0) text += " \t\n\n";
  }
  return text;
}

TEST(CsvStream, GivesTheSameForPiecesOfEverySizeAndAnyNumberOfThreads) {
  const std::string text = table_text(200);
  const std::string whole = outcome(text, {}, {}, 1);
  ASSERT_NE(whole.find("200 x 2"), std::string::npos) << whole.substr(0, 200);
  for (const Index size : kSizes)
    for (const Index threads : {1, 2, 8})
      EXPECT_EQ(outcome(text, {.piece_bytes = size}, {}, threads), whole) << size << " " << threads;
  std::string other = text;
  for (std::size_t at = 0; (at = other.find('\n', at)) != other.npos; at += 2)
    other.replace(at, 1, "\r\n");
  EXPECT_EQ(outcome(other, {.piece_bytes = 50}).substr(0, 400), whole.substr(0, 400));
}

TEST(CsvStream, ReadsBeyondTheWindow) {
  const std::string text = table_text(200);
  const ReadOptions told{.text = {.delimiter = ',', .header = true}};
  const std::string whole = outcome(text, {}, told);
  for (const Index window : {1, 100, 3000})
    for (const Index size : kSizes)
      EXPECT_EQ(outcome(text, {.window_bytes = window, .piece_bytes = size}, told), whole);
  std::string spaced;
  for (Index i = 0; i < 300; ++i) spaced += fmt::format("  {} \t{:.3f}   -1\t\r\n", i, 0.5);
  EXPECT_EQ(outcome(spaced, {.window_bytes = 20, .piece_bytes = 30}), outcome(spaced, {}));
}

TEST(CsvStream, SkipsMoreLinesThanTheWindowHolds) {
  std::string text;
  for (Index i = 0; i < 500; ++i) text += fmt::format("rubbish {}\n", i);
  text += "x,y\n1,2\n3,4\n";
  const TextLimits limits{.window_bytes = 50, .piece_bytes = 10};
  expect_values(read(text, limits, {.text = {.skip = 500}}), {{1, 2}, {3, 4}});
  EXPECT_EQ(code_text(error_of(text, limits, {.text = {.skip = 503}}).code()), "M201");
  EXPECT_EQ(error_of(text + "5,oops\n6,7\n", limits, {.text = {.skip = 500}}).place().substr(0, 11),
            "t.csv:504:2");
}

TEST(CsvStream, NamesTheFirstBadRowAndCountsAllOfThem) {
  std::string text = "x,y\n";
  for (Index i = 0; i < 400; ++i) text += i % 50 == 37 ? "1,oops\n" : "1,2\n";
  for (const Index size : kSizes) {
    const Error error = error_of(text, {.piece_bytes = size});
    EXPECT_EQ(error.place(),
              "t.csv:39:2   value \"oops\" (8 such rows: 39, 89, 139, 189, 239, ...)");
  }
  std::string ragged = "x,y\n\"1\n\n1\",2\n";
  for (Index i = 0; i < 400; ++i) ragged += i >= 300 ? "1,2,3\n" : "1,2\n";
  for (const Index size : kSizes)
    for (const Index threads : {1, 8})
      EXPECT_NE(outcome(ragged, {.piece_bytes = size}, {}, threads).find("t.csv:305"), ragged.npos);
}

TEST(CsvStream, FindsZeroBytesAndOpenQuotesFarBehindTheBeginning) {
  std::string text = "x,y\n";
  for (Index i = 0; i < 1000; ++i) text += "1,2\n";
  const TextLimits limits{.window_bytes = 100, .piece_bytes = 64};
  std::string nul = text;
  nul[4 + 4 * 700] = '\0';
  // The head of the source is looked at first; what is behind it is found in its piece.
  nul.insert(4, std::string("1,2222222222\n") + std::string(70'000, '\n'));
  EXPECT_EQ(error_of(nul, limits).place(), "t.csv:70703");
  EXPECT_EQ(code_text(error_of(nul, limits).code()), "M206");
  const Error open = error_of(text + "3,\"4\n5,6\n7,8\n", limits);
  EXPECT_EQ(code_text(open.code()), "M208");
  EXPECT_EQ(open.place(), "t.csv:1002");
}

TEST(CsvStream, LimitsTheLengthOfLinesAndQuotedCellsEverywhere) {
  std::string text = "x,y\n";
  for (Index i = 0; i < 100; ++i) text += "1,2\n";
  const TextLimits limits{.line_bytes = 300, .window_bytes = 50, .piece_bytes = 64};
  const Error line = error_of(text + "1," + std::string(2000, '3') + "\n1,2\n", limits);
  EXPECT_EQ(code_text(line.code()), "M214");
  EXPECT_NE(line.message().find("line 102 "), std::string::npos) << line.message();
  std::string quoted = text + "1,\"";
  for (Index i = 0; i < 500; ++i) quoted += "2\n";
  EXPECT_EQ(code_text(error_of(quoted + "\"\n", limits).code()), "M208");
}

TEST(CsvStream, ReadsATextLargerThanTheMemoryWhoseNumbersFit) {
  constexpr Index kRows = 40'000;
  std::string text;
  for (Index i = 0; i < kRows; ++i)
    text += fmt::format("{:.60f},{:.60f}\n", 1.0 / static_cast<double>(i + 1), 0.1);
  const std::uint64_t numbers = kRows * 2 * 8;
  const std::uint64_t memory = 3 * numbers;
  ASSERT_GT(text.size(), 2 * memory);
  const Table table = read(text, {}, {}, 2, memory);
  EXPECT_EQ(table.data.n(), kRows);
  EXPECT_EQ(table.data.view().at(kRows - 1, 0), 1.0 / kRows);
  EXPECT_EQ(code_text(error_of(text, {}, {}, numbers).code()), "M301");
}

TEST(CsvStream, RefusesATableFarBeyondTheBudgetEarly) {
  std::string text;
  for (Index i = 0; i < 400'000; ++i) text += "1,2,3,4\n";
  Context context;
  context.budget.memory = 2'000'000;
  Source source(text, "t.csv", context.budget.memory);
  EXPECT_THROW(detail::read_text_table(source, {}, context), Error);
  EXPECT_LT(source.share(), 0.5);
}

TEST(CsvStream, SpellsNumbersAnewWhereTextsAppearLate) {
  std::string text = "id,x\n";
  for (Index i = 0; i < 50; ++i) text += fmt::format("{},1\n", i + 10);
  for (Index i = 0; i < 60; ++i) text += fmt::format("a{},2\n", i);
  const Table whole = read(text, {});
  const Table pieces = read(text, {.piece_bytes = 30});
  EXPECT_EQ(whole.data.ids, pieces.data.ids);
  EXPECT_EQ(pieces.data.ids[0], "10");
  EXPECT_TRUE(has_note(pieces, "spelt anew"));
  EXPECT_FALSE(has_note(whole, "spelt anew"));
}

TEST(CsvStream, ReadsCompressedText) {
  const std::string text = table_text(5000);
  for (const std::string compression : {"gzip", "zstd"}) {
    const std::string packed = detail::compressed(text, compression);
    EXPECT_EQ(outcome(packed, {.piece_bytes = 5000}), outcome(text, {}));
    const std::string cut = packed.substr(0, packed.size() - 20);
    EXPECT_EQ(code_text(error_of(cut, {.piece_bytes = 5000}).code()), "M407");
  }
}

TEST(CsvStream, SurvivesRandomTextInPieces) {
  const std::string alphabet = ",,;\t \"\"\n\n\r.0123456789-eaN";
  const Random random(17);
  std::uint64_t draw = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = round % 3 == 0 ? "" : "a,b\n1,2\n";
    const std::uint64_t length = random.below(80, draw++);
    for (std::uint64_t i = 0; i < length; ++i)
      text += alphabet[random.below(alphabet.size(), draw++)];
    const std::string pieces = outcome(text, {.piece_bytes = 5}, {.columns = {.missing = "drop"}});
    if (pieces.find("spelt anew") != pieces.npos) continue;
    EXPECT_EQ(pieces, outcome(text, {}, {.columns = {.missing = "drop"}}, 1)) << text;
  }
}

TEST(CompleteRows, EndWhereTheRowReaderEndsARow) {
  const std::string alphabet = "a1,\"\"\n\n \t\r";
  const Random random(23);
  std::uint64_t draw = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const std::uint64_t length = random.below(24, draw++);
    for (std::uint64_t i = 0; i < length; ++i)
      text += alphabet[random.below(alphabet.size(), draw++)];
    const char delimiter = ",\t "[round % 3];
    detail::RowReader reader(text, delimiter, '\n');
    std::vector<detail::Cell> cells;
    Index expected = 0;
    while (reader.next(cells))
      if (text[static_cast<std::size_t>(reader.position() - 1)] == '\n')
        expected = reader.position();
    std::size_t found = detail::complete_rows(text, delimiter, '\n');
    // Blank lines behind the last row are no row to the reader.
    EXPECT_GE(static_cast<Index>(found), expected) << text;
    EXPECT_TRUE(trim(std::string_view(text).substr(static_cast<std::size_t>(expected),
                                                   found - static_cast<std::size_t>(expected)))
                    .empty())
        << text;
  }
}

TEST(QuickNumber, IsExactOrSaysNothing) {
  const Random random(29);
  std::uint64_t draw = 0;
  Index quick = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string text = random.below(3, draw++) == 0 ? "-" : "";
    const auto digits = [&](std::uint64_t most) {
      for (std::uint64_t i = random.below(most, draw++); i > 0; --i)
        text += static_cast<char>('0' + random.below(10, draw++));
    };
    digits(12);
    if (random.below(4, draw++) != 0) text += '.';
    digits(12);
    if (random.below(4, draw++) == 0) text += random.below(2, draw++) == 0 ? "e-" : "E+";
    if (text.ends_with('-') || text.ends_with('+')) digits(4);
    const std::string padded = text + ",77777777";
    double value = 0;
    const char* end = detail::quick_number(padded.data(), '.', value);
    if (end == nullptr) continue;
    ++quick;
    char* standard_end = nullptr;
    const double standard = std::strtod(padded.data(), &standard_end);
    EXPECT_EQ(std::memcmp(&value, &standard, sizeof value), 0) << text;
    EXPECT_EQ(end, standard_end) << text;
  }
  EXPECT_GT(quick, 30'000);
}

TEST(QuickNumber, LeavesWhatItCannotDoExactly) {
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1e23", "1e-23", "+1", "inf", "nan",
                           "abc", "12345678901234567890", "9007199254740993", "1e1000"}) {
    double value = 0;
    const std::string padded = std::string(text) + ",        ";
    EXPECT_EQ(detail::quick_number(padded.data(), '.', value), nullptr) << text;
  }
}

}  // namespace csv_stream_test
}  // namespace mercer
