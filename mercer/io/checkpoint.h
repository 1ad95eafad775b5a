// A checkpoint: a journal in a file. A header says which work it belongs to; one record per step
// follows, each with its own checksum. Records are appended, so that a step costs what it wrote and
// nothing that was kept before is touched. A run that was killed while writing leaves a record that
// does not match its checksum: it is cut off, and the record before is the newest.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/index.h"
#include "mercer/core/journal.h"
#include "mercer/core/value.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mercer {

namespace detail {
class Descriptor;
}

class Checkpoint final : public Journal {
 public:
  enum class Mode {
    resume,    // the file must be there and belong to this work: M401, M720, M721
    start,     // continues a file of this work, makes one where there is none; else M721
    automatic  // the same, but a file of other work is moved aside
  };
  /// `work` names what the steps depend on: members of an object, compared one by one.
  Checkpoint(std::string path, const Value& work, Mode mode);
  ~Checkpoint() override;

  bool replay(ConstNumbers input, std::span<const Numbers> result) override;
  void record(std::span<const ConstNumbers> result) override;

  const std::string& path() const { return path_; }
  /// Steps that were read back, and those that stand in the file now.
  Index replayed() const { return replayed_; }
  Index steps() const { return step_; }
  /// A damaged end that was cut off, or a disk that takes no more.
  const std::optional<Warning>& warning() const { return warning_; }
  /// Whether there are steps of an earlier run.
  bool continues() const { return replaying_; }
  /// Where a file of other work was moved to; empty where there was none.
  const std::string& moved_to() const { return moved_to_; }
  /// Where the file is now, which somebody may have moved; empty where it is gone.
  std::string whereabouts() const;
  /// The work is done: the file goes. False where another file has its name by now, or none.
  bool remove() noexcept;

 private:
  bool take(const Value& work, Mode mode);
  bool create(const Value& work);
  bool compare(const Value& work, Mode mode);
  bool has_its_name() const;
  void move_aside();
  void cut_off(const char* why);
  void sync_now_and_then();

  std::string path_, file_path_, moved_to_;   // as given; behind all links
  std::unique_ptr<detail::Descriptor> file_;  // never null
  std::uint64_t end_ = 0;                     // of the last good record
  std::uint64_t input_ = 0;                   // hash of the step's input
  Index step_ = 0, replayed_ = 0;
  bool replaying_ = false, writing_ = true;
  std::optional<Warning> warning_;
  std::chrono::steady_clock::time_point next_sync_;
};

}  // namespace mercer
