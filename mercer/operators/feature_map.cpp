#include "mercer/operators/feature_map.h"

#include "mercer/core/error.h"
#include "mercer/operators/fourier_map.h"
#include "mercer/operators/monomial_map.h"

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
  const std::string& name = state.values["features"]["name"].as_text();
  if (name == "fourier") return FourierMap::from(state, dim);
  if (name == "monomials" || name == "taylor") return MonomialMap::from(state, kernel, dim);
  throw Error(ErrorCode::bad_model_content, "the model has features of an unknown kind");
}

}  // namespace mercer
