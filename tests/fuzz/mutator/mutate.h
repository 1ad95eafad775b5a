// What the mutators share. A mutator takes an input apart, lets libFuzzer change one part, and puts
// the parts together again with lengths and checksums that hold, so that changes get past them.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed);

namespace mercer::fuzz {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  /// A number from 0 to count - 1.
  std::size_t roll(std::size_t count) { return engine_() % count; }

 private:
  std::minstd_rand engine_;
};

inline std::string_view bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// One of libFuzzer's own changes.
inline void mutate(std::string& part) {
  constexpr std::size_t kRoom = 64;  // bytes that a change may add
  const std::size_t size = part.size();
  part.resize(size + kRoom);
  part.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.data()), size, part.size()));
}

/// The same, leaving the length as it is.
inline void mutate_in_place(std::string& part) {
  const std::size_t size = part.size();
  if (size == 0) return;
  LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.data()), size, size);
}

/// Puts the input back; one that has grown too long gets a plain change instead.
inline std::size_t put_back(const std::string& input, std::uint8_t* data, std::size_t size,
                            std::size_t most) {
  if (input.size() > most || input.empty()) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, input.data(), input.size());
  return input.size();
}

}  // namespace mercer::fuzz
