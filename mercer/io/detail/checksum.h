// XXH3-128 as 32 hexadecimal digits, the form `xxhsum -H2` prints. It finds accidents, not attacks.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace mercer::detail {

constexpr std::size_t kChecksumDigits = 32;  // 128 bits in hexadecimal

/// The checksum of pieces that come one after another.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  void add(std::string_view piece);
  std::string digits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same of pieces that are there already.
std::string checksum(std::initializer_list<std::string_view> pieces);

}  // namespace mercer::detail
