#include "mercer/core/parallel.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace mercer {
namespace {

thread_local bool inside_task = false;

// One parallel_for call: tasks are taken by number; whoever finishes last wakes the caller.
struct Job {
  const std::function<void(Index)>* task;
  const Context* context;
  Index count;
  std::atomic<Index> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable finished;
  Index helpers = 0;  // pool threads inside run(), guarded by mutex
  std::exception_ptr failure;

  void run() {
    const bool nested = std::exchange(inside_task, true);
    for (Index i; !stop.load(std::memory_order_relaxed) && (i = next.fetch_add(1)) < count;) {
      try {
        context->check_cancelled();
        (*task)(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        stop = true;
      }
    }
    inside_task = nested;
  }
};

// Threads are made on demand and live until the process ends; a child of fork() starts with none.
class Pool {
 public:
  void help(const std::shared_ptr<Job>& job, Index helpers) {
    const std::lock_guard lock(mutex_);
    while (static_cast<Index>(threads_) < helpers) {
      std::thread([this] { serve(); }).detach();
      ++threads_;
    }
    for (Index i = 0; i < helpers; ++i) waiting_.push_back(job);
    wake_.notify_all();
  }

 private:
  void serve() {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return !waiting_.empty(); });
        job = std::move(waiting_.front());
        waiting_.pop_front();
      }
      {
        const std::lock_guard lock(job->mutex);
        if (job->next.load() >= job->count || job->stop) continue;  // came too late
        ++job->helpers;
      }
      job->run();
      const std::lock_guard lock(job->mutex);
      if (--job->helpers == 0) job->finished.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> waiting_;
  Index threads_ = 0;
};

// Looked up, not linked: another BLAS has no such call and is then used as it is.
struct BlasThreads {
  using Set = void (*)(int);
  using Get = int (*)();
  Set set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  Get get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  int guards = 0;
  int before = 0;
};

// What the process shares: the pool and the BLAS thread count. Never destroyed, since detached
// threads may wait on the pool until the process is gone. fork() takes the lock, so a child never
// inherits it held by a thread it does not have; the child drops the pool, whose threads stayed
// behind, and makes its own.
struct Shared {
  std::mutex mutex;
  Pool* pool = nullptr;
  BlasThreads blas;
};

Shared& shared() {
  static Shared* const instance = [] {
    pthread_atfork([] { shared().mutex.lock(); }, [] { shared().mutex.unlock(); },
                   [] {
                     shared().pool = nullptr;
                     shared().blas.guards = 0;
                     shared().mutex.unlock();
                   });
    return new Shared;
  }();
  return *instance;
}

Pool& pool() {
  const std::lock_guard lock(shared().mutex);
  if (shared().pool == nullptr) shared().pool = new Pool;
  return *shared().pool;
}

}  // namespace

Index thread_count(const Budget& budget) {
  if (budget.threads > 0) return budget.threads;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(const Context& context, Index count, const std::function<void(Index)>& task) {
  if (count <= 0) return;
  const BlasThreadGuard guard;
  const auto job = std::make_shared<Job>();
  job->task = &task;
  job->context = &context;
  job->count = count;
  const Index helpers = inside_task ? 0 : std::min(thread_count(context.budget), count) - 1;
  if (helpers > 0) pool().help(job, helpers);
  job->run();
  std::unique_lock lock(job->mutex);
  job->finished.wait(lock, [&] { return job->helpers == 0; });
  if (job->failure) std::rethrow_exception(job->failure);
}

std::vector<Range> tiles_of(Index n, Index tile) {
  std::vector<Range> tiles;
  for (Index begin = 0; begin < n; begin += tile)
    tiles.push_back({begin, std::min(n, begin + tile)});
  return tiles;
}

std::vector<std::vector<TilePair>> pair_rounds(Index blocks) {
  const Index odd = blocks % 2 == 1 ? blocks : blocks + 1;  // the extra block is left out below
  std::vector<std::vector<TilePair>> rounds;
  for (Index r = 0; r < odd; ++r) {
    std::vector<TilePair> round;
    for (Index i = 0; i <= odd / 2; ++i) {
      const Index a = (r + i) % odd, b = (r - i + odd) % odd;
      if (a < blocks && b < blocks) round.push_back({std::min(a, b), std::max(a, b)});
    }
    if (!round.empty()) rounds.push_back(std::move(round));
  }
  return rounds;
}

BlasThreadGuard::BlasThreadGuard() {
  const std::lock_guard lock(shared().mutex);
  BlasThreads& blas = shared().blas;
  if (blas.set == nullptr || blas.get == nullptr || blas.guards++ > 0) return;
  blas.before = blas.get();
  if (blas.before != 1) blas.set(1);
}

BlasThreadGuard::~BlasThreadGuard() {
  const std::lock_guard lock(shared().mutex);
  BlasThreads& blas = shared().blas;
  // A guard that was alive across fork() finds the child's count already at 0.
  if (blas.set == nullptr || blas.get == nullptr || blas.guards == 0 || --blas.guards > 0) return;
  if (blas.before != 1) blas.set(blas.before);
}

}  // namespace mercer
