// MemoryAccount: who holds how much of the memory a run may take. Whatever keeps more than a few
// megabytes (a table, a scaled copy, a text to be written, the plan of a fit) holds its bytes
// before it allocates them, so that a run that cannot fit is refused before it starts, not
// discovered by the system afterwards. Holds are counted, not allocated here; counting is safe from
// any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mercer {

class MemoryAccount {
 public:
  explicit MemoryAccount(std::uint64_t limit) : held_(std::make_shared<Held>(limit)) {}

  std::uint64_t limit() const { return held_->limit; }
  std::uint64_t held() const { return held_->bytes; }
  std::uint64_t left() const {
    const std::uint64_t bytes = held_->bytes;
    return bytes < held_->limit ? held_->limit - bytes : 0;
  }

 private:
  struct Held {
    explicit Held(std::uint64_t limit_in) : limit(limit_in) {}
    const std::uint64_t limit;
    std::atomic<std::uint64_t> bytes = 0;
  };

 public:
  /// Bytes that count as taken until the hold is gone; it may outlive the account.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept { swap(other); }
    Hold& operator=(Hold&& other) noexcept {
      Hold moved(std::move(other));
      swap(moved);
      return *this;
    }
    ~Hold();

    std::uint64_t bytes() const { return bytes_; }
    /// Holds so many instead; throws M301 where there is no room for them.
    void resize(std::uint64_t bytes);

   private:
    friend class MemoryAccount;
    Hold(std::shared_ptr<Held> held, std::string what)
        : held_(std::move(held)), what_(std::move(what)) {}
    void swap(Hold& other) noexcept {
      held_.swap(other.held_);
      what_.swap(other.what_);
      std::swap(bytes_, other.bytes_);
    }

    std::shared_ptr<Held> held_;
    std::string what_;
    std::uint64_t bytes_ = 0;
  };

  /// Throws M301 unless so many bytes are left; `what` is in the plural, "the images", say.
  Hold hold(std::uint64_t bytes, std::string_view what) const;

 private:
  std::shared_ptr<Held> held_;
};

}  // namespace mercer
