// Independent sources of mean 0 and variance 1, before they are mixed: those of `mixtures` with the
// same options.
#include "mercer/data/detail/source_densities.h"
#include "mercer/data/detail/toy.h"

namespace mercer {
namespace {

Dataset make_sources(const GeneratorOptions& options) {
  return detail::named(detail::draw_sources(options), detail::numbered_names("s", options.dim));
}

}  // namespace

const Generator& sources_generator() {
  static constexpr Generator generator{"sources", "independent sources, unmixed", make_sources,
                                       "rows, seed, dim, density"};
  return generator;
}

}  // namespace mercer
