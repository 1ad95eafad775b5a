#include "apps/cli/described.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace mercer::cli {
namespace {

constexpr std::size_t kLongestValue = 32;  // characters of choices that stand for the value itself

std::string joined_choices(const DescribedOption& option) {
  return fmt::format("{}", fmt::join(option.choices, "|"));
}

bool stands_in(std::string_view text, std::string_view word) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_'; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !letter(text[at - 1])) && (end == text.size() || !letter(text[end])))
      return true;
  }
  return false;
}

bool names_choices(const DescribedOption& option) {
  return std::ranges::all_of(option.choices,
                             [&](const std::string& word) { return stands_in(option.help, word); });
}

}  // namespace

std::string usage_of(const DescribedOption& option) {
  const std::string flags = fmt::format("{}", fmt::join(option.flags, ", "));
  if (option.value.empty()) return flags;
  const std::string choices = option.value == "WORD" ? joined_choices(option) : "";
  const bool shown = !choices.empty() && choices.size() <= kLongestValue;
  return fmt::format("{} {}", flags, shown ? choices : option.value);
}

std::string meaning_of(const DescribedOption& option) {
  std::string more;
  const bool in_usage = option.value == "WORD" && joined_choices(option).size() <= kLongestValue;
  if (option.value == "WORD" && !in_usage && !names_choices(option)) more = joined_choices(option);
  if (!option.initial.empty() && option.help.find("default") == option.help.npos)
    more += fmt::format("{}default {}", more.empty() ? "" : "; ", option.initial);
  return more.empty() ? option.help : fmt::format("{} ({})", option.help, more);
}

std::string usage_of(const DescribedCommand& command) {
  std::string text = fmt::format("mercer {} [OPTIONS]", command.name);
  for (const DescribedArgument& argument : command.arguments) {
    const std::string name = argument.name + (argument.repeated ? "..." : "");
    text += argument.required ? " " + name : fmt::format(" [{}]", name);
  }
  return text;
}

std::vector<std::string> groups_of(const DescribedCommand& command) {
  std::vector<std::string> groups;
  for (const DescribedOption& option : command.options)
    if (option.listed && option.group != kCommonGroup &&
        std::ranges::find(groups, option.group) == groups.end())
      groups.push_back(option.group);
  groups.emplace_back(kCommonGroup);
  return groups;
}

namespace {

Value member_of(const DescribedArgument& argument) {
  Value entry;
  entry["name"] = argument.name;
  entry["required"] = argument.required;
  entry["repeated"] = argument.repeated;
  if (!argument.choices.empty()) entry["choices"] = Value::of(argument.choices);
  entry["help"] = argument.help;
  return entry;
}

Value member_of(const DescribedOption& option) {
  Value entry;
  entry["flags"] = Value::of(option.flags);
  entry["value"] = option.value.empty() ? Value() : Value(option.value);
  entry["group"] = option.group;
  entry["default"] = option.initial.empty() ? Value() : Value(option.initial);
  if (!option.choices.empty()) entry["choices"] = Value::of(option.choices);
  entry["of_method"] = option.of_method;
  entry["help"] = option.help;
  return entry;
}

Value members_of(const DescribedCommand& command) {
  Value value;
  value["command"] = command.name;
  value["summary"] = command.summary;
  value["arguments"] = Value::list();
  for (const DescribedArgument& argument : command.arguments)
    value["arguments"].push_back(member_of(argument));
  value["options"] = Value::list();
  for (const DescribedOption& option : command.options)
    if (option.listed) value["options"].push_back(member_of(option));
  return value;
}

}  // namespace

Value description_of(const DescribedCommand& command) {
  Value value;
  value["schema"] = 1;
  const Value members = members_of(command);
  for (const auto& [name, member] : members.as_object()) value[name] = member;
  return value;
}

Value description_of(const std::vector<DescribedCommand>& commands) {
  Value value;
  value["schema"] = 1;
  value["commands"] = Value::list();
  for (const DescribedCommand& command : commands) value["commands"].push_back(members_of(command));
  return value;
}

}  // namespace mercer::cli
