// JSON: what can be read is written, on one line or indented, and read again as the same value.
#include "mercer/io/json.h"

#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  using namespace mercer::fuzz;
  Value value;
  try {
    value = from_json(Input(data, size).rest());
  } catch (const Error&) {
    return 0;
  }
  const std::string text = to_json(value);
  expect(from_json(text) == value, "a value written and read is the same");
  expect(to_json(from_json(text)) == text, "a value has one spelling");
  expect(from_json(to_json(value, 2)) == value, "indented too");
  return 0;
}
