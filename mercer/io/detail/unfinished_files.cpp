#include "mercer/io/detail/unfinished_files.h"

#include "mercer/io/atomic_file.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace mercer::detail {
namespace {

enum SlotState : int { kFree, kFilling, kCreating, kListed, kRemoving, kLeftAlone };

struct Slot {
  std::atomic<int> state = kFree;
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may read the table");

// More writes at once than slots are harmless: the rest is still removed when its write fails.
constexpr int kSlots = 16;
constexpr int kNoSlot = -1;
std::array<Slot, kSlots> slots;
std::atomic<bool> ending = false;

int list(const std::string& path) {
  if (path.size() >= PATH_MAX) return kNoSlot;
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = slots[static_cast<std::size_t>(i)];
    int expected = kFree;
    if (!slot.state.compare_exchange_strong(expected, kFilling)) continue;
    std::memcpy(slot.path, path.c_str(), path.size() + 1);
    slot.state.store(kListed);
    return i;
  }
  return kNoSlot;
}

// The slot stays its owner's: only the owner frees it, so that a name cannot change while it is
// read here.
void remove_listed(Slot& slot) {
  int expected = kListed;
  if (!slot.state.compare_exchange_strong(expected, kRemoving)) return;
  ::unlink(slot.path);
  slot.state.store(kLeftAlone);
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)), slot_(list(path_)) {}

UnfinishedFile::~UnfinishedFile() {
  if (!kept_) ::unlink(path_.c_str());
  mark(kFree);
}

void UnfinishedFile::mark(int state) {
  if (slot_ == kNoSlot) return;
  std::atomic<int>& current = slots[static_cast<std::size_t>(slot_)].state;
  // Another thread may be reading the name; it needs one system call.
  while (current.load() == kRemoving) sched_yield();
  current.store(state);
}

int UnfinishedFile::create(mode_t mode) {
  mark(kCreating);
  while (ending.load()) static_cast<void>(::poll(nullptr, 0, 1000));  // the process ends meanwhile
  const int number = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (number >= 0) {
    mark(kListed);
    return number;
  }
  const int error = errno;
  keep();
  errno = error;
  return -1;
}

void UnfinishedFile::keep() {
  kept_ = true;
  mark(kLeftAlone);
}

}  // namespace mercer::detail

namespace mercer {

void remove_unfinished_files() noexcept {
  for (detail::Slot& slot : detail::slots) detail::remove_listed(slot);
}

void end_unfinished_files() noexcept {
  constexpr int kMostWaits = 100;  // of a millisecond: a file is created in less
  const int error = errno;         // a signal handler leaves it as it was
  detail::ending.store(true);
  for (detail::Slot& slot : detail::slots) {
    for (int i = 0; i < kMostWaits && slot.state.load() == detail::kCreating; ++i)
      static_cast<void>(::poll(nullptr, 0, 1));
    detail::remove_listed(slot);
  }
  errno = error;
}

}  // namespace mercer
