#include "mercer/models/kind/pca.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/data/column_scales.h"
#include "mercer/data/row_moments.h"
#include "mercer/data/row_source.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/householder.h"
#include "mercer/models/detail/axes_count.h"
#include "mercer/models/detail/gram/fit.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/principal_axes.h"
#include "mercer/models/detail/restated.h"
#include "mercer/operators/axes_rows.h"
#include "mercer/operators/linear_rows.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/signs.h"
#include "mercer/solvers/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

// Whitening divides by the deviation: directions below this share of the largest variance would be
// noise.
constexpr double kLeastVariance = 1e-10;
// Residuals above this are those of a search, not of rounding.
constexpr double kSearched = 1e-12;
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

// Of rows in chunks nobody has looked at before: what prepare() does for a table in memory.
Warnings look_at(const RowMoments& moments, Scalar type, const PcaOptions& options,
                 const std::vector<std::string>& names) {
  const Overview overview = moments.overview();
  if (overview.all_rows_equal && options.center)
    throw Error(ErrorCode::all_rows_equal,
                fmt::format("all {} rows are identical: nothing to find", moments.n),
                "check that the right columns were read");
  Warnings warnings = warnings_about(overview, type);
  if (options.scale != Scaling::none || type == Scalar::u8) return warnings;
  ColumnScales scales;
  const Vector deviations = moments.deviations();
  for (Index j = 0; j < deviations.size(); ++j)
    scales.take(j, moments.minimum[j], moments.maximum[j], deviations[j]);
  const Warnings of_scales = scales.warnings(names);
  warnings.insert(warnings.end(), of_scales.begin(), of_scales.end());
  return warnings;
}

Scaler scaler_of(const RowMoments& moments, Choice<Scaling> scale) {
  return {scale, moments.minimum, moments.maximum, (moments.mean + moments.rest) / moments.scale,
          moments.deviations()};
}

}  // namespace

void PcaOptions::check(const Value&) const {
  check_tolerance(tolerance);
  detail::check_axes_rule(*this);
}

Plan Pca::plan_for(const Prepared& prepared, const PcaOptions& asked, const Context& context) {
  const PcaOptions options = detail::with_axes_counted(prepared, asked, context);
  GramProblem problem = problem_of(prepared.rows, options);
  problem.source = prepared.source;
  const std::uint64_t held = prepared.source != nullptr ? 0 : prepared.rows.bytes();
  Plan plan = make_plan(problem, context.planning(held), request_of(options, prepared));
  plan.problem = std::make_shared<const GramProblem>(std::move(problem));
  return plan;
}

Pca Pca::train(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
               const Context& context) {
  Pca model;
  PcaOptions options = asked;
  if (asked.components.is_automatic()) options.components = plan.problem->components;
  model.learn(prepared, options, plan, context);
  model.report.chosen = detail::axes_chosen(asked.components, model.axes_.cols());
  return model;
}

Pca Pca::axes_for(const Prepared& prepared, const PcaOptions& options, const Plan& plan,
                  const Context& context) {
  Pca model;
  model.looks_at_scores_ = false;
  model.learn(prepared, options, plan, context);
  return model;
}

void Pca::learn(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
                const Context& context) {
  whiten_ = asked.whiten;
  if (operator_recipe(plan.operator_name).streams != Streams::no)
    fit_axes(prepared, asked, plan, context);
  else
    fit_dual(prepared, asked, plan, context);
}

// By the covariance, stored or multiplied with: rows are walked over, from wherever they come.
void Pca::fit_axes(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
                   const Context& context) {
  const ViewSource view(prepared.rows);
  const bool chunks = prepared.source != nullptr;
  const RowSource& rows = chunks ? *prepared.source : view;
  const bool stored = operator_recipe(plan.operator_name).streams == Streams::once;
  auto moments = std::make_shared<RowMoments>(
      prepared.rows.sparse() && !stored
          ? sparse_moments(prepared.rows, context)
          : moments_of(rows, {.scatter = stored, .fingerprint = chunks}, context));
  Warnings warnings;
  if (chunks) {
    input.fingerprint = moments->fingerprint;
    warnings = look_at(*moments, rows.type(), asked, *input.column_names);
    scaler = scaler_of(*moments, asked.scale);
    if (scaler.active()) *moments = moments->of_scaled(scaler.shift(), scaler.factor());
  }
  const detail::ScaledRows scaled(rows, scaler);
  const RowSource& seen = chunks && scaler.active() ? scaled : rows;

  GramProblem problem = *plan.problem;
  problem.source = chunks ? &seen : nullptr;
  problem.facts.frame = std::make_shared<const Frame>(frame_by_axes(*moments, asked.center));
  problem.facts.moments = moments;
  Plan run = plan;
  run.problem = std::make_shared<const GramProblem>(std::move(problem));
  detail::GramFit fit =
      detail::fit_gram(run, asked.components, request_of(asked, prepared), context);
  mean_ = asked.center ? Vector((moments->mean + moments->rest) / moments->scale)
                       : Vector(Vector::Zero(rows.dim()));
  moments.reset();
  axes_ = std::move(fit.primal);
  take_answer(fit);
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());

  find_largest_scores(seen, untimed(context));  // there is an answer now
}

// By the Gram matrix of few rows.
void Pca::fit_dual(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
                   const Context& context) {
  const DataView rows = prepared.rows;
  if (rows.sparse()) return fit_sparse_dual(prepared, asked, plan, context);
  detail::GramFit fit =
      detail::fit_gram(plan, asked.components, request_of(asked, prepared), context);
  const Context rest = untimed(context);  // there is an answer now
  const LinearRows x(*plan.problem, rest);
  mean_ = asked.center ? Vector(x.frame.centre / x.frame.scale) : Vector(Vector::Zero(rows.dim()));
  axes_ = detail::dual_axes(x, fit.eigen.vectors, rest);
  Spectrum& spectrum = fit.spectrum();
  if (spectrum.certificate.residuals.maxCoeff() > kSearched) {
    Vector residuals;
    spectrum.eigenvalues = detail::make_scores_orthogonal(x, axes_, residuals, rest);
    detail::restate(fit, residuals);
  }
  take_answer(fit);
  find_largest_scores(ViewSource(rows), rest);
}

// The same of sparse rows, which stay so.
void Pca::fit_sparse_dual(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
                          const Context& context) {
  GramProblem problem = *plan.problem;
  problem.facts.moments =
      std::make_shared<const RowMoments>(sparse_moments(prepared.rows, context));
  Plan run = plan;
  run.problem = std::make_shared<const GramProblem>(problem);
  detail::GramFit fit =
      detail::fit_gram(run, asked.components, request_of(asked, prepared), context);
  const Context rest = untimed(context);  // there is an answer now
  const AxesRows x(problem);
  mean_ = asked.center ? Vector(problem.facts.moments->mean / problem.facts.moments->scale)
                       : Vector(Vector::Zero(prepared.rows.dim()));
  // Of rows far away rounding may leave more eigenvalues than there are columns.
  detail::keep_components(fit, std::min(fit.eigen.values.size(), prepared.rows.dim()));
  axes_ = orthonormal_in_order(x.restrict(fit.eigen.vectors, rest));
  Spectrum& spectrum = fit.spectrum();
  if (spectrum.certificate.residuals.maxCoeff() > kSearched) {
    Vector mu = detail::turn_axes(axes_.transpose() * x.image(axes_, rest), axes_);
    const Index kept = std::max<Index>(1, (mu.array() > 0).count());
    detail::keep_components(fit, kept);
    mu.conservativeResize(kept);
    axes_.conservativeResize(Eigen::NoChange, kept);
    // An axis w stands for the vector X~ w / sqrt(mu), which has at most sqrt(mu_1 / mu) of w's.
    const Vector off = (x.image(axes_, rest) - axes_ * mu.asDiagonal()).colwise().norm();
    spectrum.eigenvalues = mu * x.unit();
    detail::restate(fit, Vector(off.array() / mu[0] * (mu[0] / mu.array()).sqrt()) +
                             detail::residual_rounding(mu, axes_.rows()));
  }
  take_answer(fit);
  find_largest_scores(ViewSource(prepared.rows), rest);
}

void Pca::find_largest_scores(const RowSource& rows, const Context& context) {
  if (!looks_at_scores_) return;
  largest_scores_ = Vector::Zero(score_columns());
  const auto bytes = sizeof(double) * static_cast<std::uint64_t>(rows.n() * score_columns());
  const bool keeps = bytes <= kMostKept && bytes <= context.memory_left() / 4;
  Block all(keeps ? rows.n() : 0, score_columns());
  Index done = 0;
  rows.each_chunk([&](DataView chunk) {
    for (const Range part : tiles_of(chunk.n(), 16 * detail::tile_rows(chunk.dim()))) {
      context.report("scores", static_cast<double>(done) / static_cast<double>(rows.n()));
      const Block scores = project(chunk.rows(part), context);
      largest_scores_ =
          largest_scores_.cwiseMax(scores.cwiseAbs().colwise().maxCoeff().transpose());
      if (keeps) all.middleRows(done, part.size()) = scores;
      done += part.size();
    }
  });
  kept_scores = std::move(all);
}

void Pca::take_answer(detail::GramFit& fit) {
  fix_signs(axes_);
  report = std::move(fit.report);
  if (whiten_ != Whitening::none) drop_noise();
  add_figures(fit.eigen.spectrum.all_values);
  Spectrum& kept = *report.spectrum;
  kept.share_out(std::max(kept.trace, kept.eigenvalues.sum()));
}

// Eckart and Young: what the first K components leave of a row is, squared and on the average, the
// sum of the variances after them. Small sums are made of what they are the sums of, where that is
// known.
void Pca::add_figures(const Vector& all) {
  const Vector& mu = report.spectrum->eigenvalues;
  const Index k = mu.size();
  Vector error(k);
  double tail = 0;
  if (all.size() >= k) {
    for (Index j = all.size() - 1; j >= k; --j) tail += std::max(all[j], 0.0);
    for (Index j = k - 1; j >= 0; --j) {
      error[j] = tail;
      tail += mu[j];
    }
  } else {
    tail = report.spectrum->trace;
    for (Index j = 0; j < k; ++j) error[j] = tail = std::max(0.0, tail - mu[j]);
    tail = report.spectrum->trace;
  }
  const auto n = static_cast<double>(report.n);
  report.figures.push_back({"total_variance", Value(tail / n)});
  report.figures.push_back({"reconstruction_error", Value::of(Vector(error / n)), true});
}

std::string Pca::remark() const {
  if (scaler.kind() == "standard")
    return "columns of variance 1: these are the principal components of the correlations";
  return {};
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

Block Pca::project(DataView rows, const Context& context) const {
  Block map = axes_;
  if (whiten_ != Whitening::none) map = axes_ * deviations().cwiseInverse().asDiagonal();
  const bool zca = whiten_ == Whitening::zca;
  Block scores(rows.n(), score_columns());
  if (rows.sparse()) {
    scores = detail::sparse_products(rows, map, mean_, context);
    return zca ? Block(scores * axes_.transpose()) : scores;
  }
  const std::vector<Range> parts = tiles_of(rows.n(), detail::tile_rows(rows.dim()));
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
  const std::vector<Range> parts = tiles_of(scores.rows(), detail::tile_rows(axes_.rows()));
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
