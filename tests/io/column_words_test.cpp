#include "mercer/io/detail/column_words.h"

#include "mercer/core/error.h"

#include <gtest/gtest.h>

namespace mercer::detail {
namespace column_words_test {

using Indices = std::vector<Index>;

const std::vector<std::string> kNames = {"a", "2020", "x_1", "x_2", "b-c", "3-4", "*", "c"};

Indices meant(std::string_view word, const std::vector<std::string>& names = kNames) {
  static const std::string kFile = "t.csv";
  return columns_meant(word, {8, names, !names.empty(), kFile});
}

std::string refused(std::string_view word, const std::vector<std::string>& names = kNames) {
  try {
    meant(word, names);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_column);
    EXPECT_EQ(error.place(), "t.csv");
    return error.message();
  }
  ADD_FAILURE() << word << " means something";
  return {};
}

TEST(ColumnWords, ANameGoesBeforeNumbersPatternsAndRanges) {
  EXPECT_EQ(meant("a"), Indices{0});
  EXPECT_EQ(meant("2020"), Indices{1});
  EXPECT_EQ(meant("3-4"), Indices{5});
  EXPECT_EQ(meant("*"), Indices{6});
  EXPECT_EQ(meant("b-c"), Indices{4});
  EXPECT_EQ(meant("3-4", {}), (Indices{2, 3}));
}

TEST(ColumnWords, NumbersCountFromOne) {
  EXPECT_EQ(meant("1"), Indices{0});
  EXPECT_EQ(meant("2-5"), (Indices{1, 2, 3, 4}));
  EXPECT_EQ(meant("8-8"), Indices{7});
  for (const char* word : {"0", "9", "-1", "1.5", "0-2", "2-9", "5-2", "2-", "-", ""})
    EXPECT_FALSE(refused(word).empty()) << word;
}

TEST(ColumnWords, StarsStandForAnything) {
  EXPECT_EQ(meant("x_*"), (Indices{2, 3}));
  EXPECT_EQ(meant("*2*"), (Indices{1, 3}));
  EXPECT_EQ(meant("*c"), (Indices{4, 7}));
  EXPECT_EQ(meant("**").size(), 8U);
  EXPECT_NE(refused("y*").find("y*"), std::string::npos);
  EXPECT_NE(refused("x*", {}).find("x*"), std::string::npos);
}

TEST(ColumnWords, RangesOfNamesHaveOneMeaning) {
  EXPECT_EQ(meant("x_1-b-c"), (Indices{2, 3, 4}));
  EXPECT_EQ(meant("x_1-3-4"), (Indices{2, 3, 4, 5}));
  EXPECT_NE(refused("c-a").find("goes down"), std::string::npos);
  const std::vector<std::string> twice = {"a", "a-b", "b", "b-c", "c", "d", "e", "f"};
  EXPECT_NE(refused("a-b-c", twice).find("two ways"), std::string::npos);
}

}  // namespace column_words_test
}  // namespace mercer::detail
