#include "mercer/io/model_file.h"

#include "mercer/core/error.h"
#include "mercer/core/random.h"
#include "mercer/core/version.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/json.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

namespace mercer {
namespace model_file_test {

namespace fs = std::filesystem;

std::string hex(XXH128_hash_t hash) {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text.data();
}

std::uint64_t length_field(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

Array raw(std::string name, ArrayType type, std::vector<Index> shape, std::uint64_t seed) {
  Array array{std::move(name), type, std::move(shape), {}};
  array.bytes.resize(static_cast<std::size_t>(array.count()) * size_of(type));
  const Random random(seed);
  for (std::size_t i = 0; i < array.bytes.size(); ++i)
    array.bytes[i] = static_cast<std::byte>(random.bits(i));
  return array;
}

State sample(Index rows) {
  State state;
  state.kind = "kernel_pca";
  state.values = Value::Object{{"kernel", "gaussian:sigma=0.5"},
                               {"components", 3},
                               {"tolerance", 1e-6},
                               {"columns", Value::List{"Größe", "λ \"quoted\"", "tab\there"}},
                               {"whole", 2.0},
                               {"nothing", {}}};
  state.arrays = {
      raw("flags", ArrayType::U8, {7}, 1),        raw("means", ArrayType::F64, {rows}, 2),
      raw("index", ArrayType::I32, {rows, 1}, 3), raw("coefficients", ArrayType::F64, {rows, 3}, 4),
      raw("narrow", ArrayType::F32, {3}, 5),      raw("count", ArrayType::I64, {2, 2, 2}, 6)};
  return state;
}

void expect_equal(const State& a, const State& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.values, b.values);
  ASSERT_EQ(a.arrays.size(), b.arrays.size());
  for (const Array& array : a.arrays) {
    EXPECT_EQ(array.type, b.array(array.name).type) << array.name;
    EXPECT_EQ(array.shape, b.array(array.name).shape) << array.name;
    EXPECT_EQ(array.bytes, b.array(array.name).bytes) << array.name;
  }
}

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

TEST(ModelFile, ComesBackAsItWas) {
  const State state = sample(11);
  const std::string bytes = encode_model(state);
  expect_equal(state, decode_model(bytes));
  EXPECT_EQ(encode_model(decode_model(bytes)), bytes);
  EXPECT_EQ(encode_model(sample(11)), bytes);
}

TEST(ModelFile, IsTheSameFromViewsOfTheMemoryOfAModel) {
  // More numbers than one strip turns from columns into rows.
  const Block block = Block::Random(70'001, 9), slim = Block::Random(11, 1), none(0, 3);
  const Points rows = Points::Random(5, 4);
  const Vector vector = Vector::Random(6);
  const std::vector<std::int32_t> whole = {1, 2, 3};
  std::string bytes[2];
  for (const bool views : {false, true}) {
    State state;
    state.kind = "kernel_pca";
    state.values = Value::object();
    state.views = views;
    state.add("block", block);
    state.add("slim", slim);
    state.add("none", none);
    state.add("rows", rows);
    state.add("vector", vector);
    state.add("whole", ArrayType::I32, {3}, whole.data());
    for (const Array& array : state.arrays)
      EXPECT_EQ(array.bytes.empty(), views || array.count() == 0) << array.name;
    bytes[views] = encode_model(state);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  const State loaded = decode_model(bytes[1]);
  EXPECT_TRUE(Block(loaded.array("block").as_points()) == block);
  EXPECT_TRUE(loaded.array("vector").as_vector() == vector);
}

TEST(ModelFile, HoldsEmptyAndOddArrays) {
  State state;
  state.arrays = {raw("", ArrayType::F64, {}, 1), raw("none", ArrayType::U8, {0}, 2),
                  raw("flat", ArrayType::F32, {5, 0, 3}, 3), raw("λ\n\"", ArrayType::U8, {3}, 4),
                  raw("wide", ArrayType::I32, {1, 1, 1, 1, 1, 9}, 5)};
  expect_equal(state, decode_model(encode_model(state)));
  expect_equal(State{}, decode_model(encode_model(State{})));
}

TEST(ModelFile, KeepsSpecialNumbersInArrays) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vector values(5);
  values << std::nan(""), kInfinity, -kInfinity, -0.0, 5e-324;
  State state;
  state.arrays = {Array::of("odd", values)};
  const Vector back = decode_model(encode_model(state)).array("odd").as_vector();
  EXPECT_EQ(std::memcmp(back.data(), values.data(), 5 * sizeof(double)), 0);
}

TEST(ModelFile, HasTheLayoutThatIsPromised) {
  const State state = sample(11);
  const std::string bytes = encode_model(state);
  const std::uint64_t length = length_field(bytes);
  EXPECT_EQ((8 + length) % 64, 0U);
  EXPECT_EQ(bytes.substr(8, 24), R"({"__metadata__":{"mercer)");
  const Value header = from_json(std::string_view(bytes).substr(8, length));
  const Value& metadata = header["__metadata__"];
  EXPECT_EQ(metadata["mercer.format"].as_text(), "1");
  EXPECT_EQ(metadata["mercer.version"].as_text(), version());
  EXPECT_EQ(metadata["mercer.kind"].as_text(), "kernel_pca");
  EXPECT_EQ(from_json(metadata["mercer.values"].as_text()), state.values);

  std::int64_t position = 0, size = 8;
  for (const auto& member : header.as_object()) {
    if (member.first == "__metadata__") continue;
    const Array& array = state.array(member.first);
    const std::int64_t begin = member.second["data_offsets"].as_list()[0].as_integer();
    const std::int64_t end = member.second["data_offsets"].as_list()[1].as_integer();
    EXPECT_EQ(begin, position);
    EXPECT_LE(static_cast<std::int64_t>(size_of(array.type)), size);
    const char* data = bytes.data() + 8 + length + begin;
    EXPECT_EQ(metadata["mercer.checksum." + array.name].as_text(),
              hex(XXH3_128bits(data, static_cast<std::size_t>(end - begin))));
    EXPECT_EQ(std::memcmp(data, array.bytes.data(), array.bytes.size()), 0);
    position = end;
    size = static_cast<std::int64_t>(size_of(array.type));
  }
  EXPECT_EQ(8 + length + static_cast<std::uint64_t>(position), bytes.size());

  std::string head = bytes.substr(0, 8 + length);
  const std::string sum = metadata["mercer.checksum"].as_text();
  head.replace(head.find(sum), 32, 32, '0');
  EXPECT_EQ(sum, hex(XXH3_128bits(head.data(), head.size())));
}

TEST(ModelFile, RefusesStatesThatContradictThemselves) {
  State state = sample(3);
  state.arrays[1].bytes.pop_back();
  EXPECT_THROW(encode_model(state), Error);
  state = sample(3);
  state.arrays[1].name = "flags";
  EXPECT_THROW(encode_model(state), Error);
  state.arrays[1].name = "__metadata__";
  EXPECT_THROW(encode_model(state), Error);
  state.arrays[1].name = "\xFF";
  EXPECT_THROW(encode_model(state), Error);
  state = sample(3);
  state.kind = std::string(17'000'000, 'k');
  EXPECT_THROW(encode_model(state), Error);
}

TEST(ModelFile, FindsEveryTruncation) {
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

TEST(ModelFile, FindsEveryFlippedBit) {
  std::string bytes = encode_model(sample(40));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char mask = static_cast<char>(1 << bit % 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    ASSERT_TRUE(detected(bytes)) << "bit " << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
  }
  EXPECT_FALSE(detected(bytes));
}

TEST(ModelFile, FindsTwoThousandRandomDamages) {
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

TEST(ModelFile, RefusesRandomBytes) {
  for (std::uint64_t trial = 0; trial < 3000; ++trial) {
    const Random random(5, trial);
    std::string bytes(random.below(600, 0), '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(random.bits(i + 1));
    if (bytes.size() > 8 && trial % 2 == 0)
      bytes.replace(0, 9, std::string("\x38\x01\0\0\0\0\0\0{", 9));
    ASSERT_TRUE(detected(bytes));
  }
}

TEST(ModelFile, NamesTheDamagedPart) {
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

TEST(ModelFile, SaysWhatAWrongFileLooksLike) {
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

TEST(ModelFile, NamesBothFormatsWhenOneIsNewer) {
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
TEST(ModelFile, RefusesHostileHeaders) {
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

class ModelOnDisk : public testing::Test {
 protected:
  ModelOnDisk() {
    std::string name = (fs::temp_directory_path() / "mercer-model-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ModelOnDisk() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }

  void write(const std::string& name, std::string_view content) const {
    const std::string_view parts[] = {content};
    write_file_atomically(in_folder(name), parts);
  }

  fs::path folder_;
};

TEST_F(ModelOnDisk, IsSavedAndLoaded) {
  save_state(in_folder("m.mercer"), sample(9));
  EXPECT_EQ(read_file(in_folder("m.mercer"), 1 << 20), encode_model(sample(9)));
  expect_equal(sample(9), load_state(in_folder("m.mercer")));
}

TEST_F(ModelOnDisk, ErrorsNameTheFile) {
  write("x.csv", "1,2\n");
  for (const char* name : {"x.csv", "missing"}) try {
      load_state(in_folder(name));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.place(), in_folder(name));
    }
}

TEST_F(ModelOnDisk, IsRecognisedByItsFirstBytes) {
  const std::string bytes = encode_model(sample(9));
  write("whole", bytes);
  write("cut", bytes.substr(0, 300));
  write("short", bytes.substr(0, 20));
  write("table", "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n13,14\n15,16\n17,18\n");
  ASSERT_EQ(::mkfifo(in_folder("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(looks_like_model(in_folder("whole")));
  EXPECT_TRUE(looks_like_model(in_folder("cut")));
  for (const char* name : {"short", "table", "pipe", "missing", ""})
    EXPECT_FALSE(looks_like_model(in_folder(name))) << name;
}

}  // namespace model_file_test
}  // namespace mercer
