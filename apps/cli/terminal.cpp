#include "apps/cli/terminal.h"

#include "mercer/core/text.h"
#include "mercer/io/json.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
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
  constexpr int kWidth = 30;  // characters: with its text a bar fits into 80 columns
  const int full = static_cast<int>(done * kWidth);
  std::string text;
  for (int i = 0; i < kWidth; ++i) text += i < full ? "━" : "╌";
  return text;
}

// Words are a courtesy: when standard error is full or closed the work goes on, and its result
// counts.
void tell(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

bool put_data(std::string_view text) noexcept {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

// Whether the error is that nobody reads the pipe any more that was written to: standard output,
// which has no place, or one with a name. A pipe has no other way to fail.
bool reader_is_gone(const Error& error) noexcept {
  if (error.code() != ErrorCode::write_failed) return false;
  struct stat status {};
  if (!error.place().empty())
    return stat(error.place().c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  pollfd stream{STDOUT_FILENO, POLLOUT, 0};
  return poll(&stream, 1, 0) == 1 && (stream.revents & POLLERR) != 0;
}

std::string error_text(const Error& error) {
  std::string text =
      fmt::format("error[{}]: {}\n", code_text(error.code()), printable(error.message()));
  if (!error.place().empty()) text += fmt::format("  --> {}\n", printable(error.place()));
  if (!error.hint().empty()) text += fmt::format("  fix: {}\n", printable(error.hint()));
  return text;
}

std::string error_json(const Error& error) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Value() : Value(printable(text));
  };
  Value inner;
  inner["code"] = code_text(error.code());
  inner["message"] = printable(error.message());
  inner["place"] = text_or_null(error.place());
  inner["hint"] = text_or_null(error.hint());
  Value value;
  value["schema"] = 1;
  value["error"] = inner;
  return to_json(value) + "\n";
}

// Where a search for eigenpairs is: "  27/32 converged  worst residual 3.1e-05".
std::string search_text(const std::optional<SearchProgress>& search) {
  if (!search || !std::isfinite(search->worst_residual)) return "";
  return fmt::format("  {}/{} converged  worst residual {:.1e}", search->converged, search->wanted,
                     search->worst_residual);
}

// The same as further fields of a JSON line.
std::string search_json(const std::optional<SearchProgress>& search) {
  if (!search) return "";
  const std::string worst = std::isfinite(search->worst_residual)
                                ? fmt::format(",\"worst_residual\":{:.3e}", search->worst_residual)
                                : "";
  return fmt::format(",\"pass\":{},\"wanted\":{},\"converged\":{}{}", search->pass, search->wanted,
                     search->converged, worst);
}

// What is said when there is no memory to say anything else with.
#define MERCER_NO_MEMORY "the system has no memory left"
#define MERCER_NO_MEMORY_HINT "lower --memory, or close other programs"
constexpr std::string_view kNoMemory =
    "error[M302]: " MERCER_NO_MEMORY "\n  fix: " MERCER_NO_MEMORY_HINT "\n";
constexpr std::string_view kNoMemoryJson =
    R"({"schema":1,"error":{"code":"M302","message":")" MERCER_NO_MEMORY
    R"(","place":null,"hint":")" MERCER_NO_MEMORY_HINT "\"}}\n";
static_assert(static_cast<int>(ErrorCode::out_of_memory) == 302);

}  // namespace

std::atomic<int> interrupt_signal{0};

bool Terminal::stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

void Terminal::say(std::string_view topic, std::string_view text) {
  if (!quiet) line(fmt::format("{:<8} {}", topic, text));
}

void Terminal::line(std::string_view text) {
  if (quiet) return;
  clear_progress();
  tell(fmt::format("{}\n", text));
}

void Terminal::warn(const Warning& warning) {
  clear_progress();
  tell(fmt::format("warning[{}]: {}\n", code_text(warning.code), printable(warning.message)));
}

void Terminal::data(std::string_view text) {
  clear_progress();
  if (put_data(text)) return;
  throw Error(ErrorCode::write_failed, "standard output cannot be written", "is the disk full?");
}

void Terminal::result(const Value& value) { data(to_json(value) + "\n"); }

void Terminal::words(std::string_view text) {
  clear_progress();
  tell(text);
}

// Names from files and from the command line stand in errors; made printable here once more, they
// cannot steer the terminal whoever forgot it. The texts are complete before anything is written,
// so that memory that runs out meanwhile leaves no half of them.
int Terminal::fail(const Error& error) noexcept try {
  if (reader_is_gone(error)) return kReaderGone;
  const std::string text = error_text(error), object = json ? error_json(error) : "";
  clear_progress();
  tell(text);
  if (json) static_cast<void>(put_data(object));  // the error is told already
  return exit_status(error.code());
} catch (...) {
  return fail_for_memory();
}

int Terminal::fail_for_memory() noexcept {
  clear_progress();
  tell(kNoMemory);
  if (json) static_cast<void>(put_data(kNoMemoryJson));
  return exit_status(ErrorCode::out_of_memory);
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
    tell(fmt::format("{{\"phase\":\"{}\",\"done\":{:.4f},\"seconds\":{:.2f}{}}}\n", phase_,
                     progress.done, elapsed, search_json(progress.search)));
  } else if (as_bar) {
    tell(fmt::format("\r{:<8} {} {:3.0f} %  {}{}{}\x1b[K", phase_, bar(progress.done),
                     100 * progress.done, duration(elapsed), eta, search_text(progress.search)));
    std::fflush(stderr);
    bar_shown_ = true;
  } else {
    tell(fmt::format("{:<8} {:.0f} %  {}{}{}\n", phase_, 100 * progress.done, duration(elapsed),
                     eta, search_text(progress.search)));
  }
}

void Terminal::clear_progress() noexcept {
  const std::lock_guard lock(mutex_);
  if (!bar_shown_) return;
  tell("\r\x1b[K");
  std::fflush(stderr);
  bar_shown_ = false;
}

}  // namespace mercer::cli
