// LibSVM text; what is read is also written as NPY, sparse rows spread out, and read again.
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer::fuzz;
  Input input(data, size);
  const mercer::ReadOptions options = binary_options(input);
  read_and_check("libsvm", input.rest(), options);
  return 0;
}
