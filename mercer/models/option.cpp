#include "mercer/models/option.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {

std::string_view name_of(OptionType type) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "flag", "whole", "number", "text", "texts", "choice", "kernel", "components", "tolerance"};
  return kNames[static_cast<std::size_t>(type)];
}

Value OptionInfo::describe() const {
  Value value;
  value["name"] = name;
  value["type"] = name_of(type);
  value["default"] = initial;
  if (!choices.empty()) value["choices"] = Value::of(choices);
  if (limit != Limit::any) value["limit"] = text_of(limit);
  value["help"] = help;
  return value;
}

namespace detail {

Value written(bool value) { return value; }
Value written(Index value) { return value; }
Value written(double value) { return value; }
Value written(const std::string& value) { return value; }
Value written(const std::vector<std::string>& value) { return Value::of(value); }
Value written(const Kernel& value) { return value.spec(); }
Value written(const Components& value) { return value.text(); }
Value written(const Tolerance& value) { return value.text(); }

namespace {

[[noreturn]] void refuse(const char* name, const std::string& word, std::string_view reason,
                         const std::string& hint) {
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--{} {}: {}", name, printable(word), reason), hint);
}

// Numbers as people write them, or as they are.
std::optional<double> number_in(const Value& given) {
  if (given.is_number()) return given.as_number();
  return given.is_text() ? parse_number(given.as_text()) : std::nullopt;
}

}  // namespace

std::string option_word(const char* name, const Value& given) {
  if (given.is_text()) return given.as_text();
  if (given.is_bool()) return given.as_bool() ? "true" : "false";
  if (given.is_integer()) return std::to_string(given.as_integer());
  if (given.is_number()) return exact(given.as_number());
  refuse(name, given.is_list() ? "[...]" : "{...}", "one value is needed", "give a text or number");
}

void read_option(const char* name, const Value& given, Limit, bool& value) {
  if (given.is_bool()) {
    value = given.as_bool();
    return;
  }
  const std::string word = option_word(name, given);
  const bool yes = word == "true" || word == "yes" || word == "1";
  const bool no = word == "false" || word == "no" || word == "0";
  if (!yes && !no) refuse(name, word, "must be true or false", "write true or false");
  value = yes;
}

void read_option(const char* name, const Value& given, Limit limit, Index& value) {
  const std::optional<double> number = number_in(given);
  const double least = limit == Limit::whole_positive ? 1 : 0;
  const bool whole =
      number && *number == std::floor(*number) && *number >= least && *number <= 0x1p53;
  if (!whole)
    refuse(name, option_word(name, given), fmt::format("must be a whole number >= {}", least),
           fmt::format("such as --{} {}", name, least + 1));
  value = static_cast<Index>(*number);
}

void read_option(const char* name, const Value& given, Limit limit, double& value) {
  const std::optional<double> number = number_in(given);
  if (!number || !std::isfinite(*number))
    refuse(name, option_word(name, given), "not a finite number", "write it like 0.001 or 1e-3");
  if (!holds(limit, *number))
    refuse(name, option_word(name, given), text_of(limit), fmt::format("such as --{} 0.5", name));
  value = *number;
}

void read_option(const char* name, const Value& given, Limit, std::string& value) {
  value = option_word(name, given);
}

void read_option(const char* name, const Value& given, Limit, std::vector<std::string>& value) {
  value.clear();
  if (!given.is_list()) {
    value = split(option_word(name, given), ',');
    return;
  }
  for (const Value& entry : given.as_list()) value.push_back(option_word(name, entry));
}

void read_option(const char* name, const Value& given, Limit, Kernel& value) {
  value = Kernel(option_word(name, given));
}

void read_option(const char* name, const Value& given, Limit, Components& value) {
  value = Components::parse(option_word(name, given));
}

void read_components(const Value& given, const char* help, Components& value) {
  try {
    read_option("components", given, Limit::any, value);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), fmt::format("--components takes {}", help));
  }
}

void read_option(const char* name, const Value& given, Limit, Tolerance& value) {
  value = Tolerance::parse(option_word(name, given));
}

void refuse_unknown(const Value& given, const std::vector<OptionInfo>& options) {
  for (const auto& [name, value] : given.as_object()) {
    if (std::ranges::find(options, name, &OptionInfo::name) != options.end()) continue;
    std::vector<std::string> known;
    for (const OptionInfo& option : options) known.push_back(option.name);
    throw Error(ErrorCode::unknown_option, fmt::format("unknown option \"{}\"", printable(name)),
                suggest(name, known, "options"));
  }
}

}  // namespace detail
}  // namespace mercer
