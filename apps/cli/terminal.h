// Terminal: where a command's words and data go. Data to stdout, everything else to stderr;
// progress on a terminal as a bar, in a pipe as a line every few seconds, or as JSON lines.
#pragma once

#include "apps/cli/course.h"
#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/core/value.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

enum class ProgressStyle { automatic, json, none };

class Terminal {
 public:
  bool quiet = false;
  bool json = false;
  ProgressStyle progress_style = ProgressStyle::automatic;
  /// The words the program was called with.
  std::vector<std::string> arguments;
  /// Seconds the command may take from now on; infinite unless asked for.
  double seconds_allowed = HUGE_VAL;

  /// "Reading  text": one line of the running account, on stderr, unless quiet.
  void say(std::string_view topic, std::string_view text);
  /// A line without topic.
  void line(std::string_view text);
  void warn(const Warning& warning);
  /// Data on stdout.
  void data(std::string_view text);
  /// The one JSON object of a run with --json.
  void result(const Value& value);
  /// Text on stderr that is the answer itself, such as how to call a command: also when quiet.
  void words(std::string_view text);
  /// The error as text on stderr, and as JSON on stdout where asked for. Returns the exit status.
  /// Without the memory for that it becomes M302. Where the reader of a pipe has gone there is
  /// nobody to tell: kReaderGone.
  int fail(const Error& error) noexcept;
  /// M302, without allocating anything.
  int fail_for_memory() noexcept;

  /// Shows progress and listens to Ctrl-C.
  Observer observer();
  /// The next stage of the command, "read" or "write", which takes its whole to `end`.
  void stage(std::string_view name, double end);
  /// What is known of this stage beforehand, as Course::expect.
  void expect(double passes, double first, double search = 1);
  /// The command has come to its end.
  void end_progress();
  /// What to do after Ctrl-C, for an error that does not say it itself.
  void after_cancel(std::string hint);
  /// Removes a bar from the screen.
  void clear_progress() noexcept;

  static bool stderr_is_terminal();

 private:
  void show(const Progress& progress);
  bool shows_progress() const;
  void put_json(std::string_view phase, double of_phase,
                const std::optional<SearchProgress>& search) const;

  std::mutex mutex_;
  Course course_;
  std::string cancel_hint_;
  bool bar_shown_ = false;
  double whole_shown_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(),
                                        stage_start_ = start_, last_shown_ = start_;
};

/// The status of a program that SIGPIPE ends, as shells show it.
constexpr int kReaderGone = 141;

/// Set by SIGINT, SIGTERM and SIGHUP.
extern std::atomic<int> interrupt_signal;

/// Seconds since a moment.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace mercer::cli
