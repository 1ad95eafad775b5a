// The tasks of a parallel loop, counted for the observer. Threads that finish a task while another
// one tells the observer do not wait for it: their tasks are part of what is told next.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <atomic>
#include <string_view>

namespace mercer {

class Steps {
 public:
  /// Of the phase, `total` tasks; views both the context and the name.
  Steps(const Context& context, std::string_view phase, Index total)
      : context_(context), phase_(phase), total_(total) {}

  /// One more task is done: from any thread. Who finds another thread telling leaves; who has told
  /// looks whether somebody left meanwhile, so that the last task is told in any case.
  void done() {
    done_.fetch_add(1);
    while (done_.load() > told_.load() && !telling_.exchange(true)) {
      const Reset reset{telling_};  // also where the observer throws
      told_.store(done_.load());
      context_.report(phase_, static_cast<double>(told_.load()) / static_cast<double>(total_));
    }
  }

 private:
  struct Reset {
    std::atomic<bool>& flag;
    ~Reset() { flag.store(false); }
  };

  const Context& context_;
  std::string_view phase_;
  Index total_;
  std::atomic<Index> done_{0}, told_{0};
  std::atomic<bool> telling_{false};
};

}  // namespace mercer
