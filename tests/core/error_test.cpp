// The registry of codes and the search for the name that was meant.
#include "mercer/core/error.h"

#include <gtest/gtest.h>

#include <set>

namespace mercer {
namespace error_test {

TEST(Codes, NumbersAndNamesAreUniqueWithinErrorsAndWithinWarnings) {
  std::set<std::pair<char, int>> numbers;
  std::set<std::pair<char, std::string>> names;
  for (const CodeInfo& code : all_codes()) {
    EXPECT_TRUE(numbers.insert({code.letter, code.number}).second) << code.number;
    EXPECT_TRUE(names.insert({code.letter, std::string(code.name)}).second) << code.name;
    EXPECT_TRUE(code.letter == 'M' || code.letter == 'W');
    EXPECT_GE(code.number, 0);
    EXPECT_LT(code.number, 1000);
  }
  EXPECT_GT(numbers.size(), 60U);
}

TEST(Codes, EachHasASummaryWithoutAFullStopAndAText) {
  for (const CodeInfo& code : all_codes()) {
    EXPECT_FALSE(code.summary.empty()) << code.number;
    EXPECT_NE(code.summary.back(), '.') << code.number;
    EXPECT_GT(code.text.size(), 20U) << code.number;
    EXPECT_EQ(code.text.back() == '.' || code.text.back() == '?' || code.text.back() == ')' ||
                  code.text.find("iconv") != code.text.npos,
              true)
        << code.text;
  }
}

TEST(Codes, AreWrittenWithThreeDigits) {
  EXPECT_EQ(code_text(ErrorCode::internal), "M000");
  EXPECT_EQ(code_text(ErrorCode::cancelled), "M001");
  EXPECT_EQ(code_text(ErrorCode::over_memory), "M301");
  EXPECT_EQ(code_text(WarningCode::rank_lower), "W233");
}

TEST(ExitStatus, FollowsTheHundreds) {
  EXPECT_EQ(exit_status(ErrorCode::internal), 1);
  EXPECT_EQ(exit_status(ErrorCode::cancelled), 130);
  EXPECT_EQ(exit_status(ErrorCode::unknown_kernel), 2);
  EXPECT_EQ(exit_status(ErrorCode::no_rows), 3);
  EXPECT_EQ(exit_status(ErrorCode::file_not_found), 4);
  EXPECT_EQ(exit_status(ErrorCode::over_memory), 5);
  EXPECT_EQ(exit_status(ErrorCode::not_converged), 6);
  EXPECT_EQ(exit_status(ErrorCode::model_damaged), 7);
  for (const CodeInfo& code : all_codes()) {
    if (code.letter != 'M') continue;
    EXPECT_GT(exit_status(static_cast<ErrorCode>(code.number)), 0) << code.number;
  }
}

TEST(ErrorClass, SaysCodeMessageAndPlace) {
  const Error error(ErrorCode::no_rows, "nothing here", "give more", "table.csv");
  EXPECT_STREQ(error.what(), "M202: nothing here (table.csv); give more");
  EXPECT_EQ(error.code(), ErrorCode::no_rows);
  EXPECT_EQ(error.hint(), "give more");
  const Error moved = error.at("other.csv");
  EXPECT_EQ(moved.place(), "other.csv");
  EXPECT_EQ(moved.message(), "nothing here");
  EXPECT_STREQ(Error(ErrorCode::no_rows, "x").what(), "M202: x");
}

TEST(NearestName, FindsSlipsAndTranspositionsButNothingFarAway) {
  const std::vector<std::string> names = {"gaussian", "linear", "polynomial", "rbf", "fit"};
  EXPECT_EQ(nearest_name("gausian", names), "gaussian");
  EXPECT_EQ(nearest_name("rfb", names), "rbf");
  EXPECT_EQ(nearest_name("ftt", names), "fit");
  EXPECT_EQ(nearest_name("polinomial", names), "polynomial");
  EXPECT_EQ(nearest_name("linear", names), "linear");
  EXPECT_EQ(nearest_name("wavelet", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name("abc", std::vector<std::string>{}), std::nullopt);
}

TEST(Suggest, NamesTheNearestOrLists) {
  const std::vector<std::string> names = {"clip", "flip", "shift"};
  EXPECT_EQ(suggest("shft", names, "policies"), "did you mean \"shift\"?");
  EXPECT_EQ(suggest("zzzzzz", names, "policies"), "policies: clip, flip, shift");
  const std::vector<std::string> many(40, "abcdefghij");
  const std::string listed = suggest("zzz", many, "names");
  EXPECT_NE(listed.find("…"), listed.npos);
}

}  // namespace error_test
}  // namespace mercer
