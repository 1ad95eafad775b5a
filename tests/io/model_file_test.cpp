#include "mercer/io/model_file.h"

#include "mercer/core/error.h"
#include "mercer/core/version.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/json.h"
#include "tests/io/model_bytes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

namespace mercer {
namespace model_file_test {

namespace fs = std::filesystem;
using model_bytes::hex;
using model_bytes::length_field;
using model_bytes::raw;
using model_bytes::sample;

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
