// Kernel PCA as a saved state: what is kept of a model, and how it comes back. Every value is
// compared with the others, since the state may come from anybody's file.
#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/models/kind/kernel_pca.h"

#include <fmt/format.h>

namespace mercer {

void KernelPca::save(State& state) const {
  state.values["centered"] = centered_;
  state.values["as"] = word_of(given_);
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
  state.add("bias", bias_);
  if (score_factor_.size() > 0) state.add("score_factor", score_factor_);
  if (signature_.size() > 0) state.add("signature", signature_);
}

namespace {

// Models from before there were given matrices say nothing of it.
Given given_in(const State& state) {
  if (state.values["as"].is_null()) return Given::table;
  const Fields fields(state.values);
  for (const Given given : {Given::table, Given::kernel, Given::distance, Given::squared_distance})
    if (fields.text("as") == word_of(given)) return given;
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

// Finite numbers, so many of them.
void check_vector(const Vector& values, Index size, const char* name) {
  if (values.size() == size && values.allFinite()) return;
  throw Error(ErrorCode::bad_model_content,
              fmt::format("array \"{}\" is not {} finite numbers", name, size));
}

}  // namespace

// What all kinds of this model have.
KernelPca KernelPca::begun(const State& state) {
  const Given given = given_in(state);
  KernelPca model(given == Given::table ? kernel_in(state) : Kernel("linear"));
  model.load_common(state);
  model.given_ = given;
  model.centered_ = Fields(state.values).flag("centered");
  const Index k = model.report.eigenvalues.size();
  model.bias_ = state.array("bias").as_vector();
  check_vector(model.bias_, k, "bias");
  if (const Array* signature = state.find("signature")) {
    model.signature_ = signature->as_vector();
    check_vector(model.signature_, k, "signature");
  }
  return model;
}

void KernelPca::load_coefficients(const State& state, Index rows) {
  const Array& stored = state.array("coefficients");
  const Index k = report.eigenvalues.size();
  if (stored.shape != std::vector<Index>{rows, k})
    throw Error(ErrorCode::bad_model_content,
                fmt::format("array \"coefficients\" is not {} x {}", rows, k));
  coefficients_ = stored.as_points();
  require(coefficients_.allFinite(), ErrorCode::bad_model_content,
          "array \"coefficients\" has values that are not finite");
}

KernelPca KernelPca::from(State state) {
  KernelPca model = begun(state);
  if (!state.values["features"].is_null()) return from_features(state, std::move(model));
  const bool table = model.given_ == Given::table;
  const FitReport& report = model.report;
  const Index k = report.eigenvalues.size();
  if (!table && report.n != report.dim)
    Fields(state.values).refuse("n", "a model of a matrix has as many rows as columns");
  // Models of a few chosen rows have none: their coefficients are not those of the training rows.
  const Array* factor = state.find("score_factor");
  if (factor != nullptr) model.score_factor_ = factor->as_vector();
  const bool chosen = table && factor == nullptr;
  if (!chosen) check_vector(model.score_factor_, k, "score_factor");
  if (const Array* affine = state.find("affine")) {
    require(table, ErrorCode::bad_model_content, "array \"affine\" of a given matrix");
    // Models from before the second halves were kept have none.
    const Array* low = state.find("affine_low");
    const Block high = affine_table(*affine, "affine", report.dim, k);
    model.affine_ =
        AffineFunctions(high, low != nullptr ? affine_table(*low, "affine_low", report.dim, k)
                                             : Block::Zero(high.rows(), high.cols()));
  }
  if (table) model.points_ = detail::load_points(state, report.dim);
  const Index kept = table ? model.points_.n() : report.n;
  if (table && (chosen ? kept > report.n : kept != report.n))
    throw Error(ErrorCode::bad_model_content,
                fmt::format("array \"points\" has {} rows, n is {}", kept, report.n));
  model.load_coefficients(state, kept);
  if (table) model.place_points();
  return model;
}

}  // namespace mercer
