// Model files that are cut, changed, of another kind or hostile: each is found out, and named.
#include "mercer/core/error.h"
#include "mercer/core/random.h"
#include "mercer/io/model_file.h"
#include "tests/io/model_bytes.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {
namespace model_damage_test {

using model_bytes::hex;
using model_bytes::length_field;
using model_bytes::raw;
using model_bytes::sample;

// The error of a decode. Anything but an Error ends the test.
Error error_of(std::string_view bytes) {
  try {
    decode_model(bytes);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "accepted";
  return {ErrorCode::internal, ""};
}

bool detected(std::string_view bytes) {
  try {
    decode_model(bytes);
  } catch (const Error&) {
    return true;
  }
  return false;
}

// The file with its header changed and sealed again with a right checksum, as a hostile writer
// would.
std::string resealed(const std::string& bytes, const std::string& from, const std::string& to) {
  const std::uint64_t length = length_field(bytes);
  std::string header = bytes.substr(8, length);
  const std::string data = bytes.substr(8 + length);
  header.erase(header.find_last_not_of(' ') + 1);
  const auto found = header.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  if (found != std::string::npos) header.replace(found, from.size(), to);
  while ((8 + header.size()) % 64 != 0) header += ' ';

  std::uint64_t size = header.size();
  std::string head(8, '\0');
  std::memcpy(head.data(), &size, 8);
  head += header;
  const std::string key = "\"mercer.checksum\":\"";
  const auto digits = head.find(key);
  if (digits == std::string::npos) return head + data;
  head.replace(digits + key.size(), 32, 32, '0');
  head.replace(digits + key.size(), 32, hex(XXH3_128bits(head.data(), head.size())));
  return head + data;
}

TEST(ModelDamage, FindsEveryTruncation) {
  const std::string bytes = encode_model(sample(40));
  ASSERT_GT(bytes.size(), 2000U);
  EXPECT_EQ(error_of("").code(), ErrorCode::not_a_model);
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const Error error = error_of(std::string_view(bytes).substr(0, size));
    ASSERT_EQ(error.code(), ErrorCode::model_damaged) << size;
    ASSERT_NE(error.message().find("ends early"), std::string::npos) << size;
  }
  EXPECT_EQ(error_of(bytes + "x").code(), ErrorCode::model_damaged);
}

TEST(ModelDamage, FindsEveryFlippedBit) {
  std::string bytes = encode_model(sample(40));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char mask = static_cast<char>(1 << bit % 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    ASSERT_TRUE(detected(bytes)) << "bit " << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
  }
  EXPECT_FALSE(detected(bytes));
}

TEST(ModelDamage, FindsTwoThousandRandomDamages) {
  const std::string bytes = encode_model(sample(500));
  ASSERT_GT(bytes.size(), 18'000U);
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    const Random random(77, trial);
    std::string damaged = bytes;
    if (trial % 4 == 0) {
      damaged.resize(random.below(bytes.size(), 0));
    } else {
      const std::uint64_t changes = trial % 4 == 1 ? 1 : 1 + random.below(64, 0);
      for (std::uint64_t i = 1; i <= changes; ++i)
        damaged[random.below(bytes.size(), 2 * i)] ^=
            static_cast<char>(1 + random.below(255, 2 * i + 1));
    }
    if (damaged == bytes) continue;  // two changes of one byte may cancel out
    ASSERT_TRUE(detected(damaged)) << "trial " << trial;
  }
}

TEST(ModelDamage, RefusesRandomBytes) {
  for (std::uint64_t trial = 0; trial < 3000; ++trial) {
    const Random random(5, trial);
    std::string bytes(random.below(600, 0), '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(random.bits(i + 1));
    if (bytes.size() > 8 && trial % 2 == 0)
      bytes.replace(0, 9, std::string("\x38\x01\0\0\0\0\0\0{", 9));
    ASSERT_TRUE(detected(bytes));
  }
}

TEST(ModelDamage, NamesTheDamagedPart) {
  const std::string bytes = encode_model(sample(20));
  const std::size_t data = 8 + length_field(bytes);
  std::string damaged = bytes;
  damaged[data + 20 * 8 + 5] ^= 1;  // behind "means", the first array of doubles
  EXPECT_EQ(error_of(damaged).message(), "array \"coefficients\": checksum differs");
  damaged = bytes;
  damaged[data - 1] = '\t';
  EXPECT_EQ(error_of(damaged).message(), "header: checksum differs");
  EXPECT_EQ(error_of(bytes.substr(0, bytes.size() - 10)).message(),
            "the file ends early: needs " + std::to_string(bytes.size()) + " bytes, has " +
                std::to_string(bytes.size() - 10));
  damaged = bytes;
  damaged[7] = 1;
  EXPECT_NE(error_of(damaged).message().find("impossible"), std::string::npos);
}

TEST(ModelDamage, SaysWhatAWrongFileLooksLike) {
  const std::string foreign = std::string("\x18\0\0\0\0\0\0\0", 8) + R"({"__metadata__":{"a":1}})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "an empty file"},
      {"a,b\n1,2\n", "a CSV or text file"},
      {"\x89PNG\r\n\x1a\n1234567890", "PNG"},
      {foreign, "a safetensors file of another program"},
      {std::string("\0\1\2\3\4\5\6\7\0\1\2\3\4\5\6\7", 16), "binary data of an unknown kind"}};
  for (const auto& [bytes, kind] : cases) {
    const Error error = error_of(bytes);
    EXPECT_NE(error.message().find(kind), std::string::npos) << error.what();
    EXPECT_EQ(error.code(), ErrorCode::not_a_model) << error.what();
  }
}

TEST(ModelDamage, NamesBothFormatsWhenOneIsNewer) {
  const std::string bytes = encode_model(sample(5));
  const Error error = error_of(resealed(bytes, "format\":\"1\"", "format\":\"12\""));
  EXPECT_EQ(error.code(), ErrorCode::model_too_new);
  EXPECT_NE(error.message().find("format 12"), std::string::npos) << error.message();
  EXPECT_NE(error.message().find("format 1"), std::string::npos) << error.message();
  std::string unsealed = bytes;
  unsealed[unsealed.find("format\":\"1\"") + 9] = '2';
  EXPECT_EQ(error_of(unsealed).code(), ErrorCode::model_too_new);
  EXPECT_EQ(error_of(resealed(bytes, "format\":\"1\"", "format\":\"0\"")).code(),
            ErrorCode::model_damaged);
}

// Headers whose checksum is right and whose content is not.
TEST(ModelDamage, RefusesHostileHeaders) {
  State state;
  state.values = 1;
  state.arrays = {raw("a", ArrayType::F64, {4}, 1), raw("b", ArrayType::F64, {2, 3}, 2)};
  const std::string bytes = encode_model(state);
  struct Case {
    std::string from, to;
    ErrorCode code;
  };
  const auto damaged = ErrorCode::model_damaged, content = ErrorCode::bad_model_content;
  const std::string large = "[4611686018427387904,4611686018427387904,0]";
  const Case cases[] = {
      {"[0,32]", "[0,40]", damaged},
      {"[0,32]", "[32,0]", damaged},
      {"[0,32]", "[8,40]", damaged},
      {"[0,32]", "[-32,0]", content},
      {"[0,32]", "[0,32,64]", damaged},
      {"[0,32]", "[0,9223372036854775807]", damaged},
      {"[0,32]", "[0,18446744073709551615]", content},
      {"[0,32]", "[0,1e300]", content},
      {"[0,32]", "\"0-32\"", content},
      {"[32,80]", "[40,88]", damaged},
      {"[32,80]", "[24,72]", damaged},
      {"[32,80]", "[9223372036854775759,9223372036854775807]", damaged},
      {"[2,3]", "[2,4]", damaged},
      {"[2,3]", "[-2,-3]", content},
      {"[2,3]", large, damaged},
      {"[2,3]", "[9223372036854775807,9223372036854775807]", damaged},
      {"[2,3]", "[2.0,3]", content},
      {"\"shape\":[2,3],", "", content},
      {"\"F64\"", "\"F32\"", damaged},
      {"\"F64\"", "\"BF16\"", content},
      {"\"F64\"", "64", content},
      {"\"b\":{", "\"a\":{", content},
      {"\"b\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[32,80]}", "\"b\":7", content},
      {",\"b\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[32,80]}", "", damaged},
      {"mercer.kind", "mercer.kins", content},
      {"mercer.values", "mercer.value", content},
      {"mercer.kind\":\"\"", "mercer.kind\":7", content},
      {"mercer.values\":\"1\"", "mercer.values\":\"{\"", content},
      {"mercer.version", "mercer.kind", content},
      {"mercer.checksum.a", "mercer.checksum.q", content},
      {"\"mercer.values\":\"1\"", "\"mercer.values\":\"" + std::string(70, '[') + '"', content},
      {",\"a\":", ",\"x\":" + std::string(100, '[') + ",\"a\":", content},
      {",\"a\":", ",,\"a\":", content},
  };
  for (const Case& test : cases) {
    const Error error = error_of(resealed(bytes, test.from, test.to));
    EXPECT_EQ(error.code(), test.code) << test.from << " -> " << test.to << ": " << error.what();
  }
  EXPECT_FALSE(detected(resealed(bytes, "\"a\"", "\"a\"")));  // sealing itself is right
  EXPECT_FALSE(
      detected(resealed(bytes, "\"mercer.kind\"", "\"mercer.later\":\"x\",\"mercer.kind\"")));
}

}  // namespace model_damage_test
}  // namespace mercer
