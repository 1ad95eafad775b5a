#include "mercer/kernels/found_width.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace mercer {
namespace {

constexpr std::array<std::string_view, 2> kRules = {"median", "nearest"};

std::optional<WidthRule> rule_named(std::string_view word) {
  for (std::size_t i = 0; i < kRules.size(); ++i)
    if (word == kRules[i]) return static_cast<WidthRule>(i);
  return std::nullopt;
}

}  // namespace

bool is_width_rule(std::string_view word) { return rule_named(word).has_value(); }

std::optional<FoundWidth> FoundWidth::read(std::string_view text) {
  FoundWidth width;
  std::string_view word = text;
  const std::size_t star = text.find('*'), slash = text.find('/');
  std::optional<double> number = 1.0;
  if (star != text.npos) {
    number = parse_number(text.substr(0, star));
    word = text.substr(star + 1);
  } else if (slash != text.npos) {
    number = parse_number(text.substr(slash + 1));
    word = text.substr(0, slash);
    if (number) number = 1 / *number;
  }
  const std::optional<WidthRule> rule = rule_named(word);
  if (!rule || !number || !std::isfinite(*number) || *number <= 0) return std::nullopt;
  return FoundWidth{*rule, *number};
}

std::string FoundWidth::spec() const {
  const std::string_view word = kRules[static_cast<std::size_t>(rule)];
  return factor == 1 ? std::string(word) : fmt::format("{}*{}", exact(factor), word);
}

std::string FoundWidth::words() const {
  const char* what =
      rule == WidthRule::median ? "median distance" : "mean distance of nearest rows";
  return factor == 1 ? what : fmt::format("{} times the {}", brief(factor), what);
}

}  // namespace mercer
