#include "mercer/models/kind/pca.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/data/summary.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/householder.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/models/detail/gram/fit.h"
#include "mercer/operators/linear_rows.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/signs.h"
#include "mercer/solvers/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

// Whitening divides by the deviation: directions below this share of the largest variance would be
// noise.
constexpr double kLeastVariance = 1e-10;
// Residuals above this are those of a search, not of rounding.
constexpr double kSearched = 1e-12;
// Of a product and of the sum that it joins.
constexpr double kRounding = 0x1p-52;
// Scores beyond this multiple of the training ones are called extrapolated.
constexpr double kFarOutside = 2;

GramProblem problem_of(DataView rows, const PcaOptions& options) {
  GramProblem problem{rows, Kernel("linear"), options.center, 0, options.tolerance.value()};
  problem.by_axes = true;
  detail::set_components(problem, options.components);
  return problem;
}

EigenRequest request_of(const PcaOptions& options, const Prepared& prepared) {
  return {.share = options.components.share(),
          .all = options.components.is_all(),
          .eigenvalues_only = options.tolerance.eigenvalues_only(),
          .certify = options.certify,
          .start = prepared.start,
          .search = {.seed = static_cast<std::uint64_t>(options.seed)}};
}

// X~ w for each column w.
Block times(const LinearRows& x, const Block& w, const Context& context) {
  Block product(x.rows.rows(), w.cols());
  const Eigen::Map<const Block> transposed(x.rows.data(), x.rows.cols(), x.rows.rows());
  const std::vector<Range> parts = tiles_of(product.rows(), kTileRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    gemm(Transpose::yes, Transpose::no, 1.0, transposed.middleCols(part.begin, part.size()), w, 0.0,
         product.middleRows(part.begin, part.size()));
  });
  return product;
}

// X~'u for each column u.
Block turned_times(const LinearRows& x, const Block& u, const Context& context) {
  const Eigen::Map<const Block> transposed(x.rows.data(), x.rows.cols(), x.rows.rows());
  Block product(x.rows.cols(), u.cols());
  const std::vector<Range> parts = tiles_of(product.rows(), kTileRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    gemm(Transpose::no, Transpose::no, 1.0, transposed.middleRows(part.begin, part.size()), u, 0.0,
         product.middleRows(part.begin, part.size()));
  });
  return product;
}

// Turns axes among themselves until their scores are orthogonal. What a search left of a larger
// component in an axis counts in the scores by the root of that component's eigenvalue. The
// eigenvalues are as much better; the residuals are those of other vectors, and measured anew.
void make_scores_orthogonal(const LinearRows& x, Block& axes, Precision precision,
                            Spectrum& spectrum, const Context& context) {
  Block scores = times(x, axes, context);
  Block gram = self_products(scores, context);
  std::vector<Index> descending(static_cast<std::size_t>(axes.cols()));
  std::iota(descending.rbegin(), descending.rend(), Index{0});
  const SymmetricReduction reduction(gram);
  const Block turn = reduction.vectors(descending);
  axes = (axes * turn).eval();
  scores = (scores * turn).eval();
  const Vector mu = reduction.values().reverse();
  const Block off = times(x, turned_times(x, scores, context), context) - scores * mu.asDiagonal();
  // Rounding of scores is as large as the rows, and counts by the root of the eigenvalue. What
  // float tiles did to the search is over.
  const double rounding = kRounding * std::sqrt(static_cast<double>(axes.rows()));
  const double entries = precision == Precision::double_
                             ? spectrum.certificate.operator_error
                             : kRounding * static_cast<double>(scores.rows() + axes.rows());
  spectrum.certificate.residuals =
      (off.colwise().norm().cwiseQuotient(scores.colwise().norm()) / mu[0]).transpose().array() +
      entries + rounding * (mu[0] / mu.array()).sqrt();
  spectrum.eigenvalues = mu / x.frame.scale / x.frame.scale;
}

// w = X~'u / sqrt(mu), made orthonormal again: where mu is small the quotient carries rounding.
Block dual_axes(const LinearRows& x, const Block& u, const Context& context) {
  const Block w = turned_times(x, u, context);
  Block axes = orthonormal_in_order(w);
  for (Index j = 0; j < axes.cols(); ++j)
    if (axes.col(j).dot(w.col(j)) < 0) axes.col(j) *= -1;
  return axes;
}

}  // namespace

Plan Pca::plan_for(const Prepared& prepared, const PcaOptions& options, const Context& context) {
  GramProblem problem = problem_of(prepared.rows, options);
  Plan plan =
      make_plan(problem, context.planning(prepared.rows.bytes()), request_of(options, prepared));
  plan.problem = std::make_shared<const GramProblem>(std::move(problem));
  return plan;
}

Pca Pca::train(const Prepared& prepared, const PcaOptions& options, const Plan& plan,
               const Context& context) {
  const DataView rows = prepared.rows;
  detail::GramFit fit =
      detail::fit_gram(plan, options.components, request_of(options, prepared), context);
  const Context rest = untimed(context);  // there is an answer now

  Pca model;
  model.whiten_ = options.whiten;
  const LinearRows x(*plan.problem, rest);
  model.mean_ =
      options.center ? Vector(x.frame.centre / x.frame.scale) : Vector(Vector::Zero(rows.dim()));
  const bool dual = fit.primal.size() == 0;
  model.axes_ = dual ? dual_axes(x, fit.eigen.vectors, rest) : std::move(fit.primal);
  Spectrum& spectrum = fit.spectrum();
  if (dual && spectrum.certificate.residuals.maxCoeff() > kSearched) {
    make_scores_orthogonal(x, model.axes_, fit.report.plan.precision, spectrum, rest);
    spectrum.clusters =
        runs_of_equals(spectrum.eigenvalues, detail::kSameValue * spectrum.eigenvalues[0]);
  }
  fix_signs(model.axes_);
  model.report = std::move(fit.report);
  if (model.whiten_ != Whitening::none) model.drop_noise();
  Spectrum& kept = *model.report.spectrum;
  kept.share_out(std::max(kept.trace, kept.eigenvalues.sum()));
  model.largest_scores_ = Vector::Zero(model.score_columns());
  for (const Range part : tiles_of(rows.n(), 16 * kBlockRows))
    model.largest_scores_ = model.largest_scores_.cwiseMax(
        model.project(rows.rows(part), rest).cwiseAbs().colwise().maxCoeff().transpose());
  return model;
}

// Whitening divides by the deviation: what has none to speak of is left out.
void Pca::drop_noise() {
  Spectrum& spectrum = *report.spectrum;
  const Index kept =
      (spectrum.eigenvalues.array() > kLeastVariance * spectrum.eigenvalues[0]).count();
  axes_.conservativeResize(Eigen::NoChange, kept);
  spectrum.eigenvalues.conservativeResize(kept);
  spectrum.certificate.residuals.conservativeResize(kept);
  spectrum.certificate.eigenvalue_upper.conservativeResize(kept);
}

Vector Pca::deviations() const {
  return (report.spectrum->eigenvalues / static_cast<double>(report.n)).cwiseSqrt();
}

namespace {

// Few enough rows of many columns that a thread's copy of them stays small; divides kBlockRows.
Index tile_rows(Index dim) {
  constexpr Index kNumbers = Index{1} << 20;
  Index rows = kBlockRows;
  while (rows > 8 && rows * dim > kNumbers) rows /= 2;
  return rows;
}

}  // namespace

Block Pca::project(DataView rows, const Context& context) const {
  Block map = axes_;
  if (whiten_ != Whitening::none) map = axes_ * deviations().cwiseInverse().asDiagonal();
  const bool zca = whiten_ == Whitening::zca;
  Block scores(rows.n(), score_columns());
  const std::vector<Range> parts = tiles_of(rows.n(), tile_rows(rows.dim()));
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    Block transposed(rows.dim(), part.size());
    for (Index i = 0; i < part.size(); ++i) rows.copy_row(part.begin + i, transposed.col(i).data());
    transposed.colwise() -= mean_;
    const auto out = scores.middleRows(part.begin, part.size());
    if (!zca) return gemm(Transpose::yes, Transpose::no, 1.0, transposed, map, 0.0, out);
    // One map there and back would have as many numbers as columns squared.
    Block along(part.size(), map.cols());
    gemm(Transpose::yes, Transpose::no, 1.0, transposed, map, 0.0, along);
    gemm(Transpose::no, Transpose::yes, 1.0, along, axes_, 0.0, out);
  });
  return scores;
}

Points Pca::lift_back(ConstBlockRef scores, const Context& context) const {
  Block map = axes_;
  if (whiten_ != Whitening::none) map = axes_ * deviations().asDiagonal();
  Points rows(scores.rows(), axes_.rows());
  const std::vector<Range> parts = tiles_of(scores.rows(), tile_rows(axes_.rows()));
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    const auto here = scores.middleRows(part.begin, part.size());
    Block along = here;
    if (whiten_ == Whitening::zca) {
      along.resize(part.size(), axes_.cols());
      gemm(Transpose::no, Transpose::no, 1.0, here, axes_, 0.0, along);
    }
    Block lifted(axes_.rows(), part.size());
    gemm(Transpose::no, Transpose::yes, 1.0, map, along, 0.0, lifted);
    lifted.colwise() += mean_;
    rows.middleRows(part.begin, part.size()) = lifted.transpose();
  });
  return rows;
}

Points Pca::reconstruct(DataView rows, const Context& context) const {
  return inverse(transform(rows, context), context);
}

std::vector<Index> Pca::extrapolated(ConstBlockRef scores) const {
  std::vector<Index> far;
  for (Index i = 0; i < scores.rows(); ++i)
    if ((scores.row(i).transpose().cwiseAbs().array() > kFarOutside * largest_scores_.array())
            .any())
      far.push_back(i);
  return far;
}

void Pca::save(State& state) const {
  state.values["whiten"] = Choice<Whitening>(whiten_).word();
  state.add("axes", axes_);
  state.add("mean", mean_);
  state.add("largest_scores", largest_scores_);
}

namespace {

Whitening whitening_in(const Fields& fields) {
  const std::string& word = fields.text("whiten");
  for (std::size_t i = 0; i < kWhiteningWords.size(); ++i)
    if (kWhiteningWords[i] == word) return static_cast<Whitening>(i);
  fields.refuse("whiten", fmt::format("\"{}\" is not known", printable(word)));
}

}  // namespace

Pca Pca::from(State state) {
  Pca model;
  model.load_common(state);
  const Fields fields(state.values);
  model.whiten_ = whitening_in(fields);
  const Index dim = model.report.dim, k = model.loaded_spectrum(state).eigenvalues.size();
  if (model.whiten_ != Whitening::none && !model.deviations().cwiseInverse().allFinite())
    fields.refuse("eigenvalues", "whitening divides by an eigenvalue that is not positive");
  model.axes_ = state.array("axes").as_points();
  model.mean_ = state.array("mean").as_vector();
  model.largest_scores_ = state.array("largest_scores").as_vector();
  require(model.axes_.rows() == dim && model.axes_.cols() == k && model.axes_.allFinite(),
          ErrorCode::bad_model_content,
          "array \"axes\" is not one finite number for each column and component");
  require(model.mean_.size() == dim && model.mean_.allFinite(), ErrorCode::bad_model_content,
          "array \"mean\" is not one finite number for each column");
  require(
      model.largest_scores_.size() == model.score_columns() && model.largest_scores_.allFinite(),
      ErrorCode::bad_model_content,
      "array \"largest_scores\" is not one finite number for each column of scores");
  return model;
}

const ModelKind& pca_kind() {
  static const ModelKind kind = kind_of<Pca>();
  return kind;
}

}  // namespace mercer
