#include "mercer/io/atomic_file.h"

#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/io/detail/unfinished_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

namespace mercer {
namespace atomic_file_test {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

class AtomicFiles : public testing::Test {
 protected:
  AtomicFiles() {
    std::string name = (fs::temp_directory_path() / "mercer-atomic-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AtomicFiles() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }

  Index files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator{});
  }

  fs::path folder_;
};

void write(const std::string& path, std::string_view content) {
  const std::string_view parts[] = {content};
  write_file_atomically(path, parts);
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::internal, ""};
}

TEST_F(AtomicFiles, WritesItsPartsOneAfterAnother) {
  const std::string_view parts[] = {"one", "", "two", "three"};
  write_file_atomically(in_folder("a"), parts);
  EXPECT_EQ(content_of(in_folder("a")), "onetwothree");
  write_file_atomically(in_folder("a"), {});
  EXPECT_EQ(content_of(in_folder("a")), "");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, WritesIntoTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write("plain", "here");
  EXPECT_EQ(read_file("plain", kNoLimit), "here");
  fs::current_path(before);
}

TEST_F(AtomicFiles, GivesNewFilesTheUsualRightsAndKeepsThoseOfOldOnes) {
  const mode_t old_mask = ::umask(027);
  write(in_folder("new"), "x");
  struct stat status {};
  ASSERT_EQ(::stat(in_folder("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
  ASSERT_EQ(::chmod(in_folder("new").c_str(), 0622), 0);
  write(in_folder("new"), "y");
  ASSERT_EQ(::stat(in_folder("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0622U);
  ::umask(old_mask);
}

TEST_F(AtomicFiles, ReplacesTheNameNotTheContentOfTheOldFile) {
  write(in_folder("a"), "old");
  fs::create_hard_link(in_folder("a"), in_folder("kept"));
  write(in_folder("a"), "new");
  EXPECT_EQ(content_of(in_folder("a")), "new");
  EXPECT_EQ(content_of(in_folder("kept")), "old");
}

TEST_F(AtomicFiles, WritesThroughLinks) {
  fs::create_directory(folder_ / "deep");
  write(in_folder("deep/file"), "old");
  fs::create_symlink("deep/file", folder_ / "link");
  fs::create_symlink("link", folder_ / "link_to_link");
  write(in_folder("link_to_link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link_to_link"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content_of(in_folder("deep/file")), "new");

  fs::create_symlink("deep/none_yet", folder_ / "dangling");
  write(in_folder("dangling"), "made");
  EXPECT_EQ(content_of(in_folder("deep/none_yet")), "made");

  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_EQ(error_of([&] { write(in_folder("loop"), "x"); }).code(), ErrorCode::write_failed);
}

TEST_F(AtomicFiles, WritesNamesOfTheGreatestLength) {
  const std::string longest = in_folder(std::string(255, 'n'));
  write(longest, "x");
  EXPECT_EQ(content_of(longest), "x");
  const Error error = error_of([&] { write(in_folder(std::string(256, 'n')), "x"); });
  EXPECT_EQ(error.code(), ErrorCode::write_failed);
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, SaysHowToMakeAMissingFolder) {
  const Error error = error_of([&] { write(in_folder("no/such/file"), "x"); });
  EXPECT_EQ(error.code(), ErrorCode::folder_missing);
  EXPECT_EQ(error.hint(), "mkdir -p '" + in_folder("no/such") + "'");
  write(in_folder("file"), "x");
  EXPECT_EQ(error_of([&] { write(in_folder("file/x"), "x"); }).code(), ErrorCode::folder_missing);
}

TEST_F(AtomicFiles, RefusesADirectory) {
  EXPECT_EQ(error_of([&] { write(folder_.string(), "x"); }).code(), ErrorCode::is_a_directory);
  EXPECT_EQ(error_of([&] { read_file(folder_.string(), kNoLimit); }).code(),
            ErrorCode::is_a_directory);
}

TEST_F(AtomicFiles, RefusesNamesThatCannotBe) {
  EXPECT_EQ(error_of([&] { write("", "x"); }).code(), ErrorCode::write_failed);
  EXPECT_EQ(error_of([&] { write(std::string("a\0b", 3), "x"); }).code(), ErrorCode::write_failed);
  EXPECT_EQ(error_of([&] { read_file("", kNoLimit); }).code(), ErrorCode::file_not_found);
}

TEST_F(AtomicFiles, RespectsRights) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  write(in_folder("protected"), "old");
  ASSERT_EQ(::chmod(in_folder("protected").c_str(), 0400), 0);
  EXPECT_EQ(error_of([&] { write(in_folder("protected"), "new"); }).code(),
            ErrorCode::no_permission);
  ASSERT_EQ(::chmod(in_folder("protected").c_str(), 0), 0);
  EXPECT_EQ(error_of([&] { read_file(in_folder("protected"), kNoLimit); }).code(),
            ErrorCode::no_permission);
  ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);
  EXPECT_EQ(error_of([&] { write(in_folder("new"), "x"); }).code(), ErrorCode::no_permission);
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
}

TEST_F(AtomicFiles, WritesToDevicesDirectly) {
  write("/dev/null", "x");
  const Error error = error_of([] { write("/dev/full", "x"); });
  EXPECT_EQ(error.code(), ErrorCode::write_failed);
  EXPECT_NE(error.message().find("No space left"), std::string::npos) << error.message();
}

TEST_F(AtomicFiles, PassesThroughANamedPipe) {
  const std::string pipe = in_folder("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string content(300'000, 'p');  // more than a pipe holds
  std::thread writer([&] { write(pipe, content); });
  EXPECT_EQ(read_file(pipe, kNoLimit), content);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(AtomicFiles, AFullDiskLeavesTheOldFileAndNothingElse) {
  write(in_folder("a"), "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{1000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  const Error error = error_of([&] { write(in_folder("a"), std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(error.code(), ErrorCode::write_failed);
  EXPECT_EQ(content_of(in_folder("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, WritesInPiecesOfAnySize) {
  std::string expected;
  {
    AtomicFile file(in_folder("a"));
    for (std::size_t i = 0; i < 60; ++i) {
      const std::string piece(i * i * i, static_cast<char>('a' + i % 26));  // up to 205 379 bytes
      file.write(piece);
      expected += piece;
    }
    EXPECT_FALSE(fs::exists(in_folder("a")));
    file.commit();
    EXPECT_EQ(content_of(in_folder("a")), expected);
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(content_of(in_folder("a")), expected);
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, PiecesThatAreNotCommittedLeaveTheOldFile) {
  write(in_folder("a"), "old");
  {
    AtomicFile file(in_folder("a"));
    file.write(std::string(100'000, 'x'));
    EXPECT_EQ(files(), 2);
    EXPECT_EQ(content_of(in_folder("a")), "old");
  }
  EXPECT_EQ(content_of(in_folder("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, NoticesAFullDeviceAtTheEndToo) {
  AtomicFile file("/dev/full");
  file.write("fits in the buffer");
  EXPECT_EQ(error_of([&] { file.commit(); }).code(), ErrorCode::write_failed);
}

TEST_F(AtomicFiles, RemovesUnfinishedFilesOnRequest) {
  std::ofstream(in_folder("a.part-abc")) << "half";
  std::ofstream(in_folder("b.part-abc")) << "half";
  std::ofstream(in_folder("c")) << "whole";
  {
    detail::UnfinishedFile first(in_folder("a.part-abc"));
    detail::UnfinishedFile second(in_folder("c"));
    second.keep();
  }
  EXPECT_FALSE(fs::exists(in_folder("a.part-abc")));
  detail::UnfinishedFile third(in_folder("b.part-abc"));
  remove_unfinished_files();
  EXPECT_FALSE(fs::exists(in_folder("b.part-abc")));
  EXPECT_TRUE(fs::exists(in_folder("c")));
}

// A process that ends must not leave a file that another thread creates at the last moment.
TEST_F(AtomicFiles, CreatesNothingAnyMoreAtTheEndOfTheProcess) {
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      // A write whose temporary file is removed under it fails, as it may when the process ends.
      std::thread writer([&] {
        for (;;) try {
            write(in_folder("a"), "content");
          } catch (const Error&) {
          }
      });
      std::this_thread::sleep_for(std::chrono::microseconds(100 + 317 * round));
      end_unfinished_files();
      ::_exit(0);
    }
    ASSERT_GT(child, 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    for (const auto& entry : fs::directory_iterator(folder_))
      EXPECT_EQ(entry.path().filename(), "a") << "round " << round;
  }
}

TEST_F(AtomicFiles, LeavesAFileAloneThatHadTheNameBefore) {
  std::ofstream(in_folder("b.part-abc")) << "somebody's";
  {
    detail::UnfinishedFile mine(in_folder("b.part-abc"));
    EXPECT_EQ(mine.create(0600), -1);
    remove_unfinished_files();
  }
  EXPECT_EQ(content_of(in_folder("b.part-abc")), "somebody's");
}

TEST_F(AtomicFiles, CutsTemporaryNamesBetweenLetters) {
  std::string name;
  while (name.size() < 254) name += "ü";
  write(in_folder(name), "x");
  EXPECT_EQ(content_of(in_folder(name)), "x");
  const Error error = error_of([&] { check_can_write(in_folder(name + "üü")); });
  EXPECT_EQ(error.code(), ErrorCode::write_failed);
  EXPECT_NE(error.message().find("258 bytes"), std::string::npos) << error.message();
}

TEST_F(AtomicFiles, ManyWritersAtOnceLeaveOneWholeFile) {
  std::vector<std::thread> writers;
  for (char letter = 'a'; letter < 'a' + 24; ++letter)  // more than the table of names has slots
    writers.emplace_back([this, letter] {
      for (int i = 0; i < 5; ++i) write(in_folder("shared"), std::string(10'000, letter));
    });
  for (std::thread& writer : writers) writer.join();
  const std::string content = content_of(in_folder("shared"));
  EXPECT_EQ(content, std::string(10'000, content.at(0)));
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, ReadsWhatItWrote) {
  std::string content(100'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 251);
  write(in_folder("a"), content);
  EXPECT_EQ(read_file(in_folder("a"), kNoLimit), content);
  EXPECT_EQ(read_file(in_folder("a"), content.size()), content);
  write(in_folder("a"), "");
  EXPECT_EQ(read_file(in_folder("a"), 0), "");
}

TEST_F(AtomicFiles, ReadsStandardInput) {
  write(in_folder("a"), "from outside");
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open(in_folder("a").c_str(), O_RDONLY);
  ASSERT_EQ(::dup2(file, STDIN_FILENO), STDIN_FILENO);
  EXPECT_EQ(read_file("-", kNoLimit), "from outside");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(file);
}

TEST_F(AtomicFiles, ReadsFilesThatHideTheirSize) {
  EXPECT_NE(read_file("/proc/self/status", kNoLimit).find("Pid:"), std::string::npos);
}

TEST_F(AtomicFiles, NoticesAFileThatIsShorterThanItsSize) {
  // Files of /sys claim a page and hold a few bytes, as a file does that was cut after it was
  // opened.
  const std::string file = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (!fs::exists(file)) GTEST_SKIP() << "no such file here";
  EXPECT_EQ(error_of([&] { read_file(file, kNoLimit); }).code(), ErrorCode::file_changed);
}

TEST_F(AtomicFiles, RefusesMoreThanTheLimit) {
  write(in_folder("a"), std::string(4096, 'x'));
  const Error sized = error_of([&] { read_file(in_folder("a"), 4095); });
  EXPECT_EQ(sized.code(), ErrorCode::over_memory);
  EXPECT_NE(sized.message().find("4.0 KiB"), std::string::npos) << sized.message();
  EXPECT_EQ(error_of([] { read_file("/dev/zero", 1'000'000); }).code(), ErrorCode::over_memory);
}

TEST_F(AtomicFiles, NamesTheSimilarFileWhenOneIsMissing) {
  write(in_folder("penguins.csv"), "x");
  write(in_folder("iris.csv"), "x");
  const Error error = error_of([&] { read_file(in_folder("pengiuns.csv"), kNoLimit); });
  EXPECT_EQ(error.code(), ErrorCode::file_not_found);
  EXPECT_EQ(error.hint(), "did you mean \"" + in_folder("penguins.csv") + "\"?");
  const Error folder = error_of([&] { read_file(in_folder("none/x.csv"), kNoLimit); });
  EXPECT_EQ(folder.code(), ErrorCode::file_not_found);
  EXPECT_EQ(folder.hint(), "there is no folder \"" + in_folder("none") + "\"");
}

}  // namespace atomic_file_test
}  // namespace mercer
