// Kernel expansions as a saved state: what is kept of one, and how it comes back. Every value is
// compared with the others, since the state may come from anybody's file.
#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/operators/given_kernel.h"

#include <fmt/format.h>

namespace mercer {

void KernelExpansion::save(State& state) const {
  state.values["centered"] = centred_;
  state.values["as"] = Choice<Given>(given_).word();
  if (!affine_.empty()) {
    state.add("affine", affine_.table().high);
    state.add("affine_low", affine_.table().low);
  }
  if (features_ != nullptr) {
    features_->save(state);
    state.add("feature_weights", weights_);
  }
  if (given_ == Given::table && (features_ == nullptr || !features_->covers_all()))
    detail::save_points(state, points_);
  if (coefficients_.size() > 0) state.add("coefficients", coefficients_);
  if (reach_ > 0) state.values["reach"] = reach_;
  state.add("bias", bias_);
}

namespace {

// Models from before there were given matrices say nothing of it.
Given given_in(const State& state) {
  if (state.values["as"].is_null()) return Given::table;
  const Fields fields(state.values);
  for (const Given given : {Given::table, Given::kernel, Given::distance, Given::squared_distance})
    if (fields.text("as") == Choice<Given>(given).word()) return given;
  fields.refuse("as", "the model was fitted on an unknown kind of input");
}

Kernel kernel_in(const State& state) {
  constexpr std::size_t kLongest = std::size_t{1} << 20;  // far beyond what a command line holds
  const Fields fields = Fields(state.values).object("kernel");
  const std::string& spec = fields.text("spec");
  if (spec.size() > kLongest) fields.refuse("spec", "is longer than any kernel");
  try {
    Kernel kernel(spec);
    if (!kernel.resolved()) fields.refuse("spec", "a parameter is not a number");
    return kernel;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_model_content) throw;
    fields.refuse("spec", error.message());
  }
}

// Of distances there may be a kernel; without one the values are those that the entries stand for.
Kernel kernel_of_pairs(const State& state, Given given) {
  const Value& kernel = state.values["kernel"];
  const bool none =
      kernel.is_null() || (kernel["spec"].is_text() && kernel["spec"].as_text() == "precomputed");
  if (none || !holds_distances(given)) return Kernel("linear");
  Kernel known = kernel_in(state);
  if (!takes_distances(known))
    Fields(state.values).object("kernel").refuse("spec", "is no kernel of distances");
  return known;
}

// A number for the constant and each column, for each component.
Block affine_table(const Array& array, const char* name, Index dim, Index k) {
  if (array.shape == std::vector<Index>{dim + 1, k}) {
    Block table = array.as_points();
    if (table.allFinite()) return table;
  }
  throw Error(
      ErrorCode::bad_model_content,
      fmt::format("array \"{}\" is not one finite number for each column and component", name));
}

}  // namespace

void KernelExpansion::load_coefficients(const State& state, Index rows) {
  const Array& stored = state.array("coefficients");
  if (stored.shape != std::vector<Index>{rows, functions()})
    throw Error(ErrorCode::bad_model_content,
                fmt::format("array \"coefficients\" is not {} x {}", rows, functions()));
  coefficients_ = stored.as_points();
  require(coefficients_.allFinite(), ErrorCode::bad_model_content,
          "array \"coefficients\" has values that are not finite");
}

void KernelExpansion::load_features(State& state, Index n, Index dim) {
  require(given_ == Given::table, ErrorCode::bad_model_content,
          "features: the model was fitted on a matrix of pairs, which has none");
  weights_ = state.array("feature_weights").as_points();
  features_ = mercer::load_features(state, kernel_, dim);
  require(weights_.cols() == functions() && weights_.rows() == features_->width() &&
              weights_.allFinite(),
          ErrorCode::bad_model_content,
          "array \"feature_weights\" is not one finite number for each feature and component");
  if (features_->covers_all()) return;
  points_ = detail::load_points(state, dim);
  if (points_.n() != n)
    throw Error(ErrorCode::bad_model_content,
                fmt::format("array \"points\" has {} rows, n is {}", points_.n(), n));
  load_coefficients(state, n);
  place_points();
}

KernelExpansion KernelExpansion::load(State& state, Index n, Index dim, Index functions,
                                      bool all_rows) {
  const Given given = given_in(state);
  const bool table = given == Given::table;
  KernelExpansion loaded(table ? kernel_in(state) : kernel_of_pairs(state, given),
                         Fields(state.values).flag("centered"));
  loaded.given_ = given;
  loaded.bias_ = state.vector("bias", functions);
  // Models from before it was noted have none, nor those whose kernel has none.
  if (const Fields fields(state.values); fields.has("reach"))
    loaded.reach_ = fields.number("reach", 0);
  if (!state.values["features"].is_null()) {
    loaded.load_features(state, n, dim);
    return loaded;
  }
  if (!table && n != dim)
    Fields(state.values).refuse("n", "a model of a matrix has as many rows as columns");
  if (const Array* affine = state.find("affine")) {
    require(table, ErrorCode::bad_model_content, "array \"affine\" of a given matrix");
    // Models from before the second halves were kept have none.
    const Array* low = state.find("affine_low");
    const Block high = affine_table(*affine, "affine", dim, functions);
    loaded.affine_ =
        AffineFunctions(high, low != nullptr ? affine_table(*low, "affine_low", dim, functions)
                                             : Block::Zero(high.rows(), high.cols()));
  }
  loaded.all_rows_ = all_rows || !table;
  if (table) loaded.points_ = detail::load_points(state, dim);
  const Index kept = table ? loaded.points_.n() : n;
  if (table && (all_rows ? kept != n : kept > n))
    throw Error(ErrorCode::bad_model_content,
                fmt::format("array \"points\" has {} rows, n is {}", kept, n));
  loaded.load_coefficients(state, kept);
  if (table) loaded.place_points();
  return loaded;
}

}  // namespace mercer
