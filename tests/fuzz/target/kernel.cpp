// Kernel specifications: the canonical spelling reads back as the same kernel, in every value, and
// the formula and description of whatever was read can be shown.
#include "mercer/kernels/kernel.h"

#include "mercer/io/json.h"
#include "tests/fuzz/target.h"

#include <array>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  using namespace mercer::fuzz;
  std::optional<Kernel> kernel;
  try {
    kernel.emplace(Input(data, size).rest());
  } catch (const Error&) {
    return 0;
  }
  const Kernel again(kernel->spec());
  expect(again.spec() == kernel->spec(), "a kernel has one spelling");
  expect(again.formula() == kernel->formula(), "the same formula");
  expect(to_json(again.describe()) == to_json(kernel->describe()), "the same description");
  expect(again.resolved() == kernel->resolved(), "the same parameters are open");
  if (!kernel->resolved()) return 0;
  const std::array<double, 3> x = {0.25, 0, 3}, y = {1.5, 2, 0.125};
  const double first = (*kernel)(x, y), second = again(x, y);
  expect(std::memcmp(&first, &second, sizeof first) == 0, "the same values");
  return 0;
}
