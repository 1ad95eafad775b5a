#include "mercer/io/detail/checksum.h"

#include <xxhash.h>

#include <memory>
#include <new>

namespace mercer::detail {

std::string checksum(std::initializer_list<std::string_view> pieces) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              &XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  for (const std::string_view piece : pieces)
    XXH3_128bits_update(state.get(), piece.data(), piece.size());

  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace mercer::detail
