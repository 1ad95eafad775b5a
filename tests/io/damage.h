// Damaged files: a sample cut at every length, and thousands of copies with wrong bytes. A reader
// must return or throw an Error; anything else fails the test or stops the sanitizers.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/random.h"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace mercer::test {

template <class Read>
void read_damaged(std::string_view sample, Read read, int copies = 20'000) {
  const auto attempt = [&](const std::string& content) {
    try {
      read(content);
    } catch (const Error&) {
    }
  };
  for (std::size_t length = 0; length < sample.size(); ++length)
    attempt(std::string(sample.substr(0, length)));
  const Random random(11);
  std::uint64_t draw = 0;
  for (int copy = 0; copy < copies; ++copy) {
    std::string content(sample);
    for (std::uint64_t i = random.below(4, draw++) + 1; i > 0; --i) {
      const std::uint64_t at = random.below(content.size(), draw++);
      // A text has more to say with characters of its own than with others.
      const bool own = random.below(2, draw++) == 0;
      content[at] = own ? sample[random.below(sample.size(), draw)]
                        : static_cast<char>(random.below(256, draw));
      ++draw;
    }
    attempt(content);
  }
}

/// A fresh folder that goes away with the object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("mercer_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  /// Writes a file, in a sub-folder if the name has one, and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace mercer::test
