// What a command takes, as it was registered. Help texts, manual pages, completions and JSON are
// made of this; there is no second list of options.
#pragma once

#include "mercer/core/value.h"

#include <string>
#include <utility>
#include <vector>

namespace mercer::cli {

struct DescribedOption {
  std::vector<std::string> flags;  // "-o", "--output"
  std::string value;               // what stands for the value: "FILE"; empty for a flag
  std::string help, group;
  std::string initial = {};               // the default, where there is one to show
  std::vector<std::string> choices = {};  // words that the value can be, or may begin with
  bool of_method = false;                 // an option that only some methods have
  bool listed = true;                     // whether help shows it: it does something here
};

struct DescribedArgument {
  std::string name, help;
  bool required = true, repeated = false;
  std::vector<std::string> choices = {};  // empty: a file
};

struct DescribedCommand {
  std::string name, summary;
  std::vector<DescribedArgument> arguments = {};
  std::vector<DescribedOption> options = {};
  /// Command and what it does.
  std::vector<std::pair<std::string, std::string>> examples = {};
};

/// "-o, --output FILE", "--precision auto|single|double".
std::string usage_of(const DescribedOption& option);
/// The help with the choices and the default, where it does not name them itself.
std::string meaning_of(const DescribedOption& option);
/// "mercer fit [OPTIONS] TABLE".
std::string usage_of(const DescribedCommand& command);
/// Groups in the order of their first options; what all commands take comes last.
std::vector<std::string> groups_of(const DescribedCommand& command);
/// The group of options that every command has.
inline constexpr const char* kCommonGroup = "Common";

/// All of it, for programs.
Value description_of(const DescribedCommand& command);
Value description_of(const std::vector<DescribedCommand>& commands);

}  // namespace mercer::cli
