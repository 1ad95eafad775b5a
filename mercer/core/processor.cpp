#include "mercer/core/processor.h"

#include "mercer/core/text.h"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace mercer {
namespace {

#ifdef __x86_64__
using Registers = std::array<unsigned, 4>;

Registers ask(unsigned leaf) {
  Registers r{};
  if (__get_cpuid(leaf, &r[0], &r[1], &r[2], &r[3]) == 0) return {};
  return r;
}

std::string vendor_name() {
  const Registers r = ask(0);
  char text[13] = {};
  std::memcpy(text, &r[1], 4);
  std::memcpy(text + 4, &r[3], 4);
  std::memcpy(text + 8, &r[2], 4);
  return text;
}

// The name has 48 bytes in three leaves; older processors have none.
std::string brand_name() {
  constexpr unsigned kFirst = 0x80000002;  // of the three leaves of cpuid that hold the name
  char text[49] = {};
  for (unsigned part = 0; part < 3; ++part) {
    const Registers r = ask(kFirst + part);
    std::memcpy(text + 16 * part, r.data(), 16);
  }
  return printable(trim(text));
}

Processor detect() {
  Processor found;
  found.vendor = vendor_name();
  if (const std::string brand = brand_name(); !brand.empty()) found.name = brand;
  // Family and model are split into a base and an extension, which counts for high families only.
  const unsigned signature = ask(1)[0];
  const unsigned family = signature >> 8 & 15, model = signature >> 4 & 15;
  const unsigned more_family = signature >> 20 & 255, more_model = signature >> 16 & 15;
  found.family = static_cast<int>(family == 15 ? family + more_family : family);
  found.model = static_cast<int>(family == 6 || family == 15 ? model + 16 * more_model : model);
  return found;
}
#else
Processor detect() { return {}; }
#endif

}  // namespace

const Processor& processor() {
  static const Processor found = detect();
  return found;
}

}  // namespace mercer
