#include "mercer/io/checkpoint.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/checkpoint_layout.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/detail/output_target.h"
#include "mercer/io/file_identity.h"
#include "mercer/io/json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace mercer {
namespace {

using Clock = std::chrono::steady_clock;
using detail::RecordHead;

constexpr auto kAnother = "name another file with --checkpoint";

// A sync may take so long as this share of the time since the last one.
constexpr int kSyncShare = 100;

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

class Hash {
 public:
  Hash() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* data, std::size_t size) { XXH3_64bits_update(state_.get(), data, size); }
  void add(std::span<const double> numbers) { add(numbers.data(), numbers.size_bytes()); }
  std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, FreeState> state_;
};

// Of the head without its check.
Hash begun(const RecordHead& head) {
  Hash hash;
  const std::array fields = {head.step, head.input, head.count};
  hash.add(fields.data(), sizeof fields);
  return hash;
}

bool write_all(int file, std::uint64_t at, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t put = ::pwrite(file, bytes, size, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put;
    at += static_cast<std::uint64_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

std::string shown(const Value& value) {
  return value.is_text() ? value.as_text() : value.is_null() ? "nothing" : to_json(value);
}

// "another kernel: gaussian before, linear now", or nothing where the work is the same.
std::string difference(const Value& there, const Value& here) {
  for (const auto& [name, value] : here.as_object()) {
    const Value& before = there[name];
    if (before == value) continue;
    if (before.is_object() && value.is_object()) return difference(before, value);
    return fmt::format("not the same {}: {} before, {} now", name, shown(before), shown(value));
  }
  return {};
}

}  // namespace

Checkpoint::Checkpoint(std::string path, const Value& work, Mode mode)
    : path_(std::move(path)),
      file_(std::make_unique<detail::Descriptor>(-1)),
      next_sync_(Clock::now()) {
  struct stat status {};
  const bool there = ::stat(path_.c_str(), &status) == 0;
  if (!there && errno != ENOENT && errno != ENOTDIR)
    throw Error(ErrorCode::read_failed, "cannot look at it: " + detail::system_text(errno),
                "name another file", printable(path_));
  if (!there && mode == Mode::resume)
    throw Error(ErrorCode::file_not_found, "there is no checkpoint of this name",
                "--checkpoint FILE starts one", printable(path_));
  if (there && !S_ISREG(status.st_mode))
    throw Error(ErrorCode::bad_checkpoint, "it is not a file", kAnother, printable(path_));
  file_path_ = (there ? follow_links(path_).value_or(path_) : detail::output_target(path_).file);
  constexpr int kMostAttempts = 1000;  // as often as others take it and leave it meanwhile
  for (int i = 0; i < kMostAttempts; ++i)
    if (take(work, mode)) return;
  throw Error(ErrorCode::bad_checkpoint, "other runs make and remove it all the time", kAnother,
              printable(path_));
}

Checkpoint::~Checkpoint() = default;

// Two runs on one file would spoil it for each other. Whoever holds the lock of the file that has
// the name owns the name: a lock on a file that lost it meanwhile counts for nothing. False where
// it has to be tried again.
bool Checkpoint::take(const Value& work, Mode mode) {
  *file_ = detail::Descriptor(::open(file_path_.c_str(), O_RDWR | O_CLOEXEC));
  if (!file_->is_open() && errno == ENOENT && mode != Mode::resume) return create(work);
  if (!file_->is_open())
    throw Error(ErrorCode::no_permission, "cannot open: " + detail::system_text(errno),
                "name another file", printable(path_));
  if (::flock(file_->number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(ErrorCode::bad_checkpoint, "another run is using it",
                "wait until that has ended, or name another file", printable(path_));
  if (!has_its_name()) return false;
  struct stat status {};
  const bool empty = ::fstat(file_->number(), &status) == 0 && status.st_size == 0;
  return empty && mode != Mode::resume ? create(work) : compare(work, mode);
}

bool Checkpoint::has_its_name() const {
  const auto named = identity_of(file_path_), ours = identity_of(file_->number());
  return named && ours && named->exists() && *named == *ours;
}

namespace {

// Unlike rename(2) this replaces nothing: EEXIST. File systems know one way or the other.
bool give_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  if (errno == EEXIST) return false;
  struct stat status {};
  errno = ::lstat(to.c_str(), &status) == 0 ? EEXIST : 0;
  return errno == 0 && ::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

// The header appears whole or not at all, locked before it has the name; records come after it. An
// empty file that has the name is ours by now, and replaced.
bool Checkpoint::create(const Value& work) {
  const std::string header = to_json(work);
  detail::CheckpointHead head;
  head.length = static_cast<std::uint32_t>(header.size());
  head.check = XXH3_64bits(header.data(), header.size());
  detail::OutputTarget target{file_path_};
  if (struct stat status{}; file_->is_open() && ::fstat(file_->number(), &status) == 0)
    target.old = status;
  const auto fail = [&](const char* step) { detail::fail_to_write(errno, path_, step); };
  std::optional<detail::UnfinishedFile> unfinished;
  detail::Descriptor made(detail::create_beside(target, unfinished));
  if (!made.is_open()) fail("cannot create a file in its folder");
  static_cast<void>(::flock(made.number(), LOCK_EX | LOCK_NB));
  if (!write_all(made.number(), 0, &head, sizeof head) ||
      !write_all(made.number(), sizeof head, header.data(), header.size()))
    fail("cannot write");
  if (::fsync(made.number()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EINTR)
    fail("cannot sync");
  const bool named = target.old ? ::rename(unfinished->path().c_str(), file_path_.c_str()) == 0
                                : give_name(unfinished->path(), file_path_);
  if (!named && errno == EEXIST) return false;
  if (!named) fail("cannot rename");
  unfinished->keep();
  *file_ = std::move(made);
  end_ = sizeof head + header.size();
  return true;
}

bool Checkpoint::compare(const Value& work, Mode mode) {
  const std::string header = detail::checkpoint_header(file_->number(), path_, kAnother);
  const std::string other = difference(from_json(header), work);
  if (!other.empty() && mode == Mode::automatic) {
    move_aside();
    return false;
  }
  if (!other.empty())
    throw Error(ErrorCode::other_checkpoint, other,
                "give the same data and options, or name another file", printable(path_));
  end_ = sizeof(detail::CheckpointHead) + header.size();
  replaying_ = true;
  return true;
}

// Somebody may want to go on with it, and with the one that was moved before.
void Checkpoint::move_aside() {
  constexpr int kMost = 1000;  // files of one name: a folder with more of them is a mistake
  for (int i = 1; i <= kMost; ++i) {
    moved_to_ = path_ + (i == 1 ? ".old" : fmt::format(".old{}", i));
    if (give_name(file_path_, moved_to_)) return;
    if (errno != EEXIST) break;
  }
  throw Error(ErrorCode::write_failed, "cannot rename: " + detail::system_text(errno),
              "name a file with --checkpoint", printable(path_));
}

// What follows the last good record is of no use.
void Checkpoint::cut_off(const char* why) {
  replaying_ = false;
  struct stat status {};
  const bool more =
      ::fstat(file_->number(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) > end_;
  if (!more) return;
  warning_ =
      Warning{WarningCode::checkpoint_cut,
              fmt::format("{}: {}; the run goes on after step {}", printable(path_), why, step_)};
  if (::ftruncate(file_->number(), static_cast<off_t>(end_)) != 0) writing_ = false;
}

bool Checkpoint::replay(ConstNumbers input, std::span<const Numbers> result) {
  Hash of_input;
  of_input.add(input);
  input_ = of_input.digest();
  if (!replaying_) return false;
  RecordHead head;
  if (!detail::read_at(file_->number(), end_, &head, sizeof head)) {
    cut_off("its last record is incomplete");
    return false;
  }
  std::uint64_t count = 0;
  for (const Numbers numbers : result) count += numbers.size();
  if (head.step != static_cast<std::uint64_t>(step_) || head.input != input_ ||
      head.count != count) {
    cut_off("a record is damaged, or of another path");
    return false;
  }
  Hash hash = begun(head);
  std::uint64_t at = end_ + sizeof head;
  for (const Numbers numbers : result) {
    if (!detail::read_at(file_->number(), at, numbers.data(), numbers.size_bytes())) {
      cut_off("its last record is incomplete");
      return false;
    }
    hash.add(numbers);
    at += numbers.size_bytes();
  }
  if (hash.digest() != head.check) {
    cut_off("a record is damaged");
    return false;
  }
  end_ = at;
  ++step_;
  ++replayed_;
  return true;
}

// A disk that takes no more costs the checkpoint, not the run.
void Checkpoint::record(std::span<const ConstNumbers> result) {
  if (!writing_) return;
  RecordHead head{static_cast<std::uint64_t>(step_), input_, 0, 0};
  for (const ConstNumbers numbers : result) head.count += numbers.size();
  Hash hash = begun(head);
  for (const ConstNumbers numbers : result) hash.add(numbers);
  head.check = hash.digest();
  std::uint64_t at = end_ + sizeof head;
  bool good = write_all(file_->number(), end_, &head, sizeof head);
  for (const ConstNumbers numbers : result) {
    good = good && write_all(file_->number(), at, numbers.data(), numbers.size_bytes());
    at += numbers.size_bytes();
  }
  if (!good) {
    const int error = errno;
    static_cast<void>(::ftruncate(file_->number(), static_cast<off_t>(end_)));
    writing_ = false;
    warning_ = Warning{WarningCode::checkpoint_stopped,
                       fmt::format("{}: {}; the run goes on, its steps after {} are not kept",
                                   printable(path_), detail::system_text(error), step_)};
    return;
  }
  end_ = at;
  ++step_;
  sync_now_and_then();
}

// Against the loss of power, not of the process: so often that it costs a hundredth of the time.
void Checkpoint::sync_now_and_then() {
  const auto start = Clock::now();
  if (start < next_sync_) return;
  static_cast<void>(::fdatasync(file_->number()));
  const auto end = Clock::now();
  next_sync_ = end + std::max<Clock::duration>(kSyncShare * (end - start), std::chrono::seconds(1));
}

std::string Checkpoint::whereabouts() const {
  if (has_its_name()) return path_;
  std::error_code error;
  const std::string now =
      std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file_->number()), error);
  const auto there = identity_of(now), ours = identity_of(file_->number());
  return !error && there && ours && *there == *ours ? now : std::string();
}

// Another file of this name is somebody else's, whatever it is.
bool Checkpoint::remove() noexcept try {
  return has_its_name() && ::unlink(file_path_.c_str()) == 0;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace mercer
