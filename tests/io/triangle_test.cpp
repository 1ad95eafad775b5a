// Lower triangles of matrices of pairs as text.
#include "mercer/io/detail/csv/triangle.h"

#include "tests/io/csv_reading.h"

#include <cmath>

namespace mercer {
namespace triangle_test {

using csv_reading::code_of, csv_reading::error_of, csv_reading::expect_values;
using csv_reading::has_note, csv_reading::read, csv_reading::Texts;

const ReadOptions kDistances{.pairs = "distance"}, kKernel{.pairs = "kernel"};
const std::vector<std::vector<double>> kMatrix = {{0, 1, 2}, {1, 0, 3}, {2, 3, 0}};

TEST(Triangle, IsReadWithItsDiagonalAndWithoutIt) {
  for (const char* text : {"1\n2,3\n", "0\n1,0\n2,3,0\n", "0,,\n1,0,\n2,3,0\n",
                           "0;NA;NA\n1;0;\n2;3;0\n", "1\n2 3\n", "\n1\r\n\n2\t3\r\n"})
    expect_values(read(text, kDistances), kMatrix);
  EXPECT_TRUE(has_note(read("1\n2,3\n", kDistances), "without its diagonal"));
  EXPECT_TRUE(has_note(read("0\n1,0\n2,3,0\n", kDistances), "with its diagonal"));
  expect_values(read("5\n1,6\n2,3,7\n", kKernel), {{5, 1, 2}, {1, 6, 3}, {2, 3, 7}});
}

TEST(Triangle, NamesItsSamples) {
  for (const char* text :
       {"a\nb,1\nc,2,3\n", ",a,b,c\na,0,,\nb,1,0,\nc,2,3,0\n", ",a,b\nb,1,\nc,2,3\n",
        "a,b,c\n0\n1,0\n2,3,0\n", "a b c\n1\n2 3\n", "   a b\nb 1\nc 2 3\n",
        "\"\",\"a\",\"b\",\"c\"\n\"a\",NA,NA,NA\n\"b\",1,NA,NA\n\"c\",2,3,NA\n"}) {
    const Table table = read(text, kDistances);
    expect_values(table, kMatrix);
    EXPECT_EQ(table.data.ids, (Texts{"a", "b", "c"})) << text;
    EXPECT_EQ(table.data.column_names, table.data.ids);
    EXPECT_TRUE(table.named_columns);
  }
  EXPECT_TRUE(read("b 1\nc 2 3\n", kDistances).data.ids.empty()) << "the first sample has no name";
}

TEST(Triangle, PrintedInBlocksIsPutTogether) {
  const Table table =
      read("    1   2\n2 1.0    \n3 2.0 3.0\n4 4.0 5.0\n    3\n2    \n3    \n4 6.0\n", kDistances);
  expect_values(table, {{0, 1, 2, 4}, {1, 0, 3, 5}, {2, 3, 0, 6}, {4, 5, 6, 0}});
  EXPECT_EQ(table.data.ids, (Texts{"1", "2", "3", "4"}));
}

TEST(Triangle, MayLackValues) {
  const ReadOptions keep{.columns = {.missing = "model"}, .pairs = "distance"};
  const Table table = read("1\n2,3\n4,NA,6\n", keep);
  EXPECT_TRUE(std::isnan(table.data.view().at(3, 1)) && std::isnan(table.data.view().at(1, 3)));
  EXPECT_EQ(code_of("1\n2,3\n4,NA,6\n", kDistances), "M212");
}

TEST(Triangle, ThatIsBrokenIsRefusedWithItsPlace) {
  const Error short_row = error_of("1\n2,3\n4,5\n", kDistances);
  EXPECT_EQ(code_text(short_row.code()), "M207");
  EXPECT_EQ(short_row.place(), "t.csv:3");
  EXPECT_EQ(code_of("1\n2,3\n4,5,6,7\n", kDistances), "M207");
  EXPECT_EQ(code_of("   a b\nb 1\nc 2 3\nd 4 5\n", kDistances), "M207");
  EXPECT_EQ(code_of("a\nb,1\nc,2,3\n", kKernel), "M212");
  EXPECT_EQ(code_of("1\n2,x\n", kDistances), "M204");
  EXPECT_EQ(code_of("1\n2,1e999\n", kDistances), "M213");
  EXPECT_EQ(code_of("1\n2,inf\n", kDistances), "M212");
}

TEST(Triangle, IsNoTableAndATableIsNone) {
  EXPECT_EQ(code_of("1\n2,3\n4,5,6\n"), "M207") << "only where pairs are asked for";
  for (const char* text : {"0,1,2\n1,0,3\n2,3,0\n", "a,b\n0,1\n1,0\n", ",a,b\na,0,1\nb,1,0\n",
                           "1\n", "", "1,2,\n2,1,3\n0,3,1\n", "  a b\na 0 1\nb 1 0\n"})
    EXPECT_FALSE(detail::begins_a_triangle(text, {})) << text;
}

TEST(Triangle, IsCountedBeforeItIsRead) {
  std::string text;
  for (int i = 1; i < 400; ++i) {
    for (int j = 0; j < i; ++j) text += j == 0 ? "1" : ",1";
    text += '\n';
  }
  Context context;
  context.budget.memory = 1 << 20;
  EXPECT_EQ(code_text(error_of(text, kDistances, context).code()), "M301");
  context.budget.memory = 64 << 20;
  EXPECT_EQ(read(text, kDistances, context).data.n(), 400);
}

}  // namespace triangle_test
}  // namespace mercer
