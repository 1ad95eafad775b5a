// NPY arrays, read, written and read again. The mutator keeps the header's length right.
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer::fuzz;
  Input input(data, size);
  const mercer::ReadOptions options = binary_options(input);
  read_and_check("npy", input.rest(), options);
  return 0;
}
