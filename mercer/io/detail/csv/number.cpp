#include "mercer/io/detail/csv/number.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/csv/quick_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace mercer::detail {
namespace {

// The value is mantissa * 10^exponent unless digits were cut off.
struct Decimal {
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;
  int digits = 0;  // significant ones in the mantissa
  bool negative = false;
  bool cut = false;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 19 digits always fit 64 bits.
void add_digit(Decimal& decimal, char c, bool fraction) {
  if (decimal.digits == 19) {
    decimal.cut = true;
    if (!fraction) ++decimal.exponent;
    return;
  }
  decimal.mantissa = decimal.mantissa * 10 + static_cast<std::uint64_t>(c - '0');
  if (decimal.mantissa != 0) ++decimal.digits;
  if (fraction) --decimal.exponent;
}

// [+-]digits[e...] behind the e.
bool scan_exponent(const char* p, const char* end, std::int64_t& exponent) {
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (p == end) return false;
  std::int64_t value = 0;
  for (; p != end; ++p) {
    if (!is_digit(*p)) return false;
    if (value < 1'000'000'000) value = value * 10 + (*p - '0');
  }
  exponent += negative ? -value : value;
  return true;
}

bool scan(std::string_view text, char mark, Decimal& decimal) {
  const char* p = text.data();
  const char* const end = p + text.size();
  if (p != end && (*p == '-' || *p == '+')) decimal.negative = *p++ == '-';
  const char* const first = p;
  while (p != end && is_digit(*p)) add_digit(decimal, *p++, false);
  auto count = p - first;
  if (p != end && *p == mark) {
    const char* const fraction = ++p;
    while (p != end && is_digit(*p)) add_digit(decimal, *p++, true);
    count += p - fraction;
  }
  if (count == 0) return false;
  if (p == end) return true;
  if (*p != 'e' && *p != 'E') return false;
  return scan_exponent(p + 1, end, decimal.exponent);
}

bool exact_value(const Decimal& decimal, double& value) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers up to here are doubles
  const std::int64_t e = decimal.exponent;
  if (decimal.mantissa == 0) {
    value = decimal.negative ? -0.0 : 0.0;
    return true;
  }
  if (decimal.cut || decimal.mantissa > kExact || e < -22 || e > 22) return false;
  const auto m = static_cast<double>(decimal.mantissa);
  const double power = kPowersOfTen[static_cast<std::size_t>(e < 0 ? -e : e)];
  const double size = e < 0 ? m / power : m * power;
  value = decimal.negative ? -size : size;
  return true;
}

CellKind rounded_value(std::string_view text, char mark, const Decimal& decimal, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string with_point;
  if (mark != '.') {
    with_point = text;
    std::replace(with_point.begin(), with_point.end(), mark, '.');
    text = with_point;
  }
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc{} && end == text.data() + text.size()) return CellKind::number;
  // from_chars does not say on which side of the range it is.
  if (decimal.exponent + decimal.digits > 0) return CellKind::overflow;
  value = decimal.negative ? -0.0 : 0.0;
  return CellKind::underflow;
}

bool is_usual_na(std::string_view text) {
  constexpr std::array<std::string_view, 12> kNames = {
      "NA", "N/A", "NaN", "nan", "-nan", "NAN", "null", "?", "None", "-", "NULL", "<NA>"};
  return text.empty() || std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

bool is_infinite(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.size() != 3 && text.size() != 8) return false;
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  constexpr std::string_view kName = "infinity";
  return std::equal(text.begin(), text.end(), kName.begin(), same);
}

// Numbers in the other convention, or with separators of thousands.
bool is_grouped(std::string_view text, char mark) {
  // Neither convention has a blank or an apostrophe inside a number, and both are used for groups.
  for (const char separator : {' ', '\''})
    if (has_groups_of_three(text, separator, '.') || has_groups_of_three(text, separator, ','))
      return true;
  const char other = mark == '.' ? ',' : '.';
  if (text.find(other) == text.npos || text.ends_with(other)) return false;
  return has_groups_of_three(text, other, mark) || is_decimal(text, other);
}

std::string without(std::string_view text, char separator) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside =
        i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (text[i] != separator || !inside) out += text[i];
  }
  return out;
}

CellKind finite_number(std::string_view text, char mark, double& value) {
  Decimal decimal;
  if (!scan(text, mark, decimal)) return CellKind::text;
  return exact_value(decimal, value) ? CellKind::number : rounded_value(text, mark, decimal, value);
}

}  // namespace

bool is_decimal(std::string_view text, char mark) {
  Decimal decimal;
  return scan(text, mark, decimal);
}

bool has_groups_of_three(std::string_view text, char separator, char mark) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, text.find(mark));
  const std::string_view fraction = text.substr(std::min(whole.size() + 1, text.size()));
  if (!std::all_of(fraction.begin(), fraction.end(), is_digit)) return false;
  std::size_t group = whole.find(separator);
  if (group == whole.npos || group == 0 || group > 3 || whole[0] == '0') return false;
  if ((whole.size() - group) % 4 != 0) return false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool at_separator = i >= group && (i - group) % 4 == 0;
    if (at_separator ? whole[i] != separator : !is_digit(whole[i])) return false;
  }
  return true;
}

CellKind read_number(std::string_view text, const NumberStyle& style, double& value) {
  value = std::numeric_limits<double>::quiet_NaN();
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  // Blanks inside quotes.
  if (!text.empty() && (blank(text.front()) || blank(text.back()))) text = trim(text);
  if (!style.na.empty() && std::find(style.na.begin(), style.na.end(), text) != style.na.end())
    return CellKind::missing;
  CellKind kind = finite_number(text, style.decimal, value);
  if (kind != CellKind::text) return kind;
  if (is_usual_na(text)) return CellKind::missing;
  if (is_infinite(text)) return CellKind::infinite;
  const bool grouped =
      style.thousands &&
      (!style.groups_of_three || has_groups_of_three(text, *style.thousands, style.decimal));
  if (grouped) {
    kind = finite_number(without(text, *style.thousands), style.decimal, value);
    if (kind != CellKind::text) return kind;
  }
  value = std::numeric_limits<double>::quiet_NaN();
  return is_grouped(text, style.decimal) ? CellKind::grouped : CellKind::text;
}

bool is_missing(std::string_view text, const NumberStyle& style) {
  double unused = 0;
  return read_number(text, style, unused) == CellKind::missing;
}

}  // namespace mercer::detail
