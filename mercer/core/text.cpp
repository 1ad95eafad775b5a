#include "mercer/core/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace mercer {
namespace {

// Length of the well-formed UTF-8 sequence at the start of the text, 0 when it is malformed.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates and values above U+10FFFF.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

}  // namespace

std::string grouped(Index count) {
  const std::string digits = std::to_string(count);
  if (count < 10000 && count > -10000) return digits;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += ' ';
    text += digits[i];
  }
  return text;
}

std::string exact(double value) { return fmt::format("{}", value); }
std::string brief(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string bytes(std::uint64_t count) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(count);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", count) : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string duration(double seconds) {
  if (seconds < 0.01) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600.0) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.3g} days", seconds / 86400);
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // from_chars does not say on which side: the exponent's sign does, or a long run of leading
    // zeros.
    const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos ||
                      text.find_first_not_of("-0.") > 300;
    const double magnitude = tiny ? 0.0 : HUGE_VAL;
    return text.starts_with('-') ? -magnitude : magnitude;
  }
  if (status != std::errc{}) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  text = trim(text);
  if (text.ends_with("iB"))
    text.remove_suffix(2);
  else if (text.ends_with('B'))
    text.remove_suffix(1);
  text = trim(text);
  double factor = 1;
  if (!text.empty()) {
    constexpr std::string_view kUnits = "KMGT";
    const auto unit = kUnits.find(static_cast<char>(text.back() & ~0x20));
    if (unit != kUnits.npos) {
      factor = std::pow(1024.0, static_cast<double>(unit + 1));
      text.remove_suffix(1);
    }
  }
  const auto amount = parse_number(trim(text));
  if (!amount || !(*amount >= 0) || *amount * factor > 9e18) return std::nullopt;
  return static_cast<std::uint64_t>(*amount * factor);
}

std::optional<double> parse_seconds(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  // ms goes before s: the first that fits is taken.
  constexpr std::array kUnits = {Unit{"ms", 1e-3}, Unit{"min", 60}, Unit{"s", 1},
                                 Unit{"m", 60},    Unit{"h", 3600}, Unit{"d", 86400}};
  text = trim(text);
  double factor = 1;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    factor = unit.seconds;
    text = trim(text.substr(0, text.size() - unit.name.size()));
    break;
  }
  const auto number = parse_number(text);
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return *number * factor;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const auto end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == text.npos) return parts;
    start = end + 1;
  }
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // C1 controls (U+0080 to U+009F) steer terminals as well as C0 does.
    const bool control =
        first < 0x20 || first == 0x7F ||
        (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (control) {
      for (const char c : text.substr(0, length))
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace mercer
