#include "mercer/io/detail/unfinished_files.h"

#include "mercer/io/atomic_file.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace mercer::detail {
namespace {

enum SlotState : int { kFree, kFilling, kListed, kRemoving, kRemoved };

struct Slot {
  std::atomic<int> state = kFree;
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may read the table");

// More writes at once than slots are harmless: the rest is still removed when its write fails.
constexpr int kSlots = 16;
constexpr int kNoSlot = -1;
std::array<Slot, kSlots> slots;

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

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)), slot_(list(path_)) {}

UnfinishedFile::~UnfinishedFile() {
  if (!kept_) ::unlink(path_.c_str());
  if (slot_ == kNoSlot) return;
  std::atomic<int>& state = slots[static_cast<std::size_t>(slot_)].state;
  // Another thread may be reading the name; it needs one system call.
  while (state.load() == kRemoving) sched_yield();
  state.store(kFree);
}

}  // namespace mercer::detail

namespace mercer {

// The slot stays its owner's: only the owner frees it, so that a name cannot change while it is
// read here.
void remove_unfinished_files() noexcept {
  for (detail::Slot& slot : detail::slots) {
    int expected = detail::kListed;
    if (!slot.state.compare_exchange_strong(expected, detail::kRemoving)) continue;
    ::unlink(slot.path);
    slot.state.store(detail::kRemoved);
  }
}

}  // namespace mercer
