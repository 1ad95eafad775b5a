#include "mercer/models/tolerance.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

namespace mercer {
namespace {

constexpr std::string_view kEigenvalues = "eigenvalues:";
constexpr std::string_view kExample = "such as --tolerance 1e-6, or --tolerance eigenvalues:1e-6";
// A residual is a sum of n rounded products: below this no float64 result can be shown to be.
constexpr double kLeast = 1e-14;

// The word before a colon is the only one there is, however it was spelt.
[[noreturn]] void refuse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool other_word = colon != text.npos && !text.starts_with(kEigenvalues);
  if (!other_word)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--tolerance {}: not a number", printable(text)),
                std::string(kExample));
  const std::string_view number = text.substr(colon + 1);
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--tolerance {}: \"{}\" is not known", printable(text),
                          printable(text.substr(0, colon))),
              parse_number(number)
                  ? fmt::format("did you mean --tolerance {}{}?", kEigenvalues, number)
                  : std::string(kExample));
}

}  // namespace

Tolerance Tolerance::of_eigenvalues(double width) {
  Tolerance tolerance(width);
  tolerance.eigenvalues_only_ = true;
  return tolerance;
}

Tolerance Tolerance::parse(std::string_view text) {
  const bool eigenvalues = text.starts_with(kEigenvalues);
  const std::string_view number = eigenvalues ? text.substr(kEigenvalues.size()) : text;
  const auto value = parse_number(number);
  if (!value) refuse(text);
  const Tolerance tolerance = eigenvalues ? of_eigenvalues(*value) : Tolerance(*value);
  check_tolerance(tolerance);
  return tolerance;
}

std::string Tolerance::text() const {
  return fmt::format("{}{}", eigenvalues_only_ ? kEigenvalues : "", brief(value_));
}

void check_tolerance(const Tolerance& tolerance) {
  if (!(tolerance.value() > 0))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("the tolerance is {}: it must be positive", brief(tolerance.value())),
                "such as --tolerance 1e-6");
  if (tolerance.value() < kLeast)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("a tolerance of {} is below what float64 rounding allows",
                            brief(tolerance.value())),
                "ask for at least --tolerance 1e-14; 1e-10 is as good as exact for most uses");
  if (!(tolerance.value() < 1))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("tolerance = {}: must lie strictly between 0 and 1", tolerance.value()),
                "the default is 1e-6");
}

}  // namespace mercer
