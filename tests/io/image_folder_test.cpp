#include "mercer/io/detail/image_file.h"
#include "mercer/io/table.h"
#include "tests/io/damage.h"

#include <gtest/gtest.h>

#include <limits>

namespace mercer {

const TableFormat& image_folder_format();

namespace image_folder_test {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// Written by Pillow 9.4: 2 rows of 3 pixels 0 50 100 150 200 255, grey of 8 bits.
const std::string kGrey = from_hex(
    "89504e470d0a1a0a0000000d4948445200000003000000020800000000b81f39c60000001049444154789c63"
    "643032629876e23f00068702c3edb413ac0000000049454e44ae426082");
// 0 1 2, 10 20 30, red; green, blue, white.
const std::string kColour = from_hex(
    "89504e470d0a1a0a0000000d49484452000000030000000208020000001216f14d0000001c49444154789c63"
    "606064e21291fbcfc0c0c0f09f8181e1ffffffff012299063ad08eadfc0000000049454e44ae426082");
// The grey image times 257, 16 bits deep, and a claim (gAMA) that the values are linear light.
const std::string kDeep = from_hex(
    "89504e470d0a1a0a0000000d4948445200000003000000021000000000e88fe5850000000467414d41000186"
    "a031e8965f0000001649444154789c63606030324a49619836edc489ffff0119b305e7d7a578780000000049"
    "454e44ae426082");
// The grey image with its third pixel transparent.
const std::string kTransparent = from_hex(
    "89504e470d0a1a0a0000000d4948445200000003000000020804000000377dae910000001749444154789c63"
    "64f86fc460c4c830edff89ffffff0300219906c08d2aec140000000049454e44ae426082");
const std::string kPgm = std::string("P5\n# a comment\n3 2\n255\n") + '\0' + "2d\x96\xC8\xFF";
const std::string kPlainPgm = "P2 3 2 # width, height\n51\n0 10 20\n30 40 51\n";

const std::vector<Index> kPixels = {0, 50, 100, 150, 200, 255};

Table read(const std::string& folder, const ReadOptions& options = {},
           const Context& context = {}) {
  Source source(folder, Context());
  return image_folder_format().read(source, options, context);
}

Error error_of(const std::string& folder, const Context& context = {}) {
  try {
    read(folder, {}, context);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "read without an error";
  return {ErrorCode::internal, "none"};
}

std::vector<Index> row_of(const Table& table, Index row) {
  std::vector<Index> values;
  for (Index j = 0; j < table.data.dim(); ++j)
    values.push_back(static_cast<Index>(table.data.view().at(row, j)));
  return values;
}

bool has_note(const Table& table, std::string_view text) {
  for (const Note& note : table.notes)
    if (note.text.find(text) != std::string::npos) return true;
  return false;
}

TEST(ImageFolder, MakesARowOfEveryImageInTheOrderOfNames) {
  const test::TemporaryFolder folder("images");
  folder.write("b.PNG", kGrey);
  folder.write("a.pgm", kPgm);
  folder.write("c.pgm", kPlainPgm);
  folder.write("notes.txt", "not an image");
  folder.write(".hidden/x.png", "not looked at");
  const Table table = read(folder.path());
  EXPECT_EQ(table.format, "image_folder");
  EXPECT_EQ(table.data.type(), Scalar::u8);
  EXPECT_EQ(table.data.ids, (std::vector<std::string>{"a.pgm", "b.PNG", "c.pgm"}));
  EXPECT_EQ(table.image_shape, (std::vector<Index>{2, 3}));
  EXPECT_TRUE(table.data.labels.empty());
  EXPECT_EQ(row_of(table, 0), kPixels);
  EXPECT_EQ(row_of(table, 1), kPixels);
  EXPECT_EQ(row_of(table, 2), (std::vector<Index>{0, 50, 100, 150, 200, 255}));  // times 5
  EXPECT_TRUE(has_note(table, "1 images were not 8 bits deep"));
}

TEST(ImageFolder, TakesClassesFromSubfolders) {
  const test::TemporaryFolder folder("classes");
  folder.write("dog/1.png", kGrey);
  folder.write("cat/2.png", kGrey);
  folder.write("cat/1.pgm", kPgm);
  folder.write("empty/readme.txt", "");
  const Table table = read(folder.path());
  EXPECT_EQ(table.data.ids, (std::vector<std::string>{"cat/1.pgm", "cat/2.png", "dog/1.png"}));
  EXPECT_EQ(table.data.labels.classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(table.data.labels.of_row, (std::vector<Index>{0, 0, 1}));
  EXPECT_TRUE(read(folder.path(), {.columns = {.label = "none"}}).data.labels.empty());
  folder.write("top.png", kGrey);
  const Table top = read(folder.path());
  EXPECT_EQ(top.data.n(), 1);
  EXPECT_TRUE(has_note(top, "3 images in sub-folders were left out"));
}

TEST(ImageFolder, KeepsColourOnlyWhereAllAreColoured) {
  const test::TemporaryFolder folder("colour");
  folder.write("a.png", kColour);
  const Table colour = read(folder.path());
  EXPECT_EQ(colour.image_shape, (std::vector<Index>{2, 3, 3}));
  EXPECT_EQ(row_of(colour, 0), (std::vector<Index>{0, 1, 2, 10, 20, 30, 255, 0, 0,  //
                                                   0, 255, 0, 0, 0, 255, 255, 255, 255}));
  folder.write("b.png", kGrey);
  const Table mixed = read(folder.path());
  EXPECT_EQ(mixed.image_shape, (std::vector<Index>{2, 3}));
  EXPECT_TRUE(has_note(mixed, "1 of 2 images are coloured"));
  EXPECT_EQ(row_of(mixed, 1), kPixels);
  EXPECT_EQ(row_of(mixed, 0)[5], 255);
  EXPECT_GT(row_of(mixed, 0)[3], row_of(mixed, 0)[2]);  // green is brighter than red
  EXPECT_GT(row_of(mixed, 0)[2], row_of(mixed, 0)[4]);  // red than blue
}

TEST(ImageFolder, ScalesDeepImagesWhateverTheyClaimAboutLight) {
  const test::TemporaryFolder folder("deep");
  folder.write("a.png", kDeep);
  folder.write("b.pgm", std::string("P5 3 2 65535\n") + std::string(4, '\0') +
                            "\x7F\xFF\x80\x80\xFE\xFF\xFF\xFF");
  const Table table = read(folder.path());
  EXPECT_EQ(row_of(table, 0), kPixels);
  EXPECT_EQ(row_of(table, 1), (std::vector<Index>{0, 0, 127, 128, 254, 255}));
  EXPECT_TRUE(has_note(table, "2 images were not 8 bits deep"));
}

TEST(ImageFolder, LaysTransparentImagesOnWhite) {
  const test::TemporaryFolder folder("alpha");
  folder.write("a.png", kTransparent);
  const Table table = read(folder.path());
  EXPECT_EQ(row_of(table, 0), (std::vector<Index>{0, 50, 255, 150, 200, 255}));
  EXPECT_TRUE(has_note(table, "transparent"));
}

TEST(ImageFolder, NamesTwoImagesOfDifferentSize) {
  const test::TemporaryFolder folder("sizes");
  folder.write("a.png", kGrey);
  folder.write("b.pgm", "P2 2 2 255 1 2 3 4");
  const Error error = error_of(folder.path());
  EXPECT_EQ(code_text(error.code()), "M445");
  EXPECT_EQ(error.message(), "a.png has 2 x 3 pixels, b.pgm has 2 x 2");
}

TEST(ImageFolder, NamesADamagedImage) {
  std::string flipped = kGrey;
  flipped[45] = static_cast<char>(flipped[45] ^ 1);  // inside the pixels: the checksum tells
  const std::vector<std::string> damaged = {kGrey.substr(0, 60),
                                            flipped,
                                            kGrey.substr(0, 20),
                                            "",
                                            "GIF89a...",
                                            "P5 3 2 255\nabc",
                                            "P2 3 2 255 1 2 3 4 5",
                                            "P2 3 2 255 1 2 3 4 5 256",
                                            "P5 0 2 255\n",
                                            "P5 3 2 70000\n123456",
                                            "P7 3 2 255\n"};
  for (const std::string& content : damaged) {
    const test::TemporaryFolder folder("damaged");
    folder.write("a.png", kGrey);
    const std::string path = folder.write("b.png", content);
    const Error error = error_of(folder.path());
    EXPECT_EQ(code_text(error.code()), "M445") << content;
    EXPECT_EQ(error.place(), path);
  }
}

TEST(ImageFolder, RefusesFoldersWithoutImagesAndFiles) {
  const test::TemporaryFolder folder("none");
  EXPECT_EQ(code_text(error_of(folder.path()).code()), "M445");
  const std::string file = folder.write("x.csv", "1,2\n");
  EXPECT_EQ(code_text(error_of(folder.path()).code()), "M445");
  EXPECT_EQ(code_text(error_of(file).code()), "M445");
}

TEST(ImageFolder, ComparesSizesWithLimitsBeforeReading) {
  const test::TemporaryFolder folder("limits");
  folder.write("a.pgm", "P5 100000 100000 255\nabc");
  EXPECT_NE(error_of(folder.path()).message().find("2^28"), std::string::npos);
  folder.write("a.pgm", "P5 10000 10000 255\nabc");
  EXPECT_EQ(code_text(error_of(folder.path()).code()), "M215");
  folder.write("a.pgm", "P5 1000 1000 255\nabc");
  EXPECT_NE(error_of(folder.path()).message().find("need 1000000 bytes"), std::string::npos);
  Context context;
  context.budget.memory = 100'000;
  EXPECT_EQ(code_text(error_of(folder.path(), context).code()), "M301");
}

TEST(ImageFolder, ChoosesColumns) {
  const test::TemporaryFolder folder("columns");
  folder.write("a.png", kGrey);
  const Table table = read(folder.path(), {.columns = {.only = {"6", "2"}}});
  EXPECT_EQ(row_of(table, 0), (std::vector<Index>{255, 50}));
  EXPECT_TRUE(table.image_shape.empty());
}

TEST(ImageFolder, ImagesSurviveDamage) {
  for (const std::string* sample : {&kGrey, &kColour, &kDeep, &kTransparent, &kPgm, &kPlainPgm}) {
    test::read_damaged(
        *sample,
        [](const std::string& content) {
          const detail::ImageHeader header = detail::parse_image_header(content, "x.png");
          if (header.height * header.width > 10'000) return;
          std::vector<unsigned char> pixels(static_cast<std::size_t>(header.height * header.width) *
                                            3);
          detail::decode_image(content, header, header.colour, pixels.data(), "x.png");
        },
        4'000);
  }
}

}  // namespace image_folder_test
}  // namespace mercer
