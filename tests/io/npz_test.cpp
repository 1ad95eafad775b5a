#include "mercer/io/detail/numpy/npy_table.h"
#include "mercer/io/detail/numpy/zip_archive.h"
#include "mercer/io/table.h"
#include "tests/io/damage.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>
#include <numeric>

namespace mercer {

const TableFormat& npz_format();

namespace npz_test {

using namespace std::string_literals;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// numpy.savez_compressed(file, x=[[1, 2], [3, 4.5]], y=[7, 3]), NumPy 1.24.
const std::string kTwoArrays = from_hex(
    "504b030414000000080000002100a357bd5b55000000a000000005001400782e6e707901001000a000000000"
    "00000055000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1aea3a09e965f5452"
    "9498179f5f94920a12774bcc294e058a17672416a402f91a463a0a469a3a0ab50a64032e0630f8600fa1191c"
    "2014079416720000504b030414000000080000002100769527764a0000009000000005001400792e6e707901"
    "00100090000000000000004a000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a1"
    "aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a463a9a3a0ab50a14002e7606"
    "086086d200504b0102140314000000080000002100a357bd5b55000000a00000000500000000000000000000"
    "00800100000000782e6e7079504b0102140314000000080000002100769527764a0000009000000005000000"
    "000000000000000080018c000000792e6e7079504b05060000000002000200660000000d0100000000");

// numpy.savez_compressed(file, numpy.arange(6, dtype='>i2').reshape(2, 3)).
const std::string kOneArray = from_hex(
    "504b03041400000008000000210090bcddc2520000008c000000090014006172725f302e6e7079010010008c"
    "0000000000000052000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9769a4aea3a09e"
    "965f54529498179f5f94920a12774bcc294e058a17672416a402f91a463a0ac69a3a0ab50a64032e06060646"
    "062606660616065600504b010214031400000008000000210090bcddc2520000008c00000009000000000000"
    "00000000008001000000006172725f302e6e7079504b05060000000001000100370000008d0000000000");

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  const std::string dictionary =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY\x01\0"s + static_cast<char>(dictionary.size()) + '\0' + dictionary + data;
}

const std::string kMatrix = npy("|u1", "(2, 3)", "abcdef");

std::string number(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i, value >>= 8) bytes += static_cast<char>(value & 0xFF);
  return bytes;
}

// One entry of an archive with everything that can be wrong about it.
struct Member {
  std::string name = "x.npy";
  std::string content = kMatrix;
  std::uint64_t flags = 0, method = 0;
  std::uint64_t claimed = ~0ULL;  // size of the content; the true one if all ones
  std::uint64_t checksum = ~0ULL;
  std::string name_in_header = {};  // where it differs
  std::uint64_t offset = ~0ULL;
  std::string extra = {};
};

// Written from the format's description, independently of the library.
std::string archive_of(const std::vector<Member>& members, const std::string& end_extra = {}) {
  std::string archive, directory;
  for (const Member& member : members) {
    const std::uint64_t claimed = member.claimed == ~0ULL ? member.content.size() : member.claimed;
    const std::uint64_t crc =
        member.checksum != ~0ULL
            ? member.checksum
            : crc32(0, reinterpret_cast<const unsigned char*>(member.content.data()),
                    static_cast<unsigned>(member.content.size()));
    const std::string common = number(member.flags, 2) + number(member.method, 2) + number(0, 4) +
                               number(crc, 4) + number(member.content.size(), 4) +
                               number(claimed, 4);
    const std::string& local = member.name_in_header.empty() ? member.name : member.name_in_header;
    const std::uint64_t offset = member.offset == ~0ULL ? archive.size() : member.offset;
    archive += "PK\3\4\x14\0"s + common + number(local.size(), 2) + number(0, 2) + local;
    archive += member.content;
    directory += "PK\1\2\x14\0\x14\0"s + common + number(member.name.size(), 2) +
                 number(member.extra.size(), 2) + number(0, 10) + number(offset, 4) + member.name +
                 member.extra;
  }
  const std::string count = number(members.size(), 2);
  return archive + directory + end_extra + "PK\5\6"s + number(0, 4) + count + count +
         number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
}

Table read(const std::string& content, const ReadOptions& options = {},
           const Context& context = {}) {
  Source source(content, "t.npz", std::numeric_limits<std::uint64_t>::max());
  return npz_format().read(source, options, context);
}

Error error_of(const std::string& content, const ReadOptions& options = {}) {
  try {
    read(content, options);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "read without an error";
  return {ErrorCode::internal, "none"};
}

void expect_refused(const std::string& content, std::string_view text) {
  const Error error = error_of(content);
  EXPECT_EQ(code_text(error.code()), "M427") << text;
  EXPECT_NE(error.message().find(text), std::string::npos) << error.message();
}

TEST(Npz, ReadsTheOnlyArrayOfWhatNumpyWrites) {
  const Table table = read(kOneArray);
  Points expected(2, 3);
  expected << 0, 1, 2, 3, 4, 5;
  EXPECT_EQ(table.data.view().to_points(), expected);
  EXPECT_EQ(table.format, "npz");
  EXPECT_TRUE(table.notes.empty());
  EXPECT_EQ(read(archive_of({{}})).data.type(), Scalar::u8);
}

TEST(Npz, TakesAMatrixAndItsLabelsTogether) {
  const Table table = read(kTwoArrays);
  Points expected(2, 2);
  expected << 1, 2, 3, 4.5;
  EXPECT_EQ(table.data.view().to_points(), expected);
  EXPECT_EQ(table.data.labels.name, "y");
  EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"7", "3"}));
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0].text, "numbers from array x, labels from y");
  EXPECT_TRUE(read(kTwoArrays, {.columns = {.label = "none"}}).data.labels.empty());
  EXPECT_EQ(read(kTwoArrays, {.columns = {.label = "y"}}).data.labels.classes.size(), 2U);
  EXPECT_EQ(read(kTwoArrays, {.columns = {.label = "2"}}).data.labels.classes,
            (std::vector<std::string>{"2", "4.5"}));
}

TEST(Npz, ListsSeveralArraysAndSaysHowToChoose) {
  const std::string archive =
      archive_of({{.name = "y_train.npy", .content = npy("<i8", "(1,)", number(5, 8))},
                  {.name = "x_train.npy", .content = npy("|u1", "(1, 2, 2)", "abcd")},
                  {.name = "x_test.npy", .content = npy("|u1", "(2, 2)", "efgh")},
                  {.name = "meta.npy", .content = npy("|O", "()", "pickle")}});
  const Error error = error_of(archive);
  EXPECT_EQ(code_text(error.code()), "M426");
  EXPECT_EQ(error.message(),
            "the archive holds 4 arrays: y_train (1), x_train (1 x 2 x 2), x_test (2 x 2), "
            "meta (cannot be read)");
  EXPECT_EQ(error.hint(), "say which one to read: t.npz:x_train");
  EXPECT_EQ(read(archive, {.member = "x_test"}).data.view().at(1, 0), 'g');
  EXPECT_EQ(read(archive, {.member = "x_test.npy"}).data.view().at(1, 1), 'h');
  EXPECT_EQ(read(archive, {.images = true, .member = "x_train"}).image_shape,
            (std::vector<Index>{2, 2}));
  EXPECT_EQ(code_text(error_of(archive, {.member = "x_train"}).code()), "M425");
  EXPECT_EQ(code_text(error_of(archive, {.member = "y_train"}).code()), "M425");
  EXPECT_EQ(code_text(error_of(archive, {.member = "meta"}).code()), "M403");
  EXPECT_EQ(error_of(archive, {.member = "meta"}).place(), "t.npz:meta");
  EXPECT_EQ(code_text(error_of(archive, {.member = "x"}).code()), "M426");
}

TEST(Npz, GuessesNoPairThatDoesNotFit) {
  const auto code = [](const std::string& name, const std::string& descr, const std::string& shape,
                       const std::string& data) {
    return code_text(
        error_of(archive_of({{}, {.name = name, .content = npy(descr, shape, data)}})).code());
  };
  EXPECT_EQ(code("y.npy", "|u1", "(3,)", "abc"), "M247");       // three labels, two rows
  EXPECT_EQ(code("y.npy", "<f4", "(2,)", "abcdefgh"), "M426");  // measured values
  EXPECT_EQ(code("weights.npy", "|u1", "(2,)", "ab"), "M426");  // another name
  EXPECT_EQ(code("columns.npy", "|S1", "(2,)", "ab"), "M426");  // three columns
  EXPECT_EQ(code("y.npy", "|u1", "(2, 1)", "ab"), "M426");
  const Table labelled =
      read(archive_of({{}, {.name = "target.npy", .content = npy("|S2", "(2,)", "abc\0"s)}}));
  EXPECT_EQ(labelled.data.labels.classes, (std::vector<std::string>{"ab", "c"}));
  // Asked for by name, any list is taken.
  const std::string weights =
      archive_of({{}, {.name = "kind.npy", .content = npy("|u1", "(2,)", "\7\7")}});
  EXPECT_EQ(read(weights, {.columns = {.label = "kind"}}).data.labels.classes,
            (std::vector<std::string>{"7"}));
}

TEST(Npz, RefusesEncryptedAndStrangeEntries) {
  expect_refused(archive_of({{.flags = 1}}), "entry \"x.npy\" is encrypted");
  expect_refused(archive_of({{.flags = 0x40}}), "encrypted");
  expect_refused(archive_of({{.method = 14}}), "method 14");
  for (const char* name :
       {"../x.npy", "a/../../x.npy", "..", "/etc/x.npy", "C:\\x.npy", "C:x.npy", "a\\x.npy"})
    expect_refused(archive_of({{.name = name}}), "the entry name");
  expect_refused(archive_of({{.name = "x\0.npy"s}}), "plain name");
  expect_refused(archive_of({{.name = "\x1b[31m/../x.npy"}}), "\\x1b[31m");
  expect_refused(archive_of({{}, {}}), "entry \"x.npy\" occurs twice");
  expect_refused(archive_of({{.name = "table.csv", .content = "1,2\n"}}), "no array");
  expect_refused(archive_of({}), "no array");
}

TEST(Npz, RefusesOverlappingEntriesAndFalseSizes) {
  // Both entries of the directory point at the same data.
  expect_refused(archive_of({{.name = "a.npy"}, {.name = "b.npy", .name_in_header = "a.npy"}}),
                 "is called \"a.npy\" in its own header");
  const std::string inner = archive_of({{.content = kMatrix}});
  expect_refused(
      archive_of({{.name = "y.npy", .content = inner}, {.name = "x.npy", .offset = 30 + 5}}),
      "entries overlap");
  expect_refused(archive_of({{.claimed = 1000}}), "yet its");
  expect_refused(archive_of({{.checksum = 5}}), "checksum");
  expect_refused(archive_of({{.offset = 7}}), "not where the directory says");
  expect_refused(archive_of({{.offset = 1U << 30}}), "not where the directory says");
  std::string bytes = archive_of({{}});
  bytes[18] = static_cast<char>(bytes[18] + 1);  // the packed size in the entry's own header
  expect_refused(bytes, "contradicts the directory");
  bytes = archive_of({{}});
  bytes[bytes.size() - 12] = 9;  // entries in the end record
  expect_refused(bytes, "claims 9 entries");
  expect_refused("PK\3\4"s, "cut off");
  expect_refused("%PDF-1.4", "looks like a PDF document");
  expect_refused(archive_of({{}}) + "tail", "no directory");
}

TEST(Npz, RefusesLiesAbout64BitSizes) {
  const auto locator = [](std::uint64_t at) {
    return "PK\6\7"s + number(0, 4) + number(at, 8) + number(1, 4);
  };
  const std::string plain = archive_of({{}});
  expect_refused(archive_of({{}}, locator(0)), "not where it should be");
  expect_refused(archive_of({{}}, locator(~0ULL - 8)), "not where it should be");
  const std::uint64_t at = plain.size() - 22;
  const auto wide_end = [&](std::uint64_t size) {
    return "PK\6\6"s + number(44, 8) + number(0, 12) + number(1, 8) + number(1, 8) +
           number(size, 8) + number(at - 51, 8) + locator(at);
  };
  EXPECT_EQ(read(archive_of({{}}, wide_end(51))).data.n(), 2);  // 46 bytes and the name
  expect_refused(archive_of({{}}, wide_end(~0ULL)), "contradict each other");
  expect_refused(archive_of({{.claimed = 0xFFFFFFFF}}), "lacks the 64-bit sizes");
  expect_refused(archive_of({{.method = 8,
                              .claimed = 0xFFFFFFFF,
                              .extra = number(1, 2) + number(8, 2) + number(1ULL << 20, 8)}}),
                 "lacks the 64-bit sizes");
}

TEST(Npz, RefusesDecompressionBombs) {
  const Error error = error_of(archive_of({{.method = 8, .claimed = 0xFFFFFFF0}}));
  EXPECT_EQ(code_text(error.code()), "M408");
  EXPECT_NE(error.message().find("\"x.npy\""), std::string::npos);
  // A stream that grows beyond what it claims is cut at the claim.
  expect_refused(archive_of({{.content = kTwoArrays.substr(55, 85), .method = 8, .claimed = 140}}),
                 "140 bytes it claims");
  expect_refused(archive_of({{.content = kTwoArrays.substr(55, 85), .method = 8, .claimed = 161}}),
                 "161 bytes it claims");
  expect_refused(archive_of({{.content = "\xFF\xFF\xFF", .method = 8}}), "damaged");
}

TEST(Npz, ComparesTheBudgetBeforeUnpacking) {
  Context context;
  context.budget.memory = 159;  // the array has 160 bytes
  EXPECT_EQ(test::code_of([&] { read(kTwoArrays, {}, context); }), "M301");
}

TEST(Npz, ReportsWhatIsWrongWithAnArray) {
  const auto code = [](const std::string& content) {
    return code_text(error_of(archive_of({{.content = content}})).code());
  };
  EXPECT_EQ(code("no array"), "M420");
  EXPECT_EQ(code(npy("<f8", "(65536, 65536)", "")), "M421");
  EXPECT_EQ(code(npy("<f8", "(9223372036854775807, 9)", "")), "M422");
  EXPECT_EQ(code(npy("<U5", "(2, 2)", std::string(80, '\0'))), "M428");
  EXPECT_EQ(code(npy("<f8", "(0, 2)", "")), "M202");
  const auto labels = [](const std::string& descr, const std::string& data) {
    return code_text(
        error_of(archive_of({{}, {.name = "labels.npy", .content = npy(descr, "(2,)", data)}}))
            .code());
  };
  EXPECT_EQ(labels("<U99999999", "ab"), "M422");
  EXPECT_EQ(labels("<U-7", "ab"), "M422");
  EXPECT_EQ(labels("<U0", "ab"), "M422");
  EXPECT_EQ(labels("<U9", "ab"), "M421");
}

TEST(Npz, WritesWhatItReadsBack) {
  Points points(3, 2);
  points << 0.1, -2, 3e300, 4e-310, 5, 6;
  const Labels labels = Labels::from_texts("kind", {"b", "äö€", "b"});
  const std::vector<std::string> ids = {"r1", "", "long name"};
  const WriteOptions options{.column_names = {"width", "Höhe"}, .ids = &ids, .labels = &labels};
  const std::string content = table_text(npz_format(), points, options);
  EXPECT_EQ(content, table_text(npz_format(), points, options));  // no date of today
  const Table table = read(content);
  EXPECT_EQ(table.data.view().to_points(), points);
  EXPECT_EQ(table.data.labels.classes, labels.classes);
  EXPECT_EQ(table.data.labels.of_row, labels.of_row);
  EXPECT_EQ(table.data.ids, ids);
  EXPECT_EQ(table.data.column_names, options.column_names);
  EXPECT_TRUE(table.named_columns);
  const Table chosen = read(content, {.columns = {.only = {"Höhe"}}});
  EXPECT_EQ(chosen.data.column_names, (std::vector<std::string>{"Höhe"}));
  EXPECT_EQ(chosen.data.view().at(2, 0), 6);

  const float floats[] = {0.1F, 2};
  EXPECT_EQ(
      read(table_text(npz_format(), DataView(floats, Scalar::f32, 2, 1, 1, 1), {})).data.type(),
      Scalar::f32);
  const Dataset sparse(SparseRows{{0, 1, 1}, {2}, {7}}, 3);
  EXPECT_EQ(read(table_text(npz_format(), sparse, {})).data.view().to_points(),
            sparse.view().to_points());
}

TEST(Npz, WritesAndReads64BitSizes) {
  const std::string matrix = kMatrix + std::string(1, '\0');  // one byte too many: W421
  for (const std::uint64_t wide : {0, 1, 50, 150, 1 << 20}) {
    const std::string archive =
        detail::make_zip({{"x.npy", matrix}, {"y.npy", npy("|u1", "(2,)", "\1\2")}}, wide);
    const Table table = read(archive);
    EXPECT_EQ(table.data.view().at(1, 2), 'f') << wide;
    EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"1", "2"}));
    EXPECT_TRUE(test::has_warning(table.warnings, WarningCode::npy_extra_bytes));
  }
}

TEST(Npz, DropsLabelsWithTheirRows) {
  const std::string nan = number(0x7FF8000000000000, 8), one = number(0x3FF0000000000000, 8);
  const Table table = read(archive_of({{.content = npy("<f8", "(2, 1)", nan + one)},
                                       {.name = "y.npy", .content = npy("|u1", "(2,)", "\5\6")}}),
                           {.columns = {.missing = "drop"}});
  ASSERT_EQ(table.data.n(), 1);
  EXPECT_EQ(table.data.labels.classes[static_cast<std::size_t>(table.data.labels.of_row[0])], "6");
}

TEST(Npz, IsRecognisedByItsFirstMember) {
  EXPECT_TRUE(npz_format().recognise(kTwoArrays));
  EXPECT_FALSE(npz_format().recognise(archive_of({{.name = "[Content_Types].xml"}})));
  EXPECT_FALSE(npz_format().recognise("PK\3\4"s));
}

TEST(Npz, SurvivesDamage) {
  const auto attempt = [](const std::string& content) {
    EXPECT_LE(read(content).data.n(), 100);
    EXPECT_LE(npz_format().recognise(content), true);
  };
  test::read_damaged(kTwoArrays, attempt, 10'000);
  Points points(2, 2);
  points << 1, 2, 3, 4;
  const Labels labels = Labels::from_texts("kind", {"a", "bc"});
  const std::string own =
      table_text(npz_format(), points, {.column_names = {"x", "y"}, .labels = &labels});
  test::read_damaged(own, attempt, 5'000);
  // Checksums would stop most of these: wrong bytes inside the arrays, in a sound archive.
  test::read_damaged(
      npy("<U3", "(2,)", std::string(24, 'a')),
      [&](const std::string& texts) {
        attempt(archive_of({{}, {.name = "labels.npy", .content = texts}}));
      },
      5'000);
}

}  // namespace npz_test
}  // namespace mercer
