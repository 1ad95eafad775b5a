// Checkpoints as files: what was recorded comes back, damage is cut off at every place, other work
// is refused by name, a full disk costs the checkpoint alone.
#include "mercer/io/checkpoint.h"

#include "mercer/io/atomic_file.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

namespace mercer {
namespace checkpoint_test {

namespace fs = std::filesystem;
using Mode = Checkpoint::Mode;

class CheckpointFile : public testing::Test {
 protected:
  CheckpointFile() {
    std::string name = (fs::temp_directory_path() / "mercer-checkpoint-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = (folder_ / "run.checkpoint").string();
  }
  ~CheckpointFile() override { fs::remove_all(folder_); }

  static Value work(const char* kernel = "gaussian") {
    Value value;
    value["data"] = "0123";
    value["options"]["kernel"] = kernel;
    return value;
  }

  // Step number i: its input, and the result a run would compute.
  static std::vector<double> input(int i) { return {1.0 + i, 2.0, 3.0}; }
  static std::vector<double> result(int i) {
    std::vector<double> numbers(5);
    for (int j = 0; j < 5; ++j) numbers[static_cast<std::size_t>(j)] = 10.0 * i + j;
    return numbers;
  }

  // Walks steps 0 .. count - 1; returns how many had to be computed.
  static int walk(Checkpoint& checkpoint, int count) {
    int computed = 0;
    for (int i = 0; i < count; ++i) {
      std::vector<double> numbers(5, -1);
      const std::array<Journal::Numbers, 2> parts = {std::span(numbers).first(3),
                                                     std::span(numbers).last(2)};
      const std::vector<double> from = input(i), made = result(i);
      if (checkpoint.replay(from, parts)) {
        EXPECT_EQ(numbers, made) << "step " << i;
        continue;
      }
      ++computed;
      const std::array<Journal::ConstNumbers, 2> kept = {std::span(made).first(3),
                                                         std::span(made).last(2)};
      checkpoint.record(kept);
    }
    return computed;
  }

  std::string bytes() const { return read_file(path_, 1 << 20); }
  void put(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(CheckpointFile, GivesBackWhatWasRecorded) {
  {
    Checkpoint first(path_, work(), Mode::start);
    EXPECT_EQ(walk(first, 4), 4);
    EXPECT_EQ(first.steps(), 4);
  }
  for (const Mode mode : {Mode::resume, Mode::start, Mode::automatic}) {
    Checkpoint again(path_, work(), mode);
    EXPECT_EQ(walk(again, 4), 0);
    EXPECT_EQ(again.replayed(), 4);
    EXPECT_FALSE(again.warning());
  }
  Checkpoint longer(path_, work(), Mode::resume);
  EXPECT_EQ(walk(longer, 6), 2);
  EXPECT_FALSE(longer.warning());
}

TEST_F(CheckpointFile, FallsBackToTheLastWholeRecordWhereverItIsCut) {
  std::vector<std::size_t> ends;  // of the header and of each record
  for (int i = 0; i <= 3; ++i) {
    Checkpoint one(path_, work(), Mode::start);
    walk(one, i);
    ends.push_back(fs::file_size(path_));
  }
  const std::string whole = bytes();
  for (std::size_t size = ends[0]; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    int good = 0;
    while (good < 3 && ends[static_cast<std::size_t>(good) + 1] <= size) ++good;
    Checkpoint again(path_, work(), Mode::resume);
    EXPECT_EQ(walk(again, 3), 3 - good) << size;
    EXPECT_EQ(again.warning().has_value(), size != ends[static_cast<std::size_t>(good)]) << size;
    EXPECT_EQ(bytes(), whole) << "the new records are the old ones";
  }
}

TEST_F(CheckpointFile, TrustsNoFlippedBit) {
  {
    Checkpoint first(path_, work(), Mode::start);
    walk(first, 3);
  }
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bit : {0, 6}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      put(damaged);
      try {
        Checkpoint again(path_, work(), Mode::resume);
        EXPECT_GT(walk(again, 3), 0) << "byte " << at;
        EXPECT_TRUE(again.warning()) << "byte " << at;
      } catch (const Error& error) {  // the header, or what it says
        const std::string code = code_text(error.code());
        EXPECT_TRUE(code == "M720" || code == "M721" || code == "M703") << code << " byte " << at;
      }
    }
}

TEST_F(CheckpointFile, NamesWhatDiffers) {
  { Checkpoint first(path_, work("gaussian"), Mode::start); }
  try {
    Checkpoint other(path_, work("linear"), Mode::resume);
    FAIL() << "other work was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(code_text(error.code()), "M721");
    EXPECT_NE(std::string(error.what()).find("not the same kernel: gaussian before, linear now"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(test::code_of([&] { Checkpoint(path_, work("linear"), Mode::start); }), "M721");
  Checkpoint replaced(path_, work("linear"), Mode::automatic);
  EXPECT_EQ(walk(replaced, 2), 2);
  EXPECT_EQ(replaced.moved_to(), path_ + ".old");
  EXPECT_EQ(test::code_of([&] { Checkpoint(path_, work("linear"), Mode::resume); }), "M720")
      << "two runs on one file";
  Checkpoint kept(path_ + ".old", work("gaussian"), Mode::resume);
}

TEST_F(CheckpointFile, RefusesWhatIsNoCheckpoint) {
  EXPECT_EQ(test::code_of([&] { Checkpoint(path_, work(), Mode::resume); }), "M401");
  EXPECT_EQ(test::code_of([&] { Checkpoint(folder_.string(), work(), Mode::resume); }), "M720");
  for (const char* content : {"a,b\n1,2\n", "MERCRCKP", "MERCERCKP and so on and so on"}) {
    put(content);
    EXPECT_EQ(test::code_of([&] { Checkpoint(path_, work(), Mode::resume); }), "M720") << content;
    EXPECT_EQ(bytes(), content) << "left as it was";
  }
  { fs::remove(path_), Checkpoint(path_, work(), Mode::start); }
  std::string newer = bytes();
  newer[8] = 2;  // the version
  put(newer);
  try {
    Checkpoint other(path_, work(), Mode::resume);
    FAIL() << "a newer format was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("newer"), std::string::npos) << error.what();
  }
}

TEST_F(CheckpointFile, LeavesThePathOfAnotherRunAtItsFirstOtherStep) {
  {
    Checkpoint first(path_, work(), Mode::start);
    walk(first, 3);
  }
  Checkpoint again(path_, work(), Mode::resume);
  std::vector<double> numbers(5);
  const std::array<Journal::Numbers, 1> all = {numbers};
  EXPECT_TRUE(again.replay(input(0), all));
  EXPECT_FALSE(again.replay(input(7), all)) << "that input was never seen";
  const std::vector<double> made = result(7);
  const std::array<Journal::ConstNumbers, 1> kept = {made};
  again.record(kept);
  EXPECT_FALSE(again.replay(input(2), all)) << "what followed is gone";
}

TEST_F(CheckpointFile, SurvivesADiskThatTakesNoMore) {
  auto checkpoint = std::make_unique<Checkpoint>(path_, work(), Mode::start);
  walk(*checkpoint, 1);
  const std::uint64_t size = fs::file_size(path_);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit tight = before;
  tight.rlim_cur = size + 20;  // less than a record
  setrlimit(RLIMIT_FSIZE, &tight);
  std::vector<double> numbers(5);
  const std::array<Journal::Numbers, 1> all = {numbers};
  EXPECT_FALSE(checkpoint->replay(input(1), all));
  const std::vector<double> made = result(1);
  const std::array<Journal::ConstNumbers, 1> kept = {made};
  checkpoint->record(kept);
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_TRUE(checkpoint->warning());
  EXPECT_EQ(checkpoint->warning()->code, WarningCode::checkpoint_stopped);
  EXPECT_EQ(fs::file_size(path_), size) << "half a record was left";
  checkpoint.reset();
  Checkpoint again(path_, work(), Mode::resume);
  EXPECT_EQ(walk(again, 1), 0);
}

// Equal fits that start at the same moment: the checkpoint is one run's, the others are told so.
TEST_F(CheckpointFile, BelongsToOneOfManyRunsThatStartAtOnce) {
  constexpr int kRounds = 60, kRuns = 4;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::unique_ptr<Checkpoint>> taken(kRuns);
    std::vector<std::thread> runs;
    std::barrier start(kRuns);
    for (int i = 0; i < kRuns; ++i)
      runs.emplace_back([&, i] {
        start.arrive_and_wait();
        try {
          taken[static_cast<std::size_t>(i)] =
              std::make_unique<Checkpoint>(path_, work(), Mode::start);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::bad_checkpoint) << error.message();
        }
      });
    for (std::thread& run : runs) run.join();
    ASSERT_EQ(std::count(taken.begin(), taken.end(), nullptr), kRuns - 1) << "round " << round;
    for (const auto& one : taken) {
      if (one == nullptr) continue;
      EXPECT_EQ(walk(*one, 2), 2);
      EXPECT_TRUE(one->remove());
    }
    EXPECT_TRUE(fs::is_empty(folder_));
  }
}

TEST_F(CheckpointFile, IsTakenAgainWhileItsOwnerRemovesIt) {
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) try {
        Checkpoint mine(path_, work(), Mode::start);
        walk(mine, 1);
        mine.remove();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_checkpoint) << error.message();
      }
  });
  for (int i = 0; i < 300; ++i) try {
      Checkpoint mine(path_, work(), Mode::start);
      EXPECT_EQ(walk(mine, 1), 1);
      EXPECT_EQ(mine.whereabouts(), path_);
      EXPECT_TRUE(mine.remove());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_checkpoint) << error.message();
    }
  done = true;
  other.join();
}

TEST_F(CheckpointFile, LeavesAnotherFileOfItsNameAlone) {
  Checkpoint mine(path_, work(), Mode::start);
  walk(mine, 2);
  fs::rename(path_, folder_ / "saved");
  put("precious");
  EXPECT_EQ(mine.whereabouts(), (folder_ / "saved").string());
  EXPECT_FALSE(mine.remove());
  EXPECT_EQ(bytes(), "precious");
  fs::remove(folder_ / "saved");
  EXPECT_EQ(mine.whereabouts(), "");
  EXPECT_FALSE(mine.remove());
  EXPECT_EQ(bytes(), "precious");
}

TEST_F(CheckpointFile, MovesAsideWithoutReplacingAnything) {
  for (const char* kernel : {"gaussian", "linear", "cosine"}) {
    Checkpoint one(path_, work(kernel), Mode::automatic);
    walk(one, 1);
  }
  EXPECT_EQ(read_file(path_ + ".old", 1 << 20).find("linear"), std::string::npos);
  EXPECT_NE(read_file(path_ + ".old2", 1 << 20).find("linear"), std::string::npos);
  EXPECT_NE(bytes().find("cosine"), std::string::npos);
}

TEST_F(CheckpointFile, FollowsALinkToItsPlace) {
  fs::create_directory(folder_ / "elsewhere");
  fs::create_symlink("elsewhere/file", path_);
  Checkpoint mine(path_, work(), Mode::start);
  walk(mine, 1);
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_TRUE(fs::is_regular_file(folder_ / "elsewhere/file"));
  EXPECT_TRUE(mine.remove());
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

}  // namespace checkpoint_test
}  // namespace mercer
