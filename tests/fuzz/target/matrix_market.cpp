// Matrix Market text, read, written and read again.
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer::fuzz;
  Input input(data, size);
  const mercer::ReadOptions options = binary_options(input);
  read_and_check("matrix_market", input.rest(), options);
  return 0;
}
