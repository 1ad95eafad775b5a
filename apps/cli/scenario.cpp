#include "apps/cli/scenario.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

namespace mercer::cli {
namespace {

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorCode::bad_option_value, std::move(message), std::move(hint));
}

double positive(const std::string& text) {
  const auto value = parse_number(text);
  if (!value || !(*value >= 0) || *value > 1e12)
    refuse(fmt::format("{} is not a number >= 0", printable(text)), "such as 0.5");
  return *value;
}

Index whole(const std::string& text) {
  const double value = positive(text);
  if (value != std::floor(value))
    refuse(fmt::format("{} is not a whole number", printable(text)), "such as 10");
  return static_cast<Index>(value);
}

using Setter = void (*)(Scenario&, const std::string&);

const std::map<std::string, Setter>& setters() {
  using S = Scenario;
  using Text = const std::string&;
  static const std::map<std::string, Setter> all = {
      {"name", [](S& s, Text text) { s.name = text; }},
      {"data", [](S& s, Text text) { s.data = text; }},
      {"n", [](S& s, Text text) { s.generator.n = s.rows = whole(text); }},
      {"dim", [](S& s, Text text) { s.generator.dim = whole(text); }},
      {"classes", [](S& s, Text text) { s.generator.classes = whole(text); }},
      {"noise", [](S& s, Text text) { s.generator.noise = positive(text); }},
      {"seed", [](S& s, Text text) { s.generator.seed = static_cast<std::uint64_t>(whole(text)); }},
      {"method", [](S& s, Text text) { s.method = text; }},
      {"memory", [](S& s, Text text) { s.memory = text; }},
      {"eigenvalue_error", [](S& s, Text text) { s.eigenvalue_error = positive(text); }},
  };
  return all;
}

// The line up to a # that does not stand in quotes.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return line.substr(0, i);
  }
  return line;
}

// "text" in quotes without quotes or backslashes inside, or a bare number.
std::string value_of(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  const std::string_view inner = quoted ? text.substr(1, text.size() - 2) : text;
  if (quoted ? inner.find_first_of("\"\\") == inner.npos : parse_number(inner).has_value())
    return std::string(inner);
  refuse(fmt::format("the value {} is neither a number nor text in quotes", printable(text)),
         "write it like 10, 1e-6 or \"gaussian\"");
}

// A key that is not the scenario's own must be an option of some method.
void check_key(const std::string& key) {
  std::vector<std::string> known;
  for (const auto& entry : setters()) known.push_back(entry.first);
  for (const ModelKind* kind : model_kinds()) {
    if (kind->has_option(key)) return;
    for (const OptionInfo& option : kind->options()) known.push_back(option.name);
  }
  refuse(fmt::format("unknown key \"{}\"", printable(key)), suggest(key, known, "keys"));
}

void read_line(std::string_view line, Scenario& scenario, std::vector<std::string>& seen) {
  const std::string_view text = trim(without_comment(line));
  if (text.empty()) return;
  const auto equals = text.find('=');
  if (equals == text.npos)
    refuse(fmt::format("\"{}\" is not key = value", printable(text)), "such as n = 1000");
  const std::string key(trim(text.substr(0, equals)));
  const auto setter = setters().find(key);
  const bool of_method = setter == setters().end();
  if (of_method) check_key(key);
  if (std::ranges::find(seen, key) != seen.end())
    refuse(fmt::format("\"{}\" is given twice", key), "keep one of them");
  seen.push_back(key);
  const std::string value = value_of(trim(text.substr(equals + 1)));
  if (of_method)
    scenario.given[key] = value;
  else
    setter->second(scenario, value);
}

}  // namespace

Scenario read_scenario(const std::string& file) {
  constexpr std::uint64_t kLargest = 1 << 20;  // bytes; a scenario has a few hundred
  Scenario scenario;
  scenario.file = file;
  scenario.name = std::filesystem::path(file).stem().string();
  std::vector<std::string> seen;
  Index number = 0;
  for (const std::string& line : split(read_file(file, kLargest), '\n')) {
    ++number;
    try {
      read_line(line, scenario, seen);
    } catch (const Error& error) {
      throw error.at(fmt::format("{}, line {}", printable(file), number));
    }
  }
  if (scenario.data.empty())
    throw Error(ErrorCode::bad_option_value, "the scenario names no data",
                "such as data = \"swiss_roll\" (mercer list data)", printable(file));
  return scenario;
}

Dataset data_of(const Scenario& scenario, const Context& context) {
  const auto path = std::filesystem::path(scenario.file).parent_path() / scenario.data;
  const auto known = generators();
  const bool made = std::ranges::any_of(
      known, [&](const Generator* generator) { return generator->name == scenario.data; });
  const bool like_a_path = scenario.data.find_first_of("./") != std::string::npos;
  std::error_code unknown;
  if (made || (!like_a_path && !std::filesystem::exists(path, unknown)))
    return generate(scenario.data, scenario.generator);
  Dataset data = read_table(path.string(), {}, context).data;
  if (scenario.rows == 0 || scenario.rows >= data.n()) return data;
  std::vector<Index> first(static_cast<std::size_t>(scenario.rows));
  std::iota(first.begin(), first.end(), Index{0});
  return data.rows(first);
}

}  // namespace mercer::cli
