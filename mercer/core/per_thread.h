// Memory that a thread keeps from one task to the next. `static thread_local` would do the same,
// but for types with a destructor the C library ends the process when it has no memory to register
// one; here that is std::bad_alloc, like every other lack of memory.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace mercer {

namespace detail {

class ThreadKey {
 public:
  explicit ThreadKey(void (*destroy)(void*)) {
    if (pthread_key_create(&key_, destroy) != 0) throw std::bad_alloc();
  }
  void* get() const { return pthread_getspecific(key_); }
  void set(void* value) const {
    if (pthread_setspecific(key_, value) != 0) throw std::bad_alloc();
  }

 private:
  pthread_key_t key_;
};

}  // namespace detail

/// The calling thread's own T, made at first use and destroyed with the thread. One per type: a
/// type of its own keeps two uses apart.
template <class T>
T& per_thread() {
  static const detail::ThreadKey key([](void* value) { delete static_cast<T*>(value); });
  if (void* known = key.get()) return *static_cast<T*>(known);
  auto made = std::make_unique<T>();
  key.set(made.get());
  return *made.release();
}

}  // namespace mercer
