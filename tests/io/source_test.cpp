#include "mercer/io/source.h"

#include "mercer/core/error.h"
#include "mercer/core/random.h"
#include "mercer/io/detail/compression.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace mercer {
namespace source_test {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40;

std::string packed(std::string_view content, std::string_view compression) {
  return detail::compressed(content, compression);
}

// Taken in pieces of this many bytes.
std::string read_in_pieces(Source& source, std::size_t count) {
  std::string content, piece(count, '\0');
  while (const std::size_t got = source.read(piece.data(), count)) content.append(piece, 0, got);
  return content;
}

Context with_memory(std::uint64_t bytes) {
  Context context;
  context.budget.memory = bytes;
  return context;
}

template <class F>
std::string code_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return code_text(error.code());
  }
  return "none";
}

std::string code_of_content(std::string_view content, std::uint64_t memory = kNoLimit) {
  return code_of([&] { Source(content, "x", memory).all(); });
}

// Text that compresses, but not absurdly.
std::string sample_text(std::size_t lines) {
  const Random random(5);
  std::string text;
  for (std::uint64_t i = 0; i < lines; ++i) text += std::to_string(random.uniform(i)) + ",1\n";
  return text;
}

class SourceFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("mercer_source_" + std::to_string(getpid()) + "_" + test->name());
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& content) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  fs::path folder_;
};

TEST_F(SourceFile, GivesTheHeadWithoutTakingItThenPiecesOrEverything) {
  const std::string content = sample_text(20'000);
  const std::string path = put("x.csv", content);
  for (const std::size_t count : {std::size_t{1} << 20, std::size_t{65536}, std::size_t{1000}}) {
    Source source(path, Context());
    EXPECT_EQ(source.head(), content.substr(0, 64 << 10));
    EXPECT_EQ(source.size(), content.size());
    EXPECT_EQ(read_in_pieces(source, count), content);
    EXPECT_EQ(source.share(), 1);
  }
  Source whole(path, with_memory(content.size()));
  EXPECT_EQ(whole.all(), content);
  EXPECT_EQ(whole.all(), whole.all());
  EXPECT_EQ(whole.path(), path);
  EXPECT_EQ(whole.compression(), "");
}

TEST_F(SourceFile, RefusesMoreThanTheMemoryWhenAllIsWanted) {
  const std::string path = put("x", std::string(100'000, 'x'));
  EXPECT_EQ(code_of([&] { Source(path, with_memory(99'999)).all(); }), "M301");
  const std::string small = packed(sample_text(50'000), "gzip");
  EXPECT_EQ(code_of_content(small, 300'000), "M301");
}

TEST_F(SourceFile, CountsWhatItKeepsUntilItIsGone) {
  const std::string content = sample_text(40'000);
  const std::string path = put("x", content);
  Context context;
  context.account = MemoryAccount(1 << 30);
  for (const std::string compression : {"", "gzip", "zstd"}) {
    put("x", compression.empty() ? content : packed(content, compression));
    {
      Source source(path, context);
      EXPECT_EQ(source.all(), content);
      EXPECT_EQ(context.account->held(), content.size());
    }
    EXPECT_EQ(context.account->held(), 0u);
  }
}

TEST_F(SourceFile, TakesFromAPipeAsMuchAsFits) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // a reader that refuses leaves its writer
  for (const std::size_t size : {std::size_t{0}, std::size_t{5000}, std::size_t{3} << 20})
    for (const bool fits : {true, false}) {
      const std::string content(size, 'y');
      std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
      {
        Source source(path, with_memory(fits ? size + 8192 : size / 2));
        if (fits)
          EXPECT_EQ(source.all(), content);
        else
          EXPECT_EQ(code_of([&] { source.all(); }), "M301");
      }
      writer.join();
    }
  std::signal(SIGPIPE, before);
}

TEST_F(SourceFile, StopsWaitingForAPipeWhenTheContextSaysSo) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  Context context;
  int asked = 0;
  context.observer.out_of_time = [&] { return ++asked > 3; };
  Source source(path, context);  // nobody writes to it
  EXPECT_EQ(code_of([&] { source.head(); }), "M303");
  EXPECT_EQ(asked, 4);
  context.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { Source(path, context).all(); }), "M001");
}

TEST_F(SourceFile, OpensAFolderButReadsNothingFromIt) {
  Source source(folder_.string(), Context());
  EXPECT_TRUE(source.is_folder());
  EXPECT_EQ(source.head(), "");
  char byte = 0;
  EXPECT_EQ(code_of([&] { source.read(&byte, 1); }), "M406");
  EXPECT_EQ(code_of([&] { Source(folder_.string(), Context()).all(); }), "M406");
  EXPECT_EQ(code_of([&] { Source((folder_ / "none").string(), Context()); }), "M401");
}

TEST_F(SourceFile, NoticesAFileThatShrinks) {
  const std::string path = put("x", std::string(200'000, 'x'));
  Source source(path, Context());
  source.head();
  fs::resize_file(path, 100'000);
  EXPECT_EQ(code_of([&] { read_in_pieces(source, 4096); }), "M405");
}

TEST_F(SourceFile, DecompressesByContentWhateverTheName) {
  const std::string content = sample_text(30'000);
  for (const std::string compression : {"gzip", "zstd"}) {
    const std::string path = put(compression + ".csv", packed(content, compression));
    ASSERT_LT(fs::file_size(path), content.size());
    Source source(path, Context());
    EXPECT_EQ(source.head(), content.substr(0, 64 << 10));
    EXPECT_EQ(source.compression(), compression);
    EXPECT_FALSE(source.size());
    EXPECT_EQ(read_in_pieces(source, 777), content);
    EXPECT_EQ(Source(path, Context()).all(), content);
  }
}

TEST(Source, TakesBytesInMemoryWithoutACopy) {
  const std::string content = "a,b\n1,2\n";
  Source source(content, "t.csv", kNoLimit);
  EXPECT_EQ(source.all().data(), content.data());
  EXPECT_EQ(source.name(), "t.csv");
  EXPECT_EQ(source.path(), "");
  EXPECT_EQ(Source("", "x", kNoLimit).all(), "");
}

TEST(Source, JoinsMembersAndFramesThatFollowEachOther) {
  for (const std::string compression : {"gzip", "zstd"}) {
    const std::string two = packed("first,", compression) + packed("second", compression);
    EXPECT_EQ(Source(two, "x", kNoLimit).all(), "first,second") << compression;
  }
  const std::string padded = packed("text", "gzip") + std::string(512, '\0');
  EXPECT_EQ(Source(padded, "x", kNoLimit).all(), "text");
  const std::string skippable = std::string("\x53\x2A\x4D\x18\x04\0\0\0abcd", 12);
  EXPECT_EQ(Source(skippable + packed("text", "zstd"), "x", kNoLimit).all(), "text");
}

TEST(Source, NoticesCompressedDataCutOffAnywhere) {
  for (const std::string compression : {"gzip", "zstd"}) {
    const std::string whole = packed(sample_text(60), compression);
    for (std::size_t length = compression == "gzip" ? 2 : 4; length < whole.size(); ++length)
      EXPECT_EQ(code_of_content(whole.substr(0, length)), "M407") << compression << length;
    EXPECT_EQ(code_of_content(whole + "more"), "M407") << compression;
  }
}

TEST(Source, NoticesEveryChangedByteOfCompressedData) {
  constexpr std::size_t kGzipHeader = 10;
  const std::string content = sample_text(60);
  const std::string whole = packed(content, "gzip");
  for (std::size_t i = kGzipHeader; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    EXPECT_EQ(code_of_content(changed), "M407") << i;
  }
  const std::string frame = packed(content, "zstd");
  for (std::size_t i = 4; i < frame.size(); ++i) {
    std::string changed = frame;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    // A few bits of the frame's header say nothing about the content.
    try {
      EXPECT_EQ(Source(changed, "x", kNoLimit).all(), content) << i;
    } catch (const Error& error) {
      EXPECT_EQ(code_text(error.code()), "M407") << i;
    }
  }
}

TEST(Source, RefusesDataThatGrowAThousandfold) {
  for (const std::string compression : {"gzip", "zstd"}) {
    const std::string bomb = packed(std::string(std::size_t{64} << 20, '\0'), compression);
    ASSERT_LT(bomb.size(), std::size_t{1} << 17);
    EXPECT_EQ(code_of_content(bomb), "M408") << compression;
    Source source(bomb, "x", kNoLimit);
    EXPECT_EQ(code_of([&] { read_in_pieces(source, 100'000); }), "M408");
    // Allowed is a dull beginning, where more follows.
    const std::string begins_dull = std::string(std::size_t{8} << 20, '0') + sample_text(10'000);
    EXPECT_EQ(Source(packed(begins_dull, compression), "x", kNoLimit).all(), begins_dull);
    // Small content may be as dull as it likes.
    const std::string dull(std::size_t{1} << 20, '\0');
    EXPECT_EQ(Source(packed(dull, compression), "x", kNoLimit).all(), dull);
  }
}

TEST(Source, CompressesTheSameContentToTheSameBytes) {
  const std::string content = sample_text(5000);
  for (const std::string compression : {"gzip", "zstd"})
    EXPECT_EQ(packed(content, compression), packed(content, compression));
  // RFC 1952: bytes 4 to 7 are the time of the file, 0 where there is none.
  EXPECT_EQ(packed(content, "gzip").substr(4, 4), std::string(4, '\0'));
  for (const std::string compression : {"gzip", "zstd"})
    EXPECT_EQ(Source(packed("", compression), "x", kNoLimit).all(), "");
}

}  // namespace source_test
}  // namespace mercer
