// Whole files into memory, as they are: a compressed file is not decompressed.
#include "mercer/io/atomic_file.h"
#include "mercer/io/detail/input_file.h"

namespace mercer {

std::string read_file(const std::string& name, std::uint64_t limit) {
  detail::InputFile file(name);
  return detail::read_everything(file, limit, name == "-" ? "standard input" : name);
}

}  // namespace mercer
