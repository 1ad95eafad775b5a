// Bytes whose count nobody knows before: they stay as they were while their block grows, and what
// they take is counted before it is taken.
#include "mercer/io/detail/growing_bytes.h"

#include "mercer/core/error.h"

#include <gtest/gtest.h>

#include <string>

namespace mercer::detail {
namespace growing_bytes_test {

TEST(GrowingBytes, KeepsWhatIsAddedHoweverItGrows) {
  std::string expected;
  GrowingBytes bytes;
  for (int i = 0; i < 2000; ++i) {
    const std::string part(static_cast<std::size_t>(i * 37 % 5000),
                           static_cast<char>('a' + i % 26));
    bytes.append(part.data(), part.size());
    expected += part;
  }
  EXPECT_EQ(bytes.text(), expected);
  bytes.shorten(1000);
  const std::size_t size = bytes.size();
  const std::shared_ptr<const std::byte> taken = bytes.take();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(taken.get()), size),
            std::string_view(expected).substr(0, 1000));
  EXPECT_EQ(bytes.size(), 0u);
}

TEST(GrowingBytes, CountsWhatItTakesAndRefusesMore) {
  const MemoryAccount account(10'000);
  {
    GrowingBytes bytes(account.hold(0, "the bytes"));
    const std::string part(3000, 'x');
    for (int i = 0; i < 3; ++i) bytes.append(part.data(), part.size());
    EXPECT_EQ(account.held(), 9000u);
    EXPECT_THROW(bytes.append(part.data(), part.size()), Error);
    EXPECT_EQ(bytes.size(), 9000u);
    bytes.shorten(100);
    EXPECT_EQ(account.held(), 100u);
    EXPECT_THROW(bytes.expect(10'001), Error);
    bytes.expect(10'000);
    EXPECT_EQ(account.left(), 0u);
  }
  EXPECT_EQ(account.held(), 0u);
}

TEST(GrowingBytes, NothingIsSomething) {
  GrowingBytes bytes;
  EXPECT_EQ(bytes.text(), "");
  bytes.append("", 0);
  EXPECT_EQ(bytes.take().use_count(), 1);
}

}  // namespace growing_bytes_test
}  // namespace mercer::detail
