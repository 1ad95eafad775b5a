// Program and Command: the command line as the commands see it. Values arrive as text; each command
// turns them into what it needs, so that every mistake gets a code, a place and a hint. Only
// command.cpp knows CLI11.
#pragma once

#include "apps/cli/described.h"
#include "apps/cli/terminal.h"
#include "mercer/core/types.h"
#include "mercer/core/value.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace mercer::cli {

/// A command as it was registered: what it takes, and what it does.
struct Registered {
  CLI::App* app = nullptr;
  DescribedCommand described;
  std::string group = "Options";  // of what is registered next
  std::function<int(Terminal&)> action;
};

class Command {
 public:
  explicit Command(Registered& to) : to_(&to) {}

  /// What is described can be changed: its choices, say.
  DescribedArgument& positional(const std::string& name, std::string& value,
                                const std::string& help, bool required = true);
  /// One or more of them.
  DescribedArgument& positional(const std::string& name, std::vector<std::string>& values,
                                const std::string& help);
  /// name without dashes; "-o,--output" for short names too. `word` stands for the value in help
  /// texts: capitals such as FILE, N, SIZE, or the words it can be as "yes|no".
  DescribedOption& option(const std::string& name, std::string& value, const std::string& help,
                          const std::string& word = "TEXT");
  /// May be given several times or with commas.
  DescribedOption& option(const std::string& name, std::vector<std::string>& values,
                          const std::string& help, const std::string& word = "TEXT");
  DescribedOption& flag(const std::string& name, bool& value, const std::string& help);
  void run(std::function<int(Terminal&)> action) { to_->action = std::move(action); }

  /// The heading of the options that are registered next.
  void group(const std::string& name) { to_->group = name; }
  /// What was registered under this name, without dashes.
  DescribedOption& described(const std::string& name);
  void example(const std::string& command, const std::string& meaning);
  /// Too quick for progress, with nothing to be quiet about: help does not show those options.
  void quick();

  /// Every field of words with describe(): --name VALUE, or a flag. `*this` is the visitor.
  template <class Words>
  void words(Words& words) {
    words.describe(*this);
  }
  void operator()(const char* name, std::string& value, const char* help,
                  const char* word = "TEXT") {
    option(name, value, help, word);
  }
  void operator()(const char* name, std::vector<std::string>& values, const char* help,
                  const char* word = "TEXT") {
    option(name, values, help, word);
  }
  /// A flag that is on by default becomes --no-name.
  void operator()(const char* name, bool& value, const char* help);
  void operator()(const char* name, double& value, const char* help);
  void operator()(const char* name, Index& value, const char* help);

  /// The options of every method: what is given of them goes into `given`, by name, as it was
  /// written. A flag that is on by default becomes --no-name. The help shows those of the method
  /// that was named; which method may have which is for the command to check.
  void method_options(Value& given);

 private:
  DescribedOption& describe(const std::string& flags, const std::string& word,
                            const std::string& help);
  template <class Number>
  void number(const char* name, Number& value, const char* help, const char* word);

  Registered* to_;
};

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command command(const std::string& name, const std::string& help);

  /// What the arguments ask for. Throws Error for anything not understood.
  struct Invocation {
    std::function<int(Terminal&)> action;
    std::optional<std::string> print;  // help or version text
    int status = 0;
  };
  Invocation parse(int argc, const char* const* argv, Terminal& terminal);

  std::vector<std::string> commands() const;
  /// What a command takes. Of the options of methods those of this one alone, as it means them;
  /// all of them where none is named.
  DescribedCommand described(const std::string& command, std::string_view method = {}) const;
  /// The same of all commands, and of the program itself.
  std::vector<DescribedCommand> described() const;
  DescribedCommand itself() const;
  /// The text of --help of a command, or of the program, as wide as the terminal; or as JSON.
  std::string help_of(const DescribedCommand* command, bool json) const;

 private:
  const Registered* chosen() const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mercer::cli
