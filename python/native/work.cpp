#include "python/native/work.h"

#include "mercer/core/system.h"
#include "mercer/models/budget_words.h"

#include "python/native/values.h"

#include <cmath>

namespace mercer::python {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenSignals = 40ms;  // Ctrl-C is seen within 0.2 s, tiles take a few of them
constexpr auto kBetweenReports = 100ms;

// Takes the words of a dict; what is absent or None stays as it is.
struct WordTaker {
  const py::dict& words;
  void operator()(const char* name, std::string& word, const char* /*help*/,
                  std::string_view /*stands*/) const {
    if (!words.contains(name)) return;
    const py::object given = words[name];
    if (!given.is_none()) word = py::cast<std::string>(py::str(given));
  }
};

Budget budget_of(const py::dict& given) {
  BudgetWords words;
  WordTaker taker{given};
  words.describe(taker);
  words.describe_plan(taker);
  return words.budget();
}

bool in_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("get_ident")().equal(threading.attr("main_thread")().attr("ident"));
}

py::dict search_of(const Progress& progress) {
  py::dict search;
  if (!progress.search) return search;
  search["pass"] = progress.search->pass;
  search["converged"] = progress.search->converged;
  search["wanted"] = progress.search->wanted;
  search["worst_residual"] = progress.search->worst_residual;
  return search;
}

}  // namespace

Work::Work(const py::dict& budget, py::object progress, std::uint64_t row_bytes)
    : progress_(std::move(progress)), main_thread_(in_main_thread()) {
  context_.budget = budget_of(budget);
  // Without a limit of the caller's the rows, which are there already, do not count.
  const bool limited = budget.contains("memory") && !py::object(budget["memory"]).is_none();
  if (!limited) context_.budget.memory += row_bytes;
  context_.account = MemoryAccount(context_.budget.memory);
  rows_ = context_.account->hold(row_bytes, "the rows");
  context_.observer.cancelled = [this] { return cancelled(); };
  if (!progress_.is_none()) context_.observer.progress = [this](const Progress& now) { tell(now); };
  if (!std::isfinite(context_.budget.seconds)) return;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::min(context_.budget.seconds, 1e9)));
  context_.observer.out_of_time = [end] { return Clock::now() >= end; };
}

// From any thread; only the caller's looks for signals, which Python handles in its main thread.
bool Work::cancelled() {
  if (stop_.load(std::memory_order_relaxed)) return true;
  if (!main_thread_ || pthread_equal(pthread_self(), caller_) == 0) return false;
  const Clock::time_point now = Clock::now();
  if (now - looked_ < kBetweenSignals) return false;
  look_for_signals();
  looked_ = Clock::now();
  return stop_;
}

void Work::look_for_signals() {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) keep_raised();
}

// Called by one thread at a time.
void Work::tell(const Progress& progress) {
  const Clock::time_point now = Clock::now();
  const bool new_phase = phase_ != progress.phase;
  if (stop_ || (!new_phase && now - told_ < kBetweenReports)) return;
  const py::gil_scoped_acquire gil;
  try {
    progress_(text_of(progress.phase), progress.done, search_of(progress));
  } catch (py::error_already_set& error) {
    error.restore();
    keep_raised();
  }
  phase_ = progress.phase;
  told_ = Clock::now();
}

void Work::keep_raised() {
  if (raised_)
    PyErr_Clear();
  else
    raised_ = std::make_unique<py::error_already_set>();
  stop_ = true;
}

void Work::raise_kept() {
  if (!raised_) return;
  const std::unique_ptr<py::error_already_set> raised = std::move(raised_);
  raised->restore();
  throw py::error_already_set();
}

}  // namespace mercer::python
