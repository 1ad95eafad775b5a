// NPY inputs: one byte of options, then the array.
#include "tests/fuzz/mutator/npy_array.h"

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
  using namespace mercer::fuzz;
  Dice dice(seed);
  if (size < 2 || dice.roll(16) == 0) return LLVMFuzzerMutate(data, size, most);
  std::string array(bytes_of(data + 1, size - 1));
  mutate_npy(array, dice);
  return put_back(std::string(1, static_cast<char>(data[0])) + array, data, size, most);
}
