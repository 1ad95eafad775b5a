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
constexpr double kJsonStep = 0.02;     // of the whole: so much further is told at once

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
int Terminal::fail(const Error& given) noexcept try {
  if (reader_is_gone(given)) return kReaderGone;
  Error error = given;
  if (error.code() == ErrorCode::cancelled && error.hint().empty()) {
    const std::lock_guard lock(mutex_);
    error = Error(error.code(), error.message(), cancel_hint_, error.place());
  }
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
  if (shows_progress()) observer.progress = [this](const Progress& progress) { show(progress); };
  return observer;
}

bool Terminal::shows_progress() const {
  return progress_style == ProgressStyle::json ||
         (progress_style == ProgressStyle::automatic && !quiet);
}

void Terminal::stage(std::string_view name, double end) {
  const std::lock_guard lock(mutex_);
  course_.begin(name, end);
  stage_start_ = std::chrono::steady_clock::now();
  if (progress_style == ProgressStyle::json) put_json(name, 0, {});
}

void Terminal::expect(double passes, double first, double search) {
  const std::lock_guard lock(mutex_);
  course_.expect(passes, first, search);
}

void Terminal::end_progress() {
  const std::lock_guard lock(mutex_);
  if (!course_.begun()) return;
  course_.begin("done", 1);
  if (progress_style == ProgressStyle::json) put_json("done", 1, {});
}

void Terminal::put_json(std::string_view phase, double of_phase,
                        const std::optional<SearchProgress>& search) const {
  tell(
      fmt::format("{{\"phase\":\"{}\",\"done\":{:.4f},\"of_phase\":{:.4f},\"seconds\":{:.2f}{}}}\n",
                  phase, course_.whole(), of_phase,
                  seconds_between(start_, std::chrono::steady_clock::now()), search_json(search)));
}

void Terminal::show(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  const double whole = course_.at(progress);
  const bool as_json = progress_style == ProgressStyle::json;
  const bool as_bar = !as_json && stderr_is_terminal();
  const bool due =
      seconds_between(last_shown_, now) >= (as_bar || as_json ? kBarInterval : kLineInterval);
  if (!due && !(as_json && whole >= whole_shown_ + kJsonStep)) return;
  last_shown_ = now;
  whole_shown_ = whole;
  if (as_json) return put_json(progress.phase, progress.done, progress.search);
  // The time that is left is that of the stage: others are not as fast.
  const double done = course_.of_stage(), elapsed = seconds_between(stage_start_, now);
  const std::string eta =
      done > 0.02 ? fmt::format(", {} left", duration(elapsed / done * (1 - done))) : "";
  const std::string now_text =
      fmt::format("{:3.0f} %  {}{}{}", 100 * whole, duration(seconds_between(start_, now)), eta,
                  search_text(progress.search));
  if (as_bar) {
    tell(fmt::format("\r{:<8} {} {}\x1b[K", progress.phase, bar(whole), now_text));
    std::fflush(stderr);
    bar_shown_ = true;
  } else {
    tell(fmt::format("{:<8} {}\n", progress.phase, now_text));
  }
}

void Terminal::after_cancel(std::string hint) {
  const std::lock_guard lock(mutex_);
  cancel_hint_ = std::move(hint);
}

void Terminal::clear_progress() noexcept {
  const std::lock_guard lock(mutex_);
  if (!bar_shown_) return;
  tell("\r\x1b[K");
  std::fflush(stderr);
  bar_shown_ = false;
}

}  // namespace mercer::cli
