// How much of a file is read before something is known to be wrong with it.
#include "mercer/core/error.h"
#include "mercer/io/json.h"
#include "mercer/io/model_file.h"
#include "tests/io/damage.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

namespace mercer {
namespace model_reading_test {

constexpr std::uint64_t kLittle = 64 * 1024;

// Bytes this process has read by now.
std::uint64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t count = 0;
  file >> name >> count;
  EXPECT_EQ(name, "rchar:");
  return count;
}

State sample(Index numbers) {
  State state;
  state.kind = "kernel_pca";
  state.values["n"] = 3;
  state.arrays = {Array::of("large", Vector(Vector::Constant(numbers, 0.5))),
                  Array::of("small", Vector(Vector::Constant(3, 0.25)))};
  return state;
}

struct Reading {
  ErrorCode code = ErrorCode::internal;
  std::string message, hint;
  std::uint64_t bytes = 0;
};

Reading refused(const std::string& path, std::uint64_t limit = UINT64_MAX) {
  Reading reading;
  const std::uint64_t before = bytes_read();
  try {
    load_state(path, limit);
    ADD_FAILURE() << "accepted " << path;
  } catch (const Error& error) {
    reading = {error.code(), error.message(), error.hint()};
    EXPECT_EQ(error.place(), path);
  }
  reading.bytes = bytes_read() - before;
  return reading;
}

TEST(ModelReading, OfAFileThatIsNoModelTheFirstBytesAreRead) {
  const test::TemporaryFolder folder("model_reading");
  const std::string hole = folder.write("hole", "");
  std::filesystem::resize_file(hole, std::uint64_t{2} << 30);
  const Reading zeros = refused(hole);
  EXPECT_EQ(zeros.code, ErrorCode::not_a_model);
  EXPECT_LT(zeros.bytes, kLittle);
  EXPECT_EQ(zeros.hint.find("--"), std::string::npos);
  EXPECT_EQ(refused("/dev/zero").code, ErrorCode::not_a_model);
}

// The length field says 16 MiB, the file has them and gigabytes more: the header is read, no more.
TEST(ModelReading, OfAModelWithAWrongHeaderTheHeaderIsRead) {
  const test::TemporaryFolder folder("model_reading");
  const std::string bytes = encode_model(sample(100'000));
  std::string wrong = bytes;
  wrong[100] ^= 1;
  Reading reading = refused(folder.write("m", wrong));
  EXPECT_EQ(reading.code, ErrorCode::model_damaged);
  EXPECT_LT(reading.bytes, kLittle);
  // What the header claims is compared with the file before any array is read.
  reading = refused(folder.write("m", bytes.substr(0, bytes.size() - 1)));
  EXPECT_NE(reading.message.find("the file ends early"), std::string::npos) << reading.message;
  EXPECT_LT(reading.bytes, kLittle);
  reading = refused(folder.write("m", bytes + "x"));
  EXPECT_EQ(reading.message, "1 bytes too many at the end");
  EXPECT_LT(reading.bytes, kLittle);
}

TEST(ModelReading, OverTheLimitNoArrayIsRead) {
  const test::TemporaryFolder folder("model_reading");
  const std::string bytes = encode_model(sample(100'000));
  const std::string path = folder.write("m", bytes);
  const Reading reading = refused(path, 700'000);
  EXPECT_EQ(reading.code, ErrorCode::over_memory);
  EXPECT_LT(reading.bytes, kLittle);
  EXPECT_EQ(load_state(path, bytes.size()).arrays.size(), 2U);
}

TEST(ModelReading, APipeGivesTheSame) {
  const test::TemporaryFolder folder("model_reading");
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string bytes = encode_model(sample(500'000));
  const auto through = [&](const std::string& content) {
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << content; });
    std::string said = "loaded";
    try {
      const State state = load_state(pipe);
      EXPECT_EQ(encode_model(state), bytes);
    } catch (const Error& error) {
      said = error.message();
    }
    writer.join();
    return said;
  };
  EXPECT_EQ(through(bytes), "loaded");
  EXPECT_EQ(through(bytes + "x"), "bytes too many at the end");
  EXPECT_NE(through(bytes.substr(0, bytes.size() - 9)).find("ends early"), std::string::npos);
  EXPECT_NE(through(bytes.substr(0, 3'000'000)).find("ends early"), std::string::npos);
  EXPECT_NE(through(bytes.substr(0, 40)).find("ends early"), std::string::npos);
  EXPECT_NE(through("a,b\n1,2\n").find("looks like a CSV"), std::string::npos);
}

// Growing by doubling would take up to three times the entries, of 40 bytes each for two letters.
TEST(ModelReading, ListsOfJsonTakeNoMoreThanTheirEntries) {
  std::string text = "{\"a\":[0";
  for (int i = 1; i < 70'000; ++i) text += ",0";
  text += "],\"b\":[[],{\"c\":1},[\"x,]\\\"\",2 , 3]],\"d\":[]}";
  const Value value = from_json(text);
  const Value::List& a = value["a"].as_list();
  EXPECT_EQ(a.size(), 70'000U);
  EXPECT_EQ(a.capacity(), a.size());
  EXPECT_EQ(value.as_object().capacity(), 3U);
  const Value::List& b = value["b"].as_list();
  EXPECT_EQ(b.capacity(), 3U);
  EXPECT_EQ(b[1].as_object().capacity(), 1U);
  EXPECT_EQ(b[2].as_list().capacity(), 3U);
  EXPECT_EQ(b[2].as_list()[0].as_text(), "x,]\"");
  EXPECT_TRUE(value["d"].as_list().empty());
}

}  // namespace model_reading_test
}  // namespace mercer
