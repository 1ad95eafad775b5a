// Errors and warnings. Every failure a user can cause is an Error with a code of codes.def, a
// message (the fact, with numbers), a place (file, row, column) and a hint (what to do about it).
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// One enumerator per MERCER_CODE line of codes.def; the value is the public number.
enum class ErrorCode : int {
#define MERCER_CODE(number, name, summary, text) name = number,
#define MERCER_WARNING(number, name, summary, text)
#include "mercer/core/codes.def"
#undef MERCER_CODE
#undef MERCER_WARNING
};

/// One enumerator per MERCER_WARNING line of codes.def.
enum class WarningCode : int {
#define MERCER_CODE(number, name, summary, text)
#define MERCER_WARNING(number, name, summary, text) name = number,
#include "mercer/core/codes.def"
#undef MERCER_CODE
#undef MERCER_WARNING
};

/// The registry's entry for a code, as `mercer explain` prints it.
struct CodeInfo {
  char letter;  // 'M' for errors, 'W' for warnings
  int number;
  std::string_view name, summary, text;
};

/// All codes in the order of codes.def.
std::span<const CodeInfo> all_codes();

/// "M301", "W233".
std::string code_text(ErrorCode code);
std::string code_text(WarningCode code);

/// The exit status that belongs to a code, from its hundreds.
int exit_status(ErrorCode code);

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message, std::string hint = {}, std::string place = {});

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  const std::string& place() const { return place_; }
  const char* what() const noexcept override { return what_.c_str(); }

  /// The same error with a place, where the thrower could not know it.
  Error at(std::string place) const { return {code_, message_, hint_, std::move(place)}; }

 private:
  ErrorCode code_;
  std::string message_, hint_, place_, what_;
};

/// The mild form: the result stands, and this is worth knowing.
struct Warning {
  WarningCode code;
  std::string message;
};
using Warnings = std::vector<Warning>;

/// The known name closest to a mistyped one, if any is close enough to be meant.
std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> known);

/// `did you mean "x"?`, or `known names: a, b, c` where nothing is near.
std::string suggest(std::string_view typed, std::span<const std::string> known,
                    std::string_view what);

}  // namespace mercer
