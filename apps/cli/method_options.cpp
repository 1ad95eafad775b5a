#include "apps/cli/method_options.h"

#include "mercer/core/text.h"
#include "mercer/models/indefinite.h"
#include "mercer/models/kind.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/operators/given.h"
#include "mercer/solvers/certificate.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {
namespace {

constexpr const char* kMethodGroup = "Method";

template <class E>
bool offers(const OptionInfo& info) {
  const auto words = choice_words(E{}).words;
  return std::ranges::equal(info.choices, words);
}

// What an option is about, by what it can be.
const char* group_of(const OptionInfo& info) {
  if (info.type == OptionType::kernel || offers<Given>(info) || offers<Indefinite>(info) ||
      offers<Nullspace>(info))
    return "Kernel";
  const bool answer = info.type == OptionType::components || info.type == OptionType::tolerance;
  return answer || offers<Certify>(info) ? "Answer" : kMethodGroup;
}

// What stands for a value of this type.
const char* word_of(OptionType type) {
  switch (type) {
    case OptionType::flag:
      return "";
    case OptionType::whole:
      return "N";
    case OptionType::number:
    case OptionType::tolerance:
      return "X";
    case OptionType::choice:
      return "WORD";
    case OptionType::kernel:
      return "KERNEL";
    case OptionType::components:
      return "COUNT";
    case OptionType::text:
    case OptionType::texts:
      break;
  }
  return "TEXT";
}

// Options of every fit that this method refuses are not shown in its help; that of the default
// method is the help where none is named, and shows all.
bool is_refused(const ModelKind& kind, std::string_view flag) {
  if (kind.name == kDefaultMethod) return false;
  if (flag == "--start") return !kind.takes.start;
  if (flag == "--weights") return !kind.takes.weights;
  if (flag == "--chunks") return !kind.takes.chunks;
  if (flag == "--on" || flag == "--cross-validate") return !kind.abilities.has(Ability::predicts);
  if (flag == "--scores" || flag == "--draw") return !kind.abilities.has(Ability::transforms);
  return false;
}

}  // namespace

std::string flag_of(const OptionInfo& info) {
  const bool off = info.type == OptionType::flag && info.initial.as_bool();
  return (off ? "--no-" : "--") + info.name;
}

void describe_option(const OptionInfo& info, DescribedOption& option) {
  option.flags = {flag_of(info)};
  option.value = word_of(info.type);
  option.help = info.help;
  option.group = group_of(info);
  option.of_method = true;
  option.choices = info.choices;
  option.initial = info.initial.is_text()     ? info.initial.as_text()
                   : info.initial.is_number() ? brief(info.initial.as_number())
                                              : "";
  if (info.type == OptionType::kernel)
    for (const FamilyInfo& family : kernel_families()) option.choices.push_back(family.name);
}

void keep_options_of(std::string_view method, DescribedCommand& command) {
  const std::vector<const ModelKind*> kinds = model_kinds();
  const auto kind = std::ranges::find(kinds, method, &ModelKind::name);
  if (kind == kinds.end()) return;
  const std::vector<OptionInfo> own = (*kind)->options();
  for (DescribedOption& option : command.options) {
    if (!option.of_method) {
      option.listed = option.listed && !is_refused(**kind, option.flags.back());
      continue;
    }
    const std::vector<std::string> flags = option.flags;
    const auto same = [&](const OptionInfo& info) {
      return flags[0] == "--" + info.name || flags[0] == "--no-" + info.name;
    };
    const auto info = std::ranges::find_if(own, same);
    option.listed = info != own.end();
    if (!option.listed) continue;
    describe_option(*info, option);
    option.flags = flags;
    if (option.group == kMethodGroup) option.group = fmt::format("Options of {}", method);
  }
}

}  // namespace mercer::cli
