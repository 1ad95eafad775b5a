#include "apps/cli/command.h"

#include "apps/cli/about.h"
#include "mercer/core/text.h"
#include "mercer/models/kind.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mercer::cli {
namespace {

std::string flag_of(const std::string& name) { return name.starts_with('-') ? name : "--" + name; }

// Actions belong to subcommands; CLI11's own callbacks would run inside its parser and its
// exception handling.
std::map<const CLI::App*, std::function<int(Terminal&)>>& actions() {
  static std::map<const CLI::App*, std::function<int(Terminal&)>> map;
  return map;
}

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

void Command::positional(const std::string& name, std::string& value, const std::string& help,
                         bool required) {
  app_->add_option(name, value, help)->required(required);
}

void Command::option(const std::string& name, std::string& value, const std::string& help) {
  app_->add_option(flag_of(name), value, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void Command::option(const std::string& name, std::vector<std::string>& values,
                     const std::string& help) {
  app_->add_option(flag_of(name), values, help)->delimiter(',')->allow_extra_args(false);
}

void Command::flag(const std::string& name, bool& value, const std::string& help) {
  app_->add_flag(flag_of(name), value, help);
}

void Command::positional(const std::string& name, std::vector<std::string>& values,
                         const std::string& help) {
  app_->add_option(name, values, help)->required();
}

void Command::operator()(const char* name, bool& value, const char* help) {
  if (value)
    app_->add_flag_callback(
        "--no-" + std::string(name), [&value] { value = false; }, help);
  else
    flag(name, value, help);
}

namespace {

// Read as options of methods are.
template <class Number>
void add_number(CLI::App& app, const char* name, Number& value, const char* help) {
  app.add_option_function<std::string>(
         flag_of(name),
         [&value, option = std::string(name)](const std::string& text) {
           detail::read_option(option.c_str(), text, Limit::any, value);
         },
         help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace

void Command::operator()(const char* name, double& value, const char* help) {
  add_number(*app_, name, value, help);
}

void Command::operator()(const char* name, Index& value, const char* help) {
  add_number(*app_, name, value, help);
}

namespace {

struct MethodOption {
  CLI::Option* option;
  std::string name;
};

// Of each command that fits.
std::map<const CLI::App*, std::vector<MethodOption>>& method_options_of() {
  static std::map<const CLI::App*, std::vector<MethodOption>> map;
  return map;
}

// The options of the method that is named among the arguments come under a heading of their own,
// those of others are not shown.
void show_options_of_method(CLI::App& app, int argc, const char* const* argv) {
  std::string method(kDefaultMethod);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--method" && i + 1 < argc) method = argv[i + 1];
    if (word.starts_with("--method=")) method = word.substr(9);
  }
  const std::vector<const ModelKind*> kinds = model_kinds();
  const auto kind = std::ranges::find(kinds, method, &ModelKind::name);
  if (kind == kinds.end()) return;  // the command says so
  const std::vector<OptionInfo> own = (*kind)->options();
  for (const MethodOption& one : method_options_of()[&app]) {
    const auto info = std::ranges::find(own, one.name, &OptionInfo::name);
    one.option->group(info != own.end() ? fmt::format("Options of {}", method) : "");
    if (info != own.end()) one.option->description(info->help);  // as this method means it
  }
}

}  // namespace

void Command::method_options(Value& given) {
  given = Value::object();
  std::vector<MethodOption>& added = method_options_of()[app_];
  for (const ModelKind* kind : model_kinds())
    for (const OptionInfo& info : kind->options()) {
      if (std::ranges::find(added, info.name, &MethodOption::name) != added.end()) continue;
      const std::string name = info.name;
      CLI::Option* option = nullptr;
      if (info.type == OptionType::flag) {
        const bool on = info.initial.as_bool();
        option = app_->add_flag_callback((on ? "--no-" : "--") + name,
                                         [&given, name, on] { given[name] = !on; }, info.help);
      } else {
        option = app_->add_option_function<std::string>(
                         flag_of(name),
                         [&given, name](const std::string& text) { given[name] = text; }, info.help)
                     ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      }
      added.push_back({option, name});
    }
}

void Command::run(std::function<int(Terminal&)> action) { actions()[app_] = std::move(action); }

struct Program::Parts {
  CLI::App app{
      "Kernel principal components of any table: the fastest method that meets the asked "
      "tolerance, "
      "and a proof of how good the answer is.",
      "mercer"};
  bool json = false, quiet = false, show_version = false;
  bool verbose = false, json_before = false;  // with --version
  std::string progress = "auto";
};

Program::Program() : parts_(std::make_unique<Parts>()) {
  parts_->app.set_help_flag("-h,--help", "show this help");
  parts_->app.add_flag("--version", parts_->show_version, "show the version");
  parts_->app.add_flag("--verbose", parts_->verbose,
                       "with --version: processor, instructions, BLAS, threads, memory");
  parts_->app.add_flag("--json", parts_->json_before, "with --version: one JSON object");
  parts_->app.require_subcommand(0, 1);
  parts_->app.footer(
      "mercer COMMAND --help shows a command's options; mercer explain CODE an error in full.");
}

// Without a list of the commands, which would need memory: a destructor cannot fail.
Program::~Program() {
  const auto ours = [&](const auto& entry) { return entry.first->get_parent() == &parts_->app; };
  std::erase_if(actions(), ours);
  std::erase_if(method_options_of(), ours);
}

Command Program::command(const std::string& name, const std::string& help) {
  CLI::App* app = parts_->app.add_subcommand(name, help);
  app->set_help_flag("-h,--help", "show this help");
  app->add_flag("--json", parts_->json, "one JSON object on standard output");
  app->add_flag("--quiet", parts_->quiet, "say nothing but warnings and errors");
  app->add_option("--progress", parts_->progress, "auto, json or none")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return Command(*app);
}

std::vector<std::string> Program::commands() const {
  std::vector<std::string> names;
  for (const CLI::App* app : parts_->app.get_subcommands({})) names.push_back(app->get_name());
  return names;
}

namespace {

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

// The text of --help, where that was asked for. Throws Error for what CLI11 does not understand.
std::optional<std::string> parse_words(CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> words = with_hyphens(app, argc, argv);
  try {
    // From the last word to the first, as CLI11 has them.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app.help() : chosen[0]->help("mercer");
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

Program::Invocation Program::parse(int argc, const char* const* argv, Terminal& terminal) {
  CLI::App& app = parts_->app;
  terminal.arguments.assign(argv, argv + argc);
  // Known before parsing, so that a parsing error is shown as JSON too.
  for (int i = 1; i < argc; ++i)
    terminal.json = terminal.json || std::string_view(argv[i]) == "--json";
  for (CLI::App* command : app.get_subcommands({})) show_options_of_method(*command, argc, argv);
  if (argc <= 1) return {.action = {}, .print = app.help(), .status = 2};
  const std::string first = argv[1];
  if (first == "help") {  // mercer help [command]
    const std::vector<std::string> names = commands();
    const bool named = argc > 2 && std::ranges::find(names, std::string(argv[2])) != names.end();
    const CLI::App& asked = named ? *app.get_subcommand(argv[2]) : app;
    return {.action = {}, .print = named ? asked.help("mercer") : asked.help(), .status = 0};
  }
  const std::vector<std::string> known = commands();
  if (!first.starts_with('-') && std::ranges::find(known, first) == known.end())
    throw Error(ErrorCode::unknown_command, fmt::format("unknown command \"{}\"", printable(first)),
                suggest(first, known, "commands"));
  if (std::optional<std::string> help = parse_words(app, argc, argv))
    return {.action = {}, .print = std::move(help), .status = 0};
  if (parts_->show_version)
    return {.action = {}, .print = version_text(parts_->verbose, parts_->json_before), .status = 0};
  const auto given = app.get_subcommands();
  if (!given.empty() && (parts_->json_before || parts_->verbose))
    stands_before(parts_->verbose ? "--verbose" : "--json", *given[0]);
  terminal.json = parts_->json;
  terminal.quiet = parts_->quiet;
  terminal.progress_style = style_of(parts_->progress);
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return {.action = {}, .print = app.help(), .status = 2};
  return {.action = actions()[chosen[0]], .print = std::nullopt, .status = 0};
}

}  // namespace mercer::cli
