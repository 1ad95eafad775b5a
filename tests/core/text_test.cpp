// Numbers, sizes and names as people read and write them.
#include "mercer/core/text.h"

#include "mercer/core/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace mercer {
namespace text_test {

TEST(Grouped, GroupsDigitsAboveFour) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(1797), "1797");
  EXPECT_EQ(grouped(9999), "9999");
  EXPECT_EQ(grouped(10000), "10 000");
  EXPECT_EQ(grouped(60000), "60 000");
  EXPECT_EQ(grouped(1234567), "1 234 567");
  EXPECT_EQ(grouped(-9999), "-9999");
  EXPECT_EQ(grouped(-123456), "-123 456");
}

TEST(Exact, ReadsBackAsTheSameDouble) {
  const Random random(1);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random.bits(i));
    if (!std::isfinite(value)) continue;
    const auto back = parse_number(exact(value));
    ASSERT_TRUE(back.has_value()) << exact(value);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*back), random.bits(i)) << exact(value);
  }
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(1e300), "1e+300");
}

TEST(Brief, GivesAFewDigits) {
  EXPECT_EQ(brief(3.14159265), "3.142");
  EXPECT_EQ(brief(1234567), "1.235e+06");
  EXPECT_EQ(brief(0.5, 2), "0.5");
}

TEST(Bytes, AreGivenInPowersOf1024) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(512), "512 B");
  EXPECT_EQ(bytes(1024), "1.0 KiB");
  EXPECT_EQ(bytes(1'717'986'918), "1.6 GiB");
  EXPECT_EQ(bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(Duration, ChoosesAFittingUnit) {
  EXPECT_EQ(duration(0.0042), "4.2 ms");
  EXPECT_EQ(duration(0.12), "0.12 s");
  EXPECT_EQ(duration(48), "48 s");
  EXPECT_EQ(duration(120), "2 min");
  EXPECT_EQ(duration(2 * 3600.0), "2.0 h");
  EXPECT_EQ(duration(4 * 86400.0), "4 days");
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_EQ(parse_number("-2e3"), -2000);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("5."), 5.0);
  EXPECT_EQ(parse_number("inf"), HUGE_VAL);
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  for (const char* bad : {"", "+", "-", "1x", " 1", "1 ", "0x10", "1,5", "+-1", "++1", "--1", "e5"})
    EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
}

TEST(ParseNumber, SaysOnWhichSideANumberLeavesTheRange) {
  EXPECT_EQ(parse_number("1e400"), HUGE_VAL);
  EXPECT_EQ(parse_number("-1e400"), -HUGE_VAL);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(parse_number("-1e-400").value()));
  EXPECT_EQ(parse_number(std::string(400, '9')), HUGE_VAL);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);
}

TEST(ParseBytes, UnderstandsUnits) {
  EXPECT_EQ(parse_bytes("1000"), 1000U);
  EXPECT_EQ(parse_bytes("4G"), 4ULL << 30);
  EXPECT_EQ(parse_bytes("512M"), 512ULL << 20);
  EXPECT_EQ(parse_bytes("1.5k"), 1536U);
  EXPECT_EQ(parse_bytes("2 GiB"), 2ULL << 30);
  EXPECT_EQ(parse_bytes("2GB"), 2ULL << 30);
  EXPECT_EQ(parse_bytes("1T"), 1ULL << 40);
  for (const char* bad : {"", "4X", "G", "-1G", "nan", "inf", "1e30G", "4 G 4"})
    EXPECT_EQ(parse_bytes(bad), std::nullopt) << bad;
}

TEST(ParseSeconds, UnderstandsUnits) {
  EXPECT_EQ(parse_seconds("90"), 90);
  EXPECT_EQ(parse_seconds("500ms"), 0.5);
  EXPECT_EQ(parse_seconds("90s"), 90);
  EXPECT_EQ(parse_seconds("1.5 s"), 1.5);
  EXPECT_EQ(parse_seconds("10m"), 600);
  EXPECT_EQ(parse_seconds("10min"), 600);
  EXPECT_EQ(parse_seconds("1.5h"), 5400);
  EXPECT_EQ(parse_seconds("2d"), 172800);
  for (const char* bad :
       {"", "s", "ms", "min", "5x", "5mins", "-1s", "nan", "infs", "1e400h", "5 s s"})
    EXPECT_EQ(parse_seconds(bad), std::nullopt) << bad;
}

TEST(Trim, RemovesBlanksAtBothEnds) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string>{"", ""}));
}

TEST(Printable, DefusesControlCharactersAndBrokenBytes) {
  EXPECT_EQ(printable("plain é 漢"), "plain é 漢");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("a\nb\x7f"), "a\\x0ab\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");  // CSI as one C1 control
  EXPECT_EQ(printable("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_TRUE(is_utf8(printable("\xC0\xAF\xED\xA0\x80\xF5")));
}

TEST(IsUtf8, RefusesOverlongFormsSurrogatesAndCutSequences) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("é漢\xF0\x9F\x98\x80"));
  EXPECT_TRUE(is_utf8("\xF4\x8F\xBF\xBF"));
  for (const char* bad : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF0\x80\x80\x80", "\x80", "\xC3", "\xE6\xBC", "\xFF"})
    EXPECT_FALSE(is_utf8(bad));
}

}  // namespace text_test
}  // namespace mercer
