// Which error a call ends in, and whether a report carries a warning.
#pragma once

#include "mercer/core/error.h"

#include <algorithm>
#include <string>

namespace mercer::test {

/// "M301" when the call throws that error, "no error" when it returns.
template <class Call>
std::string code_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return code_text(error.code());
  }
  return "no error";
}

inline bool has_warning(const Warnings& warnings, WarningCode code) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const Warning& warning) { return warning.code == code; });
}

/// What the error of a call says, "" where there is none.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

}  // namespace mercer::test
