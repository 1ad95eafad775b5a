#include "apps/cli/command.h"

#include "apps/cli/about.h"
#include "apps/cli/method_options.h"
#include "apps/cli/render/help.h"
#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/io/json.h"
#include "mercer/models/kind.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <list>

namespace mercer::cli {
namespace {

std::string flag_of(const std::string& name) { return name.starts_with('-') ? name : "--" + name; }

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void unknown_option(const CLI::App& app, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  throw Error(ErrorCode::unknown_option, fmt::format("unknown option \"{}\"", printable(name)),
              suggest(name, option_names(app), "options"));
}

[[noreturn]] void stands_before(const std::string& option, const CLI::App& command) {
  throw Error(
      ErrorCode::unknown_option, fmt::format("\"{}\" stands before the command", printable(option)),
      fmt::format("options come after it: mercer {} {}", command.get_name(), printable(option)));
}

}  // namespace

DescribedOption& Command::describe(const std::string& flags, const std::string& word,
                                   const std::string& help) {
  DescribedOption option;
  for (const std::string& flag : split(flags, ',')) option.flags.push_back(flag);
  option.value = word;
  option.help = help;
  option.group = to_->group;
  return to_->described.options.emplace_back(std::move(option));
}

DescribedOption& Command::described(const std::string& name) {
  const auto has = [&](const DescribedOption& option) {
    return option.flags.back() == flag_of(name);
  };
  const auto found = std::ranges::find_if(to_->described.options, has);
  MERCER_ASSERT(found != to_->described.options.end());
  return *found;
}

void Command::example(const std::string& command, const std::string& meaning) {
  to_->described.examples.emplace_back(command, meaning);
}

void Command::quick() {
  for (const char* name : {"quiet", "progress"}) described(name).listed = false;
}

DescribedArgument& Command::positional(const std::string& name, std::string& value,
                                       const std::string& help, bool required) {
  to_->app->add_option(name, value, help)->required(required);
  return to_->described.arguments.emplace_back(DescribedArgument{name, help, required});
}

DescribedArgument& Command::positional(const std::string& name, std::vector<std::string>& values,
                                       const std::string& help) {
  to_->app->add_option(name, values, help)->required();
  return to_->described.arguments.emplace_back(DescribedArgument{name, help, true, true});
}

DescribedOption& Command::option(const std::string& name, std::string& value,
                                 const std::string& help, const std::string& word) {
  to_->app->add_option(flag_of(name), value, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  DescribedOption& option = describe(flag_of(name), word, help);
  option.initial = value;
  return option;
}

DescribedOption& Command::option(const std::string& name, std::vector<std::string>& values,
                                 const std::string& help, const std::string& word) {
  to_->app->add_option(flag_of(name), values, help)->delimiter(',')->allow_extra_args(false);
  return describe(flag_of(name), word, help);
}

DescribedOption& Command::flag(const std::string& name, bool& value, const std::string& help) {
  to_->app->add_flag(flag_of(name), value, help);
  return describe(flag_of(name), "", help);
}

void Command::operator()(const char* name, bool& value, const char* help) {
  if (!value) return static_cast<void>(flag(name, value, help));
  const std::string off = "--no-" + std::string(name);
  to_->app->add_flag_callback(
      off, [&value] { value = false; }, help);
  describe(off, "", help);
}

// Read as options of methods are.
template <class Number>
void Command::number(const char* name, Number& value, const char* help, const char* word) {
  to_->app
      ->add_option_function<std::string>(
          flag_of(name),
          [&value, option = std::string(name)](const std::string& text) {
            detail::read_option(option.c_str(), text, Limit::any, value);
          },
          help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  describe(flag_of(name), word, help).initial = brief(static_cast<double>(value));
}

void Command::operator()(const char* name, double& value, const char* help) {
  number(name, value, help, "X");
}

void Command::operator()(const char* name, Index& value, const char* help) {
  number(name, value, help, "N");
}

void Command::method_options(Value& given) {
  given = Value::object();
  std::vector<std::string> added;
  for (const ModelKind* kind : model_kinds())
    for (const OptionInfo& info : kind->options()) {
      if (std::ranges::find(added, info.name) != added.end()) continue;
      added.push_back(info.name);
      const std::string name = info.name, flag = flag_of(info);
      describe_option(info, describe(flag, "", info.help));
      if (info.type == OptionType::flag)
        to_->app->add_flag_callback(
            flag, [&given, name, on = info.initial.as_bool()] { given[name] = !on; }, info.help);
      else
        to_->app
            ->add_option_function<std::string>(
                flag, [&given, name](const std::string& text) { given[name] = text; }, info.help)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
}

struct Program::Parts {
  CLI::App app{
      "Kernel principal components of any table: the fastest method that meets the asked "
      "tolerance, and a proof of how good the answer is.",
      "mercer"};
  std::list<Registered> commands = {};  // which actions and descriptions point into
  DescribedCommand itself = {};
  bool json = false, quiet = false, show_version = false;
  bool verbose = false, json_before = false;  // with --version
  std::string progress = "auto";
};

Program::Program() : parts_(std::make_unique<Parts>()) {
  CLI::App& app = parts_->app;
  parts_->itself.summary = app.get_description();
  const auto add = [&](const char* flags, bool* value, const char* help) {
    if (value != nullptr) app.add_flag(flags, *value, help);
    parts_->itself.options.push_back({split(flags, ','), "", help, kCommonGroup});
  };
  app.set_help_flag("-h,--help", "show this help");
  add("-h,--help", nullptr, "show this help");
  add("--version", &parts_->show_version, "show the version");
  add("--verbose", &parts_->verbose,
      "with --version: processor, instructions, BLAS, threads, memory");
  add("--json", &parts_->json_before, "with --version: one JSON object");
  app.require_subcommand(0, 1);
}

Program::~Program() = default;

Command Program::command(const std::string& name, const std::string& help) {
  Registered& entry = parts_->commands.emplace_back();
  entry.app = parts_->app.add_subcommand(name, help);
  entry.described.name = name;
  entry.described.summary = help;
  entry.app->set_help_flag("-h,--help", "show this help");
  entry.group = kCommonGroup;
  Command command(entry);
  entry.described.options.push_back({{"-h", "--help"}, "", "show this help", kCommonGroup});
  command.flag("json", parts_->json, "one JSON object on standard output");
  command.flag("quiet", parts_->quiet, "say nothing but warnings and errors");
  command.option("progress", parts_->progress, "how progress is shown", "auto|json|none");
  entry.group = "Options";
  return command;
}

std::vector<std::string> Program::commands() const {
  std::vector<std::string> names;
  for (const Registered& entry : parts_->commands) names.push_back(entry.described.name);
  return names;
}

DescribedCommand Program::described(const std::string& command, std::string_view method) const {
  const auto named = [&](const Registered& entry) { return entry.described.name == command; };
  DescribedCommand described = std::ranges::find_if(parts_->commands, named)->described;
  for (DescribedArgument& argument : described.arguments)
    if (argument.name == "COMMAND") argument.choices = commands();  // all are there only now
  keep_options_of(method, described);
  return described;
}

std::vector<DescribedCommand> Program::described() const {
  std::vector<DescribedCommand> all;
  for (const Registered& entry : parts_->commands) all.push_back(described(entry.described.name));
  return all;
}

DescribedCommand Program::itself() const { return parts_->itself; }

const Registered* Program::chosen() const {
  const auto given = parts_->app.get_subcommands();
  for (const Registered& entry : parts_->commands)
    if (!given.empty() && entry.app == given[0]) return &entry;
  return nullptr;
}

namespace {

// The method among the arguments; the one that is used where none is named.
std::string method_in(int argc, const char* const* argv) {
  std::string method(kDefaultMethod);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--method" && i + 1 < argc) method = argv[i + 1];
    if (word.starts_with("--method=")) method = word.substr(9);
  }
  return method;
}

// An empty value is a variable of the shell that is not set, mostly: it must not count as a value
// that was not given.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& words = option->results();
    if (words.empty() || !std::ranges::all_of(words, &std::string::empty)) continue;
    throw Error(ErrorCode::missing_argument,
                fmt::format("{} has no value: it is empty", option->get_name()),
                "write a value, or leave it out; a variable of the shell may not be set");
  }
}

// Words that are left over: an option that nobody knows, or one argument too many.
[[noreturn]] void refuse_extras(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App& which = chosen.empty() ? app : *chosen[0];
  for (const std::string& extra : app.remaining())
    if (!chosen.empty()) stands_before(extra, which);
  for (const std::string& extra : which.remaining(true))
    if (extra.starts_with('-') && extra.size() > 1) unknown_option(which, extra);
  throw Error(ErrorCode::unknown_option,
              fmt::format("one argument too many: \"{}\"", printable(which.remaining(true).at(0))),
              fmt::format("mercer {} --help shows how to call it", which.get_name()));
}

// Options have hyphens in their names, and many people and programs write underscores.
std::vector<std::string> with_hyphens(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words(argv, argv + argc);
  const auto known = [&](const std::string& flag) {
    for (const CLI::App* command : app.get_subcommands({}))
      if (command->get_option_no_throw(flag) != nullptr) return true;
    return false;
  };
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with("--")) continue;
    const std::size_t end = std::min(words[i].find('='), words[i].size());
    std::string flag = words[i].substr(0, end);
    if (flag.find('_') == flag.npos || known(flag)) continue;
    std::ranges::replace(flag, '_', '-');
    if (known(flag)) words[i].replace(0, end, flag);
  }
  return words;
}

// The option that CLI11's words are about: "--memory: 1 required TEXT missing", "Could not convert:
// --draw = PC2".
std::string flag_in(const std::string& words) {
  const std::size_t at = words.find('-');
  if (at == words.npos) return "an option";
  return words.substr(at, words.find_first_of(": =", at) - at);
}

// Whether --help was asked for. Throws Error for what CLI11 does not understand.
bool parse_words(CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> words = with_hyphens(app, argc, argv);
  try {
    // From the last word to the first, as CLI11 has them.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
    for (const CLI::App* command : app.get_subcommands()) refuse_empty_values(*command);
    return false;
  } catch (const CLI::CallForHelp&) {
    return true;
  } catch (const CLI::ExtrasError&) {
    refuse_extras(app);
  } catch (const CLI::ArgumentMismatch& error) {
    throw Error(ErrorCode::missing_argument, fmt::format("{} has no value", flag_in(error.what())),
                "write the option and its value, or leave the option out");
  } catch (const CLI::RequiredError& error) {
    const auto chosen = app.get_subcommands();
    throw Error(ErrorCode::missing_argument, error.what(),
                fmt::format("mercer {} --help shows how to call it",
                            chosen.empty() ? "" : chosen[0]->get_name()));
  } catch (const CLI::ConversionError& error) {
    const std::string flag = flag_in(error.what());  // all others take any text
    throw Error(ErrorCode::bad_option_value, fmt::format("{} takes no value", flag),
                fmt::format("write {} alone", flag));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::bad_option_value, error.what(),
                "mercer COMMAND --help shows what it takes");
  }
}

ProgressStyle style_of(const std::string& word) {
  if (word == "auto") return ProgressStyle::automatic;
  if (word == "json") return ProgressStyle::json;
  if (word == "none") return ProgressStyle::none;
  throw Error(ErrorCode::bad_option_value, fmt::format("--progress {}: not known", printable(word)),
              "use auto, json or none");
}

}  // namespace

std::string Program::help_of(const DescribedCommand* command, bool json) const {
  if (command == nullptr && json) return to_json(description_of(described())) + "\n";
  if (command == nullptr) return overview_text(parts_->itself, described(), help_width());
  return json ? to_json(description_of(*command)) + "\n" : help_text(*command, help_width());
}

Program::Invocation Program::parse(int argc, const char* const* argv, Terminal& terminal) {
  CLI::App& app = parts_->app;
  terminal.arguments.assign(argv, argv + argc);
  // Known before parsing, so that a parsing error is shown as JSON too.
  for (int i = 1; i < argc; ++i)
    terminal.json = terminal.json || std::string_view(argv[i]) == "--json";
  if (argc <= 1) return {.action = {}, .print = help_of(nullptr, false), .status = 2};
  const std::string first = argv[1];
  const std::vector<std::string> known = commands();
  if (!first.starts_with('-') && std::ranges::find(known, first) == known.end())
    throw Error(ErrorCode::unknown_command, fmt::format("unknown command \"{}\"", printable(first)),
                suggest(first, known, "commands"));
  const bool help = parse_words(app, argc, argv);
  const Registered* entry = chosen();
  if (help) {
    std::optional<DescribedCommand> command;
    if (entry != nullptr) command = described(entry->described.name, method_in(argc, argv));
    return {
        .action = {}, .print = help_of(command ? &*command : nullptr, terminal.json), .status = 0};
  }
  if (parts_->show_version)
    return {.action = {}, .print = version_text(parts_->verbose, parts_->json_before), .status = 0};
  if (entry != nullptr && (parts_->json_before || parts_->verbose))
    stands_before(parts_->verbose ? "--verbose" : "--json", *entry->app);
  terminal.json = parts_->json;
  terminal.quiet = parts_->quiet;
  terminal.progress_style = style_of(parts_->progress);
  if (entry == nullptr) return {.action = {}, .print = help_of(nullptr, false), .status = 2};
  return {.action = entry->action, .print = std::nullopt};
}

}  // namespace mercer::cli
