// Any content, the way a file without an extension takes: decompressed, recognised, read; now and
// then given to a reader it was not made for. What is read is written in every format there is.
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  using namespace mercer::fuzz;
  Input input(data, size);
  const auto formats = table_formats();
  ReadOptions options = binary_options(input);
  const std::size_t forced = input.choice(2 * formats.size());
  if (forced < formats.size()) options.format = formats[forced]->name;
  Source source(input.rest(), "input", small_context().budget.memory);
  Table table;
  try {
    table = read_source(source, options, small_context());
  } catch (const Error&) {
    return 0;
  }
  check_table(table);
  for (const TableFormat* format : formats)
    if (format->write != nullptr) check_round_trip(table, format->name);
  return 0;
}
