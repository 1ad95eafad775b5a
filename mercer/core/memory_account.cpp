#include "mercer/core/memory_account.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

namespace mercer {
namespace {

// As --memory takes it, rounded up.
std::string megabytes(std::uint64_t bytes) { return fmt::format("{}M", (bytes >> 20) + 1); }

}  // namespace

MemoryAccount::Hold::~Hold() {
  if (held_ != nullptr) held_->bytes -= bytes_;
}

void MemoryAccount::Hold::resize(std::uint64_t bytes) {
  if (held_ == nullptr) return;
  std::uint64_t now = held_->bytes;
  do {
    const std::uint64_t others = now - bytes_;
    if (bytes <= bytes_ || (others <= held_->limit && bytes <= held_->limit - others)) continue;
    const std::string rest =
        others == 0 ? std::string()
                    : fmt::format(", of which {} are taken already", mercer::bytes(others));
    throw Error(ErrorCode::over_memory,
                fmt::format("{} need {}, the memory budget is {}{}", what_, mercer::bytes(bytes),
                            mercer::bytes(held_->limit), rest),
                fmt::format("allow more with --memory {}", megabytes(others + bytes)));
  } while (!held_->bytes.compare_exchange_weak(now, now - bytes_ + bytes));
  bytes_ = bytes;
}

MemoryAccount::Hold MemoryAccount::hold(std::uint64_t bytes, std::string_view what) const {
  Hold hold(held_, std::string(what));
  hold.resize(bytes);
  return hold;
}

}  // namespace mercer
