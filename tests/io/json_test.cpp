#include "mercer/io/json.h"

#include "mercer/core/error.h"
#include "mercer/core/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace mercer {
namespace json_test {

ErrorCode code_of(std::string_view text) {
  try {
    from_json(text);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "accepted: " << text;
  return ErrorCode::internal;
}

TEST(Json, WritesEveryKindOfValue) {
  const Value value = Value::Object{{"none", {}},
                                    {"yes", true},
                                    {"whole", -7},
                                    {"number", 0.1},
                                    {"text", "a\"b\\c\n\x01"},
                                    {"list", Value::List{1, 2.5, "x"}},
                                    {"empty", Value::object()},
                                    {"nothing", Value::list()}};
  EXPECT_EQ(to_json(value),
            R"({"none":null,"yes":true,"whole":-7,"number":0.1,"text":"a\"b\\c\n\u0001",)"
            R"("list":[1,2.5,"x"],"empty":{},"nothing":[]})");
  EXPECT_EQ(from_json(to_json(value)), value);
  EXPECT_EQ(from_json(to_json(value, 2)), value);
}

TEST(Json, IndentsWhenAsked) {
  const Value value = Value::Object{{"a", Value::List{1, Value::object()}}, {"b", Value::list()}};
  EXPECT_EQ(to_json(value, 2), "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
}

TEST(Json, IsWrittenPieceByPieceAsAtOnce) {
  const Value before = Value::Object{{"a", 1}, {"b", Value::List{Value::object(), "x"}}};
  Value value = before;
  Value::List rows;
  TextSink sink;
  for (const int indent : {-1, 2}) {
    rows.clear();
    sink.text.clear();
    JsonWriter writer(sink, indent);
    writer.begin_object();
    writer.members(before.as_object());
    writer.key("rows");
    writer.begin_list();
    for (int i = 0; i < 20'000; ++i) {
      writer.begin_list();
      writer.number(i / 7.0);
      writer.number(i);
      writer.end_list();
      rows.emplace_back(Value::List{i / 7.0, static_cast<double>(i)});
    }
    writer.end_list();
    writer.end_object();
    writer.finish();
    value["rows"] = rows;
    EXPECT_EQ(sink.text, to_json(value, indent));
  }
}

TEST(Json, KeepsTheOrderOfMembers) {
  const Value value = from_json(R"({"z":1,"a":2,"m":3})");
  ASSERT_EQ(value.as_object().size(), 3U);
  EXPECT_EQ(value.as_object()[0].first, "z");
  EXPECT_EQ(value.as_object()[2].first, "m");
}

TEST(Json, TellsIntegersFromDoubles) {
  EXPECT_EQ(to_json(1.0), "1.0");
  EXPECT_EQ(to_json(-0.0), "-0.0");
  EXPECT_EQ(to_json(1), "1");
  EXPECT_FALSE(from_json(to_json(1e20)).is_integer());
  EXPECT_FALSE(from_json(to_json(3.0)).is_integer());
  EXPECT_TRUE(from_json("3").is_integer());
  EXPECT_TRUE(std::signbit(from_json(to_json(-0.0)).as_number()));
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(from_json(to_json(kLargest)).as_integer(), kLargest);
  EXPECT_EQ(from_json(to_json(-kLargest - 1)).as_integer(), -kLargest - 1);
  EXPECT_EQ(from_json("9223372036854775808").as_number(), 0x1p63);
}

TEST(Json, EveryDoubleComesBackBitForBit) {
  const Random random(11);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double number = std::bit_cast<double>(random.bits(i));
    if (!std::isfinite(number)) continue;
    const double back = from_json(to_json(number)).as_number();
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(number)) << number;
  }
}

TEST(Json, WritesNumbersThatAreNotFiniteAsNull) {
  EXPECT_EQ(to_json(std::nan("")), "null");
  EXPECT_EQ(to_json(-std::numeric_limits<double>::infinity()), "null");
}

TEST(Json, MendsTextThatIsNotUtf8) {
  EXPECT_EQ(to_json("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(to_json(Value::Object{{"\xC3", 1}}), "{\"\xEF\xBF\xBD\":1}");
  EXPECT_EQ(from_json(to_json("Größe λ 😀")).as_text(), "Größe λ 😀");
}

TEST(Json, RefusesMalformedText) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv, " "sv, "{"sv, "[1,]"sv, "{\"a\"}"sv, "{a:1}"sv, "01"sv, "1 2"sv, "nul"sv, "NaN"sv,
        "\"\xFF\""sv, "\"\\u12\""sv, "\"open"sv, "[1] // note"sv, "1e999"sv, "1\0x"sv, "'a'"sv})
    EXPECT_EQ(code_of(text), ErrorCode::bad_model_content) << text;
}

TEST(Json, SaysWhereItIsMalformed) {
  try {
    from_json(R"({"a": 1, "b": tru})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("byte 18"), std::string::npos) << error.message();
  }
}

TEST(Json, RefusesANameThatStandsTwiceInOneObject) {
  EXPECT_EQ(code_of(R"({"a":1,"b":2,"a":3})"), ErrorCode::bad_model_content);
  EXPECT_EQ(code_of(R"([{"x":{"a":1,"\u0061":2}}])"), ErrorCode::bad_model_content);
  EXPECT_EQ(from_json(R"([{"a":1},{"a":{"a":2}}])").as_list().size(), 2U);
}

TEST(Json, ReadsSixtyFourLevelsAndNoMore) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(from_json(nested(64)).is_list());
  EXPECT_EQ(code_of(nested(65)), ErrorCode::bad_model_content);
  EXPECT_EQ(code_of(std::string(5'000'000, '[')), ErrorCode::bad_model_content);
}

TEST(Json, ManyNamesDoNotTakeQuadraticTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text.back() = '}';
  EXPECT_EQ(from_json(text).as_object().size(), 200'000U);
}

}  // namespace json_test
}  // namespace mercer
