// Texts that are written and read again, and texts of any kind.
#include "mercer/core/random.h"
#include "mercer/io/detail/csv/opened_text.h"
#include "tests/io/csv_reading.h"

#include <cmath>

namespace mercer {
namespace csv_writing_test {

using csv_reading::code_of, csv_reading::error_of, csv_reading::expect_values;
using csv_reading::has_note, csv_reading::has_warning, csv_reading::read, csv_reading::Texts;

TEST(Csv, WritesWhatItReadsBackBitForBit) {
  const Random random(3);
  Points points(50, 3);
  for (Index i = 0; i < points.size(); ++i)
    points.data()[i] =
        std::ldexp(random.normal(static_cast<std::uint64_t>(i)), static_cast<int>(i) - 75);
  const Labels labels = Labels::from_texts("a \"b\", c", std::vector<std::string>(50, " x,\ny\" "));
  const std::string text =
      table_text(csv_format(), points, {.column_names = {"p,1", "q", "r s"}, .labels = &labels});
  const Table table = read(text);
  EXPECT_EQ(table.data.view().to_points(), points);
  EXPECT_EQ(table.data.column_names, (Texts{"p,1", "q", "r s"}));
  EXPECT_EQ(table.data.labels.name, "a \"b\", c");
  EXPECT_EQ(table.data.labels.classes, (Texts{" x,\ny\" "}));
}

TEST(Csv, WritesFloatsAndBytesWithTheirOwnDigits) {
  const float floats[] = {0.1F, 2.0F};
  EXPECT_EQ(table_text(csv_format(), DataView(floats, Scalar::f32, 1, 2, 2, 1), {}), "0.1,2\n");
  const unsigned char pixels[] = {0, 255};
  EXPECT_EQ(table_text(csv_format(), DataView(pixels, Scalar::u8, 2, 1, 1, 1), {.format = "tsv"}),
            "0\n255\n");
}

TEST(Csv, SurvivesRandomAndMutatedText) {
  const std::string seed =
      "name;x;\"y \"\"q\"\"\";kind\na;1,5;-2e3;u\nb;;0x1;v\nc;1.234,5;inf;\"u\nv\"\n";
  const std::string alphabet = ",;\t| \"\n\r.0123456789-+eEaNinf?\x80\xC3#";
  const Random random(11);
  std::uint64_t draw = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 3 == 0 ? "" : seed;
    const std::uint64_t edits = random.below(40, draw++);
    for (std::uint64_t i = 0; i < edits; ++i) {
      const auto c = round % 2 == 0 ? alphabet[random.below(alphabet.size(), draw++)]
                                    : static_cast<char>(random.below(256, draw++));
      const std::uint64_t at = random.below(text.size() + 1, draw++);
      if (random.below(3, draw++) == 0 && at < text.size())
        text.erase(at, 1);
      else
        text.insert(at, 1, c);
    }
    try {
      const Table table = read(text, {.columns = {.missing = round % 5 == 0 ? "mean" : "drop"}});
      for (Index i = 0; i < table.data.n(); ++i)
        for (Index j = 0; j < table.data.dim(); ++j)
          EXPECT_TRUE(std::isfinite(table.data.view().at(i, j))) << text;
    } catch (const Error&) {
    }
  }
}

}  // namespace csv_writing_test
}  // namespace mercer
