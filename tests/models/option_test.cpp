// Options: described once, read from words and numbers, written back, refused with their name.
#include "mercer/models/option.h"

#include "mercer/io/read_words.h"
#include "mercer/models/budget_words.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace mercer {
namespace option_test {

using test::code_of;

enum class Colour { red, green };
inline constexpr std::array<std::string_view, 2> kColours = {"red", "green"};
constexpr ChoiceWords choice_words(Colour) { return {"colour", "colours", kColours}; }

struct Sample {
  Choice<Colour> colour = Colour::green;
  Index rounds = 3;
  double rate = 0.5;
  bool fast = true;
  std::string note = "plain";
  Kernel kernel = "linear";
  Components components = {};
  Tolerance tolerance = {};

  template <class Fields>
  void describe(Fields& field) {
    field("colour", colour, "of the thing");
    field("rounds", rounds, "at most", Limit::whole_positive);
    field("rate", rate, "of change", Limit::positive);
    field("fast", fast, "not slowly");
    field("note", note, "a text");
    field("kernel", kernel, "a kernel");
    field("components", components, "how many");
    field("tolerance", tolerance, "how exact");
  }
};

TEST(Options, AreListedWithTypeDefaultChoicesAndLimits) {
  const std::vector<OptionInfo> all = options_of<Sample>();
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0].type, OptionType::choice);
  EXPECT_EQ(all[0].initial, Value("green"));
  EXPECT_EQ(all[0].choices, (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(all[1].type, OptionType::whole);
  EXPECT_EQ(all[1].limit, Limit::whole_positive);
  EXPECT_EQ(all[3].initial, Value(true));
  EXPECT_EQ(all[5].type, OptionType::kernel);
  EXPECT_EQ(all[6].initial, Value("2"));
  EXPECT_EQ(all[1].describe()["limit"].as_text(), "must be a whole number >= 1");
}

TEST(Options, AreReadFromWordsAndFromNumbers) {
  const Value words = Value::Object{{"colour", "red"},
                                    {"rounds", "7"},
                                    {"rate", "1e-3"},
                                    {"fast", "false"},
                                    {"components", "0.9"}};
  const Value numbers = Value::Object{
      {"colour", "red"}, {"rounds", 7}, {"rate", 1e-3}, {"fast", false}, {"components", 0.9}};
  for (const Value& given : {words, numbers}) {
    const auto read = read_options<Sample>(given);
    EXPECT_EQ(read.colour, Colour::red);
    EXPECT_EQ(read.rounds, 7);
    EXPECT_EQ(read.rate, 1e-3);
    EXPECT_FALSE(read.fast);
    EXPECT_EQ(read.components.share(), 0.9);
    EXPECT_EQ(read.note, "plain");
  }
  EXPECT_EQ(record_of(read_options<Sample>(record_of(Sample()))), record_of(Sample()));
  const Value changed = changed_options(read_options<Sample>(words));
  EXPECT_EQ(changed.as_object().size(), 5U);
  EXPECT_TRUE(changed["note"].is_null());
}

TEST(Options, RefuseWhatTheyCannotBe) {
  const auto code = [](const char* name, Value value) {
    return code_of([&] { read_options<Sample>(Value::Object{{name, std::move(value)}}); });
  };
  EXPECT_EQ(code("color", "red"), "M101");
  EXPECT_EQ(code("colour", "blue"), "M102");
  EXPECT_EQ(code("colour", 1), "M102");
  EXPECT_EQ(code("rounds", 0), "M102");
  EXPECT_EQ(code("rounds", "2.5"), "M102");
  EXPECT_EQ(code("rounds", -1), "M102");
  EXPECT_EQ(code("rate", 0.0), "M102");
  EXPECT_EQ(code("rate", "fast"), "M102");
  EXPECT_EQ(code("rate", HUGE_VAL), "M102");
  EXPECT_EQ(code("fast", "maybe"), "M102");
  EXPECT_EQ(code("note", Value::List{1}), "M102");
  EXPECT_EQ(code("kernel", "gausian"), "M103");
  EXPECT_EQ(code("components", 0), "M102");
  EXPECT_EQ(code("tolerance", 2.0), "M102");
  EXPECT_EQ(code("note", Value()), "no error");
  EXPECT_EQ(code_of([] { static_cast<void>(Choice<Colour>("gren")); }), "M102");
  EXPECT_EQ(Choice<Colour>("red").word(), "red");
}

// Reading and budget are described in the same way as methods.
TEST(Options, OfReadingAndOfTheBudgetAreDescribedToo) {
  const auto reading = options_of<ReadWords>();
  EXPECT_EQ(reading.size(), 16U);
  const auto words = read_options<ReadWords>(Value::Object{
      {"columns", Value::List{"a", "b"}}, {"drop", "c,d"}, {"skip", 2}, {"images", true}});
  EXPECT_EQ(words.options().columns.only, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(words.options().columns.drop, (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(words.options().text.skip, 2);
  EXPECT_TRUE(words.options().images);
  const auto budget = read_options<BudgetWords>(Value::Object{{"memory", "2M"}, {"threads", 3}});
  EXPECT_EQ(budget.budget().memory, std::uint64_t{2} << 20);
  EXPECT_EQ(budget.budget().threads, 3);
  EXPECT_EQ(code_of([] { BudgetWords{.memory = "much"}.budget(); }), "M108");
}

}  // namespace option_test
}  // namespace mercer
