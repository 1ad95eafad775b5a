// As many mixtures x = A s as there are independent sources s (`sources`), by a random matrix A
// whose condition number is at most 2. The table of sources with the same options tells A.
#include "mercer/data/detail/source_densities.h"
#include "mercer/data/detail/toy.h"

namespace mercer {
namespace {

Dataset make_mixtures(const GeneratorOptions& options) {
  return detail::named(detail::draw_sources(options) * detail::draw_mixing(options).transpose(),
                       detail::numbered_names("x", options.dim));
}

}  // namespace

const Generator& mixtures_generator() {
  static constexpr Generator generator{"mixtures", "independent sources, mixed by a random matrix",
                                       make_mixtures, "rows, seed, dim, density"};
  return generator;
}

}  // namespace mercer
