// NPZ archives: members by name or by guess, read, written and read again. The mutator works on the
// arrays inside and packs them again with right checksums.
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer::fuzz;
  Input input(data, size);
  mercer::ReadOptions options = binary_options(input);
  static const char* const kMembers[] = {"", "x", "y", "labels"};
  options.member = kMembers[input.choice(4)];
  read_and_check("npz", input.rest(), options);
  return 0;
}
