#include "mercer/data/generator.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace mercer {

#define MERCER_ENTRY(name, Type) const Generator& name##_generator();
#include "mercer/data/catalog.def"
#undef MERCER_ENTRY

namespace {

void require_count(std::string_view option, Index value) {
  if (value >= 1) return;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("{} is {}, it must be at least 1", option, value),
              fmt::format("give {} a whole number from 1 on", option));
}

void require_valid(const GeneratorOptions& options) {
  require_count("n", options.n);
  require_count("dim", options.dim);
  require_count("classes", options.classes);
  if (std::isfinite(options.noise) && options.noise >= 0) return;
  throw Error(
      ErrorCode::bad_option_value,
      fmt::format("noise is {}, it must be a finite number >= 0", options.noise),
      "noise is the standard deviation of what is added to every coordinate; 0 adds nothing");
}

}  // namespace

std::vector<const Generator*> generators() {
  return {
#define MERCER_ENTRY(name, Type) &name##_generator(),
#include "mercer/data/catalog.def"
#undef MERCER_ENTRY
  };
}

Dataset generate(std::string_view name, const GeneratorOptions& options) {
  require_valid(options);
  std::vector<std::string> known;
  for (const Generator* generator : generators()) {
    if (generator->name == name) return generator->make(options);
    known.emplace_back(generator->name);
  }
  throw Error(ErrorCode::unknown_name, fmt::format("there is no data set \"{}\"", printable(name)),
              suggest(name, known, "data sets"));
}

}  // namespace mercer
