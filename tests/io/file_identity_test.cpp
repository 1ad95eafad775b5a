// One file has one identity, whatever its names; two files have two.
#include "mercer/io/file_identity.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace mercer {
namespace file_identity_test {

namespace fs = std::filesystem;

class Identity : public testing::Test {
 protected:
  Identity() {
    std::string name = (fs::temp_directory_path() / "mercer-identity-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::create_directory(folder_ / "deep");
    fs::create_symlink("deep", folder_ / "link_to_deep");
  }
  ~Identity() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
  void make(const std::string& name) const { std::ofstream(in_folder(name)) << "x"; }
  bool same(const std::string& a, const std::string& b) const {
    const auto first = identity_of(in_folder(a)), second = identity_of(in_folder(b));
    EXPECT_TRUE(first && second) << a << ", " << b;
    return first == second;
  }

  fs::path folder_;
};

TEST_F(Identity, IsThatOfTheFileBehindEveryName) {
  make("deep/a");
  make("deep/b");
  fs::create_hard_link(folder_ / "deep/a", folder_ / "hard");
  fs::create_symlink("link_to_deep/a", folder_ / "soft");
  for (const char* name :
       {"deep/a", "./deep//a", "deep/../deep/a", "link_to_deep/a", "hard", "soft"}) {
    EXPECT_TRUE(same("deep/a", name)) << name;
    EXPECT_FALSE(same("deep/b", name)) << name;
  }
  EXPECT_EQ(identity_of(in_folder("soft"))->type, mode_t{S_IFREG});
}

TEST_F(Identity, IsKnownBeforeTheFileExists) {
  fs::create_symlink("deep/none", folder_ / "dangling");
  fs::create_symlink("dangling", folder_ / "twice");
  for (const char* name : {"deep/none", "deep/./none", "link_to_deep/none", "dangling", "twice"})
    EXPECT_TRUE(same("deep/none", name)) << name;
  EXPECT_FALSE(same("deep/none", "none"));
  EXPECT_FALSE(same("deep/none", "deep"));
  EXPECT_FALSE(identity_of(in_folder("deep/none"))->exists());
}

TEST_F(Identity, IsNothingWhereANameLeadsNowhere) {
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_FALSE(identity_of(in_folder("circle")));
  EXPECT_FALSE(identity_of(in_folder("no/folder")));
  EXPECT_FALSE(identity_of(""));
  EXPECT_FALSE(identity_of(-1));
}

TEST_F(Identity, OfAnOpenFileIsThatOfItsName) {
  make("a");
  const int file = ::open(in_folder("a").c_str(), O_RDONLY);
  EXPECT_EQ(identity_of(file), identity_of(in_folder("a")));
  fs::rename(folder_ / "a", folder_ / "b");
  EXPECT_EQ(identity_of(file), identity_of(in_folder("b")));
  EXPECT_FALSE(identity_of(file) == identity_of(in_folder("a")));
  ::close(file);
}

}  // namespace file_identity_test
}  // namespace mercer
