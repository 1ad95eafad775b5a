// Kernel PCA through features: what such a model keeps in place of its training rows, and how it
// scores new ones.
#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/models/detail/cross_products.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/operators/centered.h"

#include <fmt/format.h>

#include <vector>

namespace mercer {

// What new rows need: the features, or the few rows that stand for all.
void KernelPca::keep(Scorer scorer, DataView rows, const Dataset* owner, EigenResult& eigen) {
  const Vector roots = eigen.values.cwiseSqrt();
  bias_ = std::move(scorer.bias);
  if (scorer.features == nullptr) {
    Points chosen(static_cast<Index>(scorer.landmarks.size()), rows.dim());
    for (Index i = 0; i < chosen.rows(); ++i)
      rows.copy_row(scorer.landmarks[static_cast<std::size_t>(i)], chosen.row(i).data());
    points_ = Dataset(std::move(chosen));
    coefficients_ = std::move(scorer.weights);
  } else {
    features_ = std::move(scorer.features);
    weights_ = std::move(scorer.weights);
    if (!features_->covers_all()) {
      points_ = detail::stored_points(rows, owner);
      coefficients_ = eigen.vectors * roots.cwiseInverse().asDiagonal();
      if (centered_) remove_means(coefficients_);
    }
  }
  place_points();
  scores_ = std::move(eigen.vectors);
  for (Index j = 0; j < scores_.cols(); ++j) scores_.col(j) *= roots[j];
}

// The frame of the points that are kept. A few chosen ones have coefficients that do not add up to
// nothing: they need all of the kernel's value.
void KernelPca::place_points() {
  if (points_.n() == 0) return;
  frame_ = make_frame(kernel_, points_, centered_, {});
  if (features_ == nullptr && score_factor_.size() == 0) frame_.less_diagonal = false;
}

Block KernelPca::scores() const {
  if (score_factor_.size() > 0) return coefficients_ * score_factor_.asDiagonal();
  require(scores_.size() > 0, ErrorCode::bad_model_content,
          "the model does not keep its training rows: their scores are those of transform()");
  return scores_;
}

// Those that the model knows, a few rows at a time.
void KernelPca::training_score_blocks(DataView rows, const Context& context,
                                      const TakeRows& take) const {
  const bool from_coefficients = score_factor_.size() > 0;
  if (!from_coefficients && scores_.size() == 0) return transform_blocks(rows, context, take);
  const Block& known = from_coefficients ? coefficients_ : scores_;
  for (const Range part : tiles_of(known.rows(), 16 * kBlockRows)) {
    Block scores = known.middleRows(part.begin, part.size());
    if (from_coefficients) scores *= score_factor_.asDiagonal();
    take(scores);
  }
}

// One copy for each form that the kernel uses.
Index KernelPca::copied_numbers(DataView rows) const {
  if (rows.sparse() || given_ != Given::table || features_ != nullptr)
    return Model::copied_numbers(rows);
  const auto forms = [this](Form a, Form b) { return kernel_.uses(a) || kernel_.uses(b) ? 1 : 0; };
  return rows.dim() * (forms(Form::radial, Form::differences) + forms(Form::dot, Form::sums) +
                       forms(Form::angle, Form::angle));
}

// Features, and kernel sums for the rows that they do not reach.
Block KernelPca::project_by_features(DataView rows, const Context& context) const {
  Block y = features_->times(rows, weights_, context);
  y.rowwise() -= bias_.transpose();
  if (features_->covers_all()) return y;
  std::vector<Index> far;
  Vector row(rows.dim());
  for (Index i = 0; i < rows.n(); ++i) {
    rows.copy_row(i, row.data());
    if (!features_->covers(row.data())) far.push_back(i);
  }
  if (far.empty()) return y;
  Points outside(static_cast<Index>(far.size()), rows.dim());
  for (std::size_t i = 0; i < far.size(); ++i)
    rows.copy_row(far[i], outside.row(static_cast<Index>(i)).data());
  const DataView far_rows(outside);
  const Block sums = detail::CrossProducts({kernel_, frame_, points_, coefficients_}, &far_rows,
                                           Precision::double_, context)
                         .of(far_rows, context);
  for (std::size_t i = 0; i < far.size(); ++i)
    y.row(far[i]) = sums.row(static_cast<Index>(i)) - bias_.transpose();
  return y;
}

KernelPca KernelPca::from_features(State& state, KernelPca model) {
  const Index k = model.report.eigenvalues.size();
  require(model.given_ == Given::table, ErrorCode::bad_model_content,
          "features: the model was fitted on a matrix of pairs, which has none");
  model.weights_ = state.array("feature_weights").as_points();
  model.features_ = load_features(state, model.kernel_, model.report.dim);
  require(model.weights_.cols() == k && model.weights_.rows() == model.features_->width() &&
              model.weights_.allFinite(),
          ErrorCode::bad_model_content,
          "array \"feature_weights\" is not one finite number for each feature and component");
  if (model.features_->covers_all()) return model;
  model.points_ = detail::load_points(state, model.report.dim);
  if (model.points_.n() != model.report.n)
    throw Error(ErrorCode::bad_model_content, fmt::format("array \"points\" has {} rows, n is {}",
                                                          model.points_.n(), model.report.n));
  model.load_coefficients(state, model.report.n);
  model.place_points();
  return model;
}

}  // namespace mercer
