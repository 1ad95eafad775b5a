// The vectors of FIPS 180-4 and its companions, and lengths around the ends of blocks.
#include "mercer/page/detail/sha256.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace mercer::page::detail {
namespace sha256_test {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const std::uint8_t byte : sha256(bytes)) text += fmt::format("{:02x}", byte);
  return text;
}

TEST(Sha256, GivesThePublishedHashes) {
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TellsLengthsAroundABlockApart) {
  std::set<std::string> hashes;
  for (std::size_t length = 50; length <= 130; ++length)
    hashes.insert(hex(std::string(length, 'x')));
  EXPECT_EQ(hashes.size(), 81U);
}

}  // namespace sha256_test
}  // namespace mercer::page::detail
