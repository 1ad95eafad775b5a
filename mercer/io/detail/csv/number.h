// One cell as a number. A decimal of at most 19 digits m * 10^e with m <= 2^53 and |e| <= 22 is
// exact by one multiplication or division of exact doubles (Clinger 1990); everything else goes to
// std::from_chars, which rounds correctly. Neither asks the locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// What a cell is. `grouped`: digits with marks that can be read in two ways, such as 1,234.5.
enum class CellKind { number, missing, text, infinite, overflow, underflow, grouped };
constexpr std::size_t kCellKinds = 7;

/// How the numbers of a table are written.
struct NumberStyle {
  char decimal = '.';
  std::optional<char> thousands;
  bool groups_of_three = false;  // the separator parts those alone, as it was found to
  std::vector<std::string> na;   // texts that mean "missing", besides the usual ones
};

/// Sets the value for `number` and `underflow` (then 0); NaN otherwise.
CellKind read_number(std::string_view text, const NumberStyle& style, double& value);

/// Whether the text says that there is no value.
bool is_missing(std::string_view text, const NumberStyle& style);

/// Whether the whole text is a decimal number with this mark; no infinity, no NaN, no hexadecimal.
bool is_decimal(std::string_view text, char mark);

/// Whether the text is digits in groups of three, such as -1,234,567.25 or 1,234.
bool has_groups_of_three(std::string_view text, char separator, char mark);

}  // namespace mercer::detail
