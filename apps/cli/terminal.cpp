#include "apps/cli/terminal.h"

#include "mercer/core/text.h"
#include "mercer/io/json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace mercer::cli {
namespace {

constexpr double kBarInterval = 0.1;   // seconds between two pictures of a bar
constexpr double kLineInterval = 5.0;  // and between two lines in a pipe

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

std::string bar(double done) {
  constexpr int kWidth = 30;
  const int full = static_cast<int>(done * kWidth);
  std::string text;
  for (int i = 0; i < kWidth; ++i) text += i < full ? "━" : "╌";
  return text;
}

}  // namespace

std::atomic<int> interrupt_signal{0};

bool Terminal::stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

void Terminal::say(std::string_view topic, std::string_view text) {
  if (!quiet) line(fmt::format("{:<8} {}", topic, text));
}

void Terminal::line(std::string_view text) {
  if (quiet) return;
  clear_progress();
  fmt::print(stderr, "{}\n", text);
}

void Terminal::warn(const Warning& warning) {
  clear_progress();
  fmt::print(stderr, "warning[{}]: {}\n", code_text(warning.code), printable(warning.message));
}

void Terminal::data(std::string_view text) {
  clear_progress();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(ErrorCode::write_failed, "standard output cannot be written", "is the disk full?");
}

void Terminal::result(const Value& value) { data(to_json(value) + "\n"); }

// Names from files and from the command line stand in errors; made printable here once more, they
// cannot steer the terminal whoever forgot it.
int Terminal::fail(const Error& error) {
  const std::string code = code_text(error.code()), message = printable(error.message());
  const std::string place = printable(error.place()), hint = printable(error.hint());
  clear_progress();
  fmt::print(stderr, "error[{}]: {}\n", code, message);
  if (!place.empty()) fmt::print(stderr, "  --> {}\n", place);
  if (!hint.empty()) fmt::print(stderr, "  fix: {}\n", hint);
  if (json) {
    Value inner;
    inner["code"] = code;
    inner["message"] = message;
    inner["place"] = place.empty() ? Value() : Value(place);
    inner["hint"] = hint.empty() ? Value() : Value(hint);
    Value value;
    value["schema"] = 1;
    value["error"] = inner;
    const std::string text = to_json(value) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return exit_status(error.code());
}

Observer Terminal::observer() {
  Observer observer;
  observer.cancelled = [] { return interrupt_signal.load(std::memory_order_relaxed) != 0; };
  if (std::isfinite(seconds_allowed))
    observer.out_of_time = [clock = Stopwatch(), limit = seconds_allowed] {
      return clock.seconds() > limit;
    };
  const bool wanted = progress_style == ProgressStyle::json ||
                      (progress_style == ProgressStyle::automatic && !quiet);
  if (wanted) observer.progress = [this](const Progress& progress) { show(progress); };
  return observer;
}

void Terminal::show(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (progress.phase != phase_) {
    phase_ = progress.phase;
    phase_start_ = last_shown_ = now;
    return;
  }
  const bool as_json = progress_style == ProgressStyle::json;
  const bool as_bar = !as_json && stderr_is_terminal();
  if (seconds_between(last_shown_, now) < (as_bar || as_json ? kBarInterval : kLineInterval))
    return;
  last_shown_ = now;
  const double elapsed = seconds_between(phase_start_, now);
  const double left = progress.done > 0.01 ? elapsed / progress.done * (1 - progress.done) : -1;
  const std::string eta = left >= 0 ? fmt::format(", {} left", duration(left)) : "";
  if (as_json) {
    fmt::print(stderr, "{{\"phase\":\"{}\",\"done\":{:.4f},\"seconds\":{:.2f}}}\n", phase_,
               progress.done, elapsed);
  } else if (as_bar) {
    fmt::print(stderr, "\r{:<8} {} {:3.0f} %  {}{}\x1b[K", phase_, bar(progress.done),
               100 * progress.done, duration(elapsed), eta);
    std::fflush(stderr);
    bar_shown_ = true;
  } else {
    fmt::print(stderr, "{:<8} {:.0f} %  {}{}\n", phase_, 100 * progress.done, duration(elapsed),
               eta);
  }
}

void Terminal::clear_progress() {
  const std::lock_guard lock(mutex_);
  if (!bar_shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  bar_shown_ = false;
}

}  // namespace mercer::cli
