// Runs every kept input of every fuzz target once, without a fuzzing engine: corpus/<target>/ holds
// inputs that together reach all code the fuzzers have reached, found/<target>/ those that once
// broke something.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define MERCER_ENTRY(name, Type) \
  extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "mercer/fuzz/catalog.def"
#undef MERCER_ENTRY

// There in a build with sanitizers only.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

std::string current;

// Whatever kills the process, the input's name is the last word.
void name_the_input() {
  const std::string line = "while replaying " + current + "\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

extern "C" void on_abort(int) {
  name_the_input();
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

std::vector<std::string> inputs_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file()) names.push_back(entry.path().string());
  return names;
}

bool replay(const Target& target, const std::string& path) {
  current = path;
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  try {
    target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return true;
  } catch (const std::exception& error) {
    std::printf("FAILED %s: %s\n", path.c_str(), error.what());
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mercer_fuzz_replay FOLDER, the one of corpus/ and found/\n");
    return 2;
  }
  std::signal(SIGABRT, on_abort);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(name_the_input);
  const std::vector<Target> targets = {
#define MERCER_ENTRY(name, Type) {#name, fuzz_##name},
#include "mercer/fuzz/catalog.def"
#undef MERCER_ENTRY
  };
  int passed = 0, failed = 0;
  for (const Target& target : targets) {
    std::vector<std::string> inputs = inputs_of(fs::path(argv[1]) / "corpus" / target.name);
    if (inputs.empty()) {
      std::printf("FAILED %s: no corpus\n", target.name);
      ++failed;
    }
    for (std::string& path : inputs_of(fs::path(argv[1]) / "found" / target.name))
      inputs.push_back(std::move(path));
    for (const std::string& path : inputs) ++(replay(target, path) ? passed : failed);
    std::printf("%-14s %5zu inputs\n", target.name, inputs.size());
  }
  std::printf("%d failed, %d passed\n", failed, passed);
  return failed == 0 ? 0 : 1;
}
