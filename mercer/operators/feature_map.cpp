#include "mercer/operators/feature_map.h"

#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/operators/fourier_map.h"
#include "mercer/operators/monomial_map.h"

#include <fmt/format.h>

namespace mercer {

Points Placement::rows(DataView view, Range part) const {
  Points placed(part.size(), view.dim());
  for (Index i = 0; i < part.size(); ++i) {
    view.copy_row(part.begin + i, placed.row(i).data());
    placed.row(i) = placed.row(i) * scale - centre.transpose();
  }
  return placed;
}

std::shared_ptr<const FeatureMap> load_features(const State& state, const Kernel& kernel,
                                                Index dim) {
  const Fields fields = Fields(state.values).object("features");
  const std::string& name = fields.text("name");
  if (name == "fourier") return FourierMap::from(state, dim);
  if (name == "monomials" || name == "taylor") return MonomialMap::from(state, kernel, dim);
  fields.refuse("name", fmt::format("\"{}\" is not known", printable(name)));
}

}  // namespace mercer
