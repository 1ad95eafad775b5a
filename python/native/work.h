// Work: one call into the library. It runs in the calling thread with the GIL released, asks
// Python for signals now and then, tells progress, keeps to the time allowed, and raises in the end
// what a signal handler or a progress function raised in between.
#pragma once

#include "mercer/core/budget.h"

#include <pthread.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace mercer::python {

namespace py = pybind11;

class Work {
 public:
  /// `budget`: words as on the command line (memory, threads, time, precision, operator, solver).
  /// `progress`: called with the phase, how far it is, and a dict of the search; or None.
  /// `row_bytes`: of the rows, which the caller holds already.
  Work(const py::dict& budget, py::object progress, std::uint64_t row_bytes);
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  const Context& context() const { return context_; }

  /// f() without the GIL.
  template <class F>
  auto run(F&& f) {
    auto result = [&] {
      try {
        const py::gil_scoped_release released;
        return f();
      } catch (...) {
        raise_kept();
        throw;
      }
    }();
    raise_kept();
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool cancelled();
  void look_for_signals();
  void tell(const Progress& progress);
  void keep_raised();
  void raise_kept();

  Context context_;
  py::object progress_;
  Clock::time_point looked_ = Clock::now(), told_ = {};
  std::string phase_;
  pthread_t caller_ = pthread_self();
  bool main_thread_ = false;
  MemoryAccount::Hold rows_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<py::error_already_set> raised_;  // guarded by the GIL
};

}  // namespace mercer::python
