#include "mercer/core/parallel.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
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
  // Without the memory for a thread, or for a place in the queue, there are fewer helpers: the
  // caller does what nobody else takes. Throwing would be worse than slow, since threads that have
  // the job already would go on with it after the caller has left.
  void help(const std::shared_ptr<Job>& job, Index helpers) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      while (threads_ < helpers) {
        std::thread([this] { serve(); }).detach();
        ++threads_;
      }
    } catch (const std::exception&) {
    }
    try {
      for (Index i = 0; i < std::min(helpers, threads_); ++i) waiting_.push_back(job);
    } catch (const std::bad_alloc&) {
    }
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
  Index users_seen = 0;  // most threads at once for which there was address space
};

// Threads inside BLAS at the same time need a buffer each, and OpenBLAS asks for one again and
// again, for ever, where there is no address space left (a limit such as ulimit -v). So the space
// is asked for before, once for every new height. A buffer has 128 MiB; the C library reserves half
// of that for a thread's own memory.
bool has_room_for(BlasThreads& blas, Index users) {
  if (blas.set == nullptr || users <= blas.users_seen) return true;
  constexpr std::size_t kBytesEach = std::size_t{200} << 20;  // 128 MiB and 64 MiB, and a stack
  const std::size_t bytes = static_cast<std::size_t>(users) * kBytesEach;
  // Not reserved: only limits on the address space count, not how much of it memory could back.
  void* space = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return false;
  munmap(space, bytes);
  blas.users_seen = users;
  return true;
}

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
    auto made = std::make_unique<Shared>();
    // Last, since it cannot be undone: after a failure all of this is tried again.
    const int failed =
        pthread_atfork([] { shared().mutex.lock(); }, [] { shared().mutex.unlock(); },
                       [] {
                         shared().pool = nullptr;
                         shared().blas.guards = 0;
                         shared().mutex.unlock();
                       });
    if (failed != 0) throw std::bad_alloc();
    return made.release();
  }();
  return *instance;
}

Pool& pool() {
  const std::lock_guard lock(shared().mutex);
  if (shared().pool == nullptr) shared().pool = new Pool;
  return *shared().pool;
}

// How many of these helpers BLAS has room for, besides those that use it already.
Index helpers_with_room(Index helpers) {
  const std::lock_guard lock(shared().mutex);
  while (helpers > 0 && !has_room_for(shared().blas, shared().blas.guards + helpers)) --helpers;
  return helpers;
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
  const Index wanted = inside_task ? 0 : std::min(thread_count(context.budget), count) - 1;
  const Index helpers = helpers_with_room(wanted);
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
  if (blas.set == nullptr || blas.get == nullptr) return;
  if (!has_room_for(blas, 1))
    throw Error(ErrorCode::out_of_memory, "the system has no memory for the buffers of BLAS",
                "raise the limit on memory (ulimit -v), or close other programs");
  if (blas.guards++ > 0) return;
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
