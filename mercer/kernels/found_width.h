// FoundWidth: how a parameter of a kernel is found from the data: sigma=median, sigma=0.5*median,
// length=nearest/2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mercer {

enum class WidthRule { median, nearest };

struct FoundWidth {
  WidthRule rule = WidthRule::median;
  double factor = 1;

  /// Reads "median", "0.5*nearest", "median/2"; nothing for other texts, nor for factors that are
  /// not positive numbers.
  static std::optional<FoundWidth> read(std::string_view text);
  /// Text that reads back as the same.
  std::string spec() const;
  /// "median distance", "0.5 times the mean distance of nearest rows".
  std::string words() const;
};

/// Whether the word names a rule.
bool is_width_rule(std::string_view word);

}  // namespace mercer
