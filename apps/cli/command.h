// Program and Command: the command line as the commands see it. Values arrive as text; each command
// turns them into what it needs, so that every mistake gets a code, a place and a hint. Only
// command.cpp knows CLI11.
#pragma once

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

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  void positional(const std::string& name, std::string& value, const std::string& help,
                  bool required = true);
  /// One or more of them.
  void positional(const std::string& name, std::vector<std::string>& values,
                  const std::string& help);
  /// name without dashes; "o" style short names as "-o,--output".
  void option(const std::string& name, std::string& value, const std::string& help);
  /// May be given several times or with commas.
  void option(const std::string& name, std::vector<std::string>& values, const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);
  void run(std::function<int(Terminal&)> action);

  /// Every field of words with describe(): --name VALUE, or a flag. `*this` is the visitor.
  template <class Words>
  void words(Words& words) {
    words.describe(*this);
  }
  void operator()(const char* name, std::string& value, const char* help) {
    option(name, value, help);
  }
  void operator()(const char* name, std::vector<std::string>& values, const char* help) {
    option(name, values, help);
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
  CLI::App* app_;
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

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mercer::cli
