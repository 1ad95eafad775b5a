#include "mercer/io/detail/checksum.h"

#include <xxhash.h>

#include <new>

namespace mercer::detail {

struct Checksum::State {
  State() : hash(XXH3_createState(), &XXH3_freeState) {
    if (hash == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(hash.get());
  }
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> hash;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {}

Checksum::~Checksum() = default;

void Checksum::add(std::string_view piece) {
  XXH3_128bits_update(state_->hash.get(), piece.data(), piece.size());
}

std::string Checksum::digits() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->hash.get()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string checksum(std::initializer_list<std::string_view> pieces) {
  Checksum sum;
  for (const std::string_view piece : pieces) sum.add(piece);
  return sum.digits();
}

}  // namespace mercer::detail
