// Options of a method, described once. A method's options are a plain struct with defaults whose
// template member describe(field) lists the fields:
//     field("components", components, "count, share of variance in (0, 1), or all");
//     field("iterations", iterations, "at most", Limit::whole_positive);
// From that description come the flags of the command line, `--help`, what a model and JSON record,
// the reference page, and what other languages need to build a signature.
#pragma once

#include "mercer/core/choice.h"
#include "mercer/core/describe.h"
#include "mercer/core/text.h"
#include "mercer/core/types.h"
#include "mercer/core/value.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/components.h"
#include "mercer/models/tolerance.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mercer {

enum class OptionType { flag, whole, number, text, texts, choice, kernel, components, tolerance };

/// "flag", "whole", ...: as JSON names it.
std::string_view name_of(OptionType type);

/// One option as it is known at run time.
struct OptionInfo {
  std::string name, help;
  OptionType type = OptionType::text;
  Value initial;                          // its default, as a model would record it
  std::vector<std::string> choices = {};  // of a choice
  Limit limit = Limit::any;               // of numbers

  Value describe() const;
};

namespace detail {

/// How one type of option is written to and read from a Value. Words of the command line arrive as
/// text, whatever the type; JSON and other languages may give numbers and flags as they are.
Value written(bool value);
Value written(Index value);
Value written(double value);
Value written(const std::string& value);
Value written(const std::vector<std::string>& value);
Value written(const Kernel& value);
Value written(const Components& value);
Value written(const Tolerance& value);
template <class E>
Value written(Choice<E> value) {
  return value.word();
}

/// These throw M102, naming the option.
void read_option(const char* name, const Value& given, Limit limit, bool& value);
void read_option(const char* name, const Value& given, Limit limit, Index& value);
void read_option(const char* name, const Value& given, Limit limit, double& value);
void read_option(const char* name, const Value& given, Limit limit, std::string& value);
void read_option(const char* name, const Value& given, Limit limit,
                 std::vector<std::string>& value);
void read_option(const char* name, const Value& given, Limit limit, Kernel& value);
void read_option(const char* name, const Value& given, Limit limit, Components& value);
/// The same; the error tells what the option's help says that it takes.
void read_components(const Value& given, const char* help, Components& value);
void read_option(const char* name, const Value& given, Limit limit, Tolerance& value);
std::string option_word(const char* name, const Value& given);
template <class E>
void read_option(const char* name, const Value& given, Limit, Choice<E>& value) {
  value = Choice<E>(option_word(name, given));
}

constexpr OptionType type_of(const bool&) { return OptionType::flag; }
constexpr OptionType type_of(const Index&) { return OptionType::whole; }
constexpr OptionType type_of(const double&) { return OptionType::number; }
inline OptionType type_of(const std::string&) { return OptionType::text; }
inline OptionType type_of(const std::vector<std::string>&) { return OptionType::texts; }
inline OptionType type_of(const Kernel&) { return OptionType::kernel; }
inline OptionType type_of(const Components&) { return OptionType::components; }
inline OptionType type_of(const Tolerance&) { return OptionType::tolerance; }
template <class E>
constexpr OptionType type_of(const Choice<E>&) {
  return OptionType::choice;
}

template <class T>
std::vector<std::string> choices_of(const T&) {
  return {};
}
template <class E>
std::vector<std::string> choices_of(const Choice<E>& value) {
  const auto words = choice_words(static_cast<E>(value)).words;
  return {words.begin(), words.end()};
}

struct OptionLister {
  std::vector<OptionInfo> options;
  template <class T>
  void operator()(const char* name, T& value, const char* help, Limit limit = Limit::any) {
    options.push_back({name, help, type_of(value), written(value), choices_of(value), limit});
  }
  /// `word` stands for the value in help texts: "FILE", or its choices "yes|no".
  template <class T>
  void operator()(const char* name, T& value, const char* help, std::string_view word) {
    (*this)(name, value, help);
    if (word.find('|') != word.npos) options.back().choices = split(word, '|');
  }
};

struct OptionWriter {
  Value record = Value::object();
  template <class T>
  void operator()(const char* name, T& value, const char*, Limit = Limit::any) {
    record[name] = written(value);
  }
  template <class T>
  void operator()(const char* name, T& value, const char* help, std::string_view /*word*/) {
    (*this)(name, value, help);
  }
};

struct OptionReader {
  const Value& given;
  template <class T>
  void operator()(const char* name, T& value, const char* help, Limit limit = Limit::any) {
    const Value& word = given[name];
    if (word.is_null()) return;
    if constexpr (std::is_same_v<T, Components>)
      read_components(word, help, value);
    else
      read_option(name, word, limit, value);
  }
  template <class T>
  void operator()(const char* name, T& value, const char* help, std::string_view /*word*/) {
    (*this)(name, value, help);
  }
};

/// Throws M101 for a member that no option has.
void refuse_unknown(const Value& given, const std::vector<OptionInfo>& options);

}  // namespace detail

/// Every option of the struct, in the order of its description.
template <class Options>
std::vector<OptionInfo> options_of() {
  Options defaults;
  detail::OptionLister lister;
  defaults.describe(lister);
  return std::move(lister.options);
}

/// Every option with its value: what a model keeps for the record.
template <class Options>
Value record_of(Options options) {
  detail::OptionWriter writer;
  options.describe(writer);
  return std::move(writer.record);
}

/// Only the options that differ from their defaults.
template <class Options>
Value changed_options(const Options& options) {
  const Value defaults = record_of(Options());
  Value changed = Value::object();
  const Value record = record_of(options);
  for (const auto& [name, value] : record.as_object())
    if (value != defaults[name]) changed[name] = value;
  return changed;
}

/// The defaults with the members of an object put in; null members count as not given. Throws M101
/// for names that are not known, M102 for values that an option cannot have.
template <class Options>
Options read_options(const Value& given) {
  Options options;
  if (given.is_null()) return options;
  detail::refuse_unknown(given, options_of<Options>());
  detail::OptionReader reader{given};
  options.describe(reader);
  return options;
}

}  // namespace mercer
