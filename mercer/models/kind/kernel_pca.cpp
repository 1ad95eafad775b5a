#include "mercer/models/kind/kernel_pca.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/untimed.h"
#include "mercer/data/summary.h"
#include "mercer/models/detail/gram/fit.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/mean_projection.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/operators/affine.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/given_kernel.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

// Where the whole spectrum is not known, the lowest Ritz value may show that it has a negative
// part, but not how large a share; nor does one above 0 show that there is none.
void note_lowest(detail::GramFit& fit) {
  fit.spectrum().negative_share = kNotKnown;
  const double lowest = fit.eigen.spectrum.lowest_value, largest = detail::largest_of(fit.eigen);
  const double noise = std::max(fit.rank_tolerance, fit.spectrum().certificate.operator_error);
  if (!(lowest < -noise * largest)) return;
  fit.report.warnings.push_back(
      {WarningCode::negative_eigenvalues,
       fmt::format("eigenvalues down to {:.4g} or less are negative (largest {:.4g}); their share "
                   "is not known, since not all were computed",
                   lowest, fit.eigen.values[0])});
}

void note_negative(Indefinite policy, const Vector& all, Given given, Report& report) {
  const double share = report.spectrum->negative_share;
  if (!(share > 0)) return;
  const double lowest = all[all.size() - 1];
  if (policy == Indefinite::error && share > 1e-8)
    throw Error(
        ErrorCode::indefinite_kernel,
        fmt::format(
            "{:.2g} % of the spectrum is negative (smallest eigenvalue {:.4g}, largest {:.4g})",
            100 * share, lowest, all[0]),
        "choose another kernel, or a policy: clip, flip, shift or krein");
  report.warnings.push_back(
      {holds_distances(given) ? WarningCode::not_euclidean : WarningCode::negative_eigenvalues,
       fmt::format("{:.2g} % of the spectrum is negative (smallest eigenvalue {:.4g})", 100 * share,
                   lowest)});
}

// Negative eigenvalues by the policy: adjusts values, gives the sign of each component, reports.
// Where the kernel can have none there is nothing to do but for rounding.
Vector apply_policy(Indefinite policy, const GramProblem& problem, const Components& components,
                    detail::GramFit& fit) {
  Spectrum& spectrum = fit.spectrum();
  const Vector& all = fit.eigen.spectrum.all_values;
  const bool known = fit.positive || all.size() > 0;
  if (!known)
    note_lowest(fit);
  else if (!fit.positive)
    spectrum.negative_share = negative_share(all, fit.rank_tolerance);
  // Negative ones that rounding may have made show nothing.
  if (spectrum.negative_share > 0 &&
      !(-all.minCoeff() > spectrum.certificate.operator_error * all.cwiseAbs().maxCoeff()))
    spectrum.negative_share = kNotKnown;
  note_negative(policy, all, problem.given, fit.report);
  check_share(fit.eigen, components.share());

  // What centring removes keeps its eigenvalue 0.
  const Index removed = problem.affine ? fit.affine.q.cols() : problem.center ? 1 : 0;
  const Shares shares = shares_of(all, spectrum.trace,
                                  {.rank_tolerance = fit.rank_tolerance,
                                   .positive = fit.positive,
                                   .raised = policy == Indefinite::shift,
                                   .fixed = removed});
  const Vector signs = fit.eigen.values.array().sign();
  if (shares.shift > 0) {
    fit.eigen.values.array() += shares.shift;
    spectrum.certificate.eigenvalue_upper.array() += shares.shift;
    spectrum.trace = shares.total;
  }
  if (policy == Indefinite::flip || policy == Indefinite::krein)
    fit.eigen.values = fit.eigen.values.cwiseAbs();
  spectrum.eigenvalues = fit.eigen.values;
  const double total = fit.positive ? std::max(shares.total, fit.eigen.values.sum()) : shares.total;
  spectrum.share_out(known ? total : kNotKnown);
  return signs;
}

// Conditionally positive definite kernels have no meaning uncentred.
void check_centring(const GramProblem& problem) {
  if (problem.center) return;
  const bool known =
      problem.given == Given::table || is_of_distances(problem.given, problem.kernel);
  const bool distances = holds_distances(problem.given) && !known;
  const Definite definite = known ? problem.kernel.definite() : Definite::always;
  if (!distances && definite != Definite::centred && definite != Definite::affine) return;
  throw Error(ErrorCode::needs_centring,
              distances ? "distances become a kernel by centring"
                        : fmt::format("{} is positive semidefinite after centring only",
                                      problem.kernel.formula()),
              "drop --no-center");
}

GramProblem problem_of(const Prepared& prepared, const Kernel& kernel,
                       const KernelPcaOptions& options, const Context& context) {
  const DataView rows = prepared.rows;
  GramProblem problem{rows, kernel, options.center, 0, options.tolerance.value()};
  problem.given = options.as;
  problem.facts.found_width = problem.given == Given::table && !options.kernel.resolved();
  problem.facts.shared = prepared.owner != nullptr;
  if (problem.given == Given::table && !prepared.sizes_only)
    problem.affine =
        options.nullspace == Nullspace::affine && kernel.definite() == Definite::affine;
  check_centring(problem);
  if (problem.affine)
    problem.facts.affine_basis =
        std::make_shared<const AffineBasis>(rows, power_of_two_scale(rows, context), context);
  if (problem.given == Given::table && !prepared.sizes_only)
    problem.facts.integer_tiles = has_integer_tiles(kernel, options.center, rows, context);
  problem.both_ends = order_of(options.indefinite) == Order::magnitude;
  detail::set_components(problem, options.components);
  return problem;
}

EigenRequest request_of(const KernelPcaOptions& options, const Prepared& prepared) {
  const Indefinite policy = options.indefinite;
  return {.share = options.components.share(),
          .all = options.components.is_all(),
          .raised = policy == Indefinite::shift,
          .order = order_of(policy),
          .eigenvalues_only = options.tolerance.eigenvalues_only(),
          .certify = options.certify,
          .whole_spectrum = policy == Indefinite::shift || policy == Indefinite::error,
          .start = prepared.start,
          .search = {.seed = static_cast<std::uint64_t>(options.seed)}};
}

void warn_of_zero_rows(DataView rows, Warnings& warnings) {
  Index zeros = 0, first = 0;
  Vector row(rows.dim());
  for (Index i = 0; i < rows.n(); ++i) {
    if (rows.sparse() && rows.sparse_row(i).count > 0) continue;  // zeros are not stored
    rows.copy_row(i, row.data());
    if (!row.isZero(0)) continue;
    if (zeros++ == 0) first = i;
  }
  if (zeros > 0)
    warnings.push_back(
        {WarningCode::zero_rows,
         fmt::format("{} row{} zero and no direction (the first is row {}): {} kernel is 0", zeros,
                     zeros == 1 ? " is" : "s are", first + 1, zeros == 1 ? "its" : "their")});
}

// What a thin plate does beyond the plane of its rows, nobody can know.
void warn_of_dependent_columns(const GramProblem& problem, Warnings& warnings) {
  const std::vector<Index>& columns = problem.facts.affine_basis->dependent;
  // More columns than rows is another matter, and answered with an error.
  if (columns.empty() || problem.facts.affine_basis->q.cols() == problem.points.n()) return;
  constexpr std::size_t kNamed = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, columns.size()); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", columns[i] + 1);
  const bool one = columns.size() == 1;
  warnings.push_back(
      {WarningCode::dependent_columns,
       fmt::format("{} of {} columns ({}{}) {} affine function{} of the others, to rounding",
                   columns.size(), problem.points.dim(), names,
                   columns.size() > kNamed ? ", ..." : "", one ? "is an" : "are", one ? "" : "s")});
}

}  // namespace

void KernelPcaOptions::check(const Value& given) const {
  check_tolerance(tolerance);
  components.refuse_automatic("kernel_pca");
  // Defaults may stand in what is given: a model's record of its options is read again.
  const Value defaults = record_of(KernelPcaOptions());
  for (const char* of_way_back : {"alpha", "preimage-kernel"})
    if (!way_back.wanted && !given[of_way_back].is_null() &&
        given[of_way_back] != defaults[of_way_back])
      throw Error(
          ErrorCode::bad_option_value,
          fmt::format("--{} is of the way back from scores, which is not asked for", of_way_back),
          "add --preimage");
  if (way_back.wanted)
    ScoreInverse::check_kernel(way_back.kernel.empty() ? kernel : Kernel(way_back.kernel));
  if (way_back.wanted && as != Given::table)
    throw Error(ErrorCode::bad_option_value,
                "a kernel or distance matrix has no rows that a way back could lead to",
                "drop --preimage");
  if (as == Given::table) return;
  if (scale != Scaling::none)
    throw Error(ErrorCode::bad_option_value, "a kernel or distance matrix has no columns to scale",
                "drop --scale");
  if (!of_distances && !given["kernel"].is_null())
    throw Error(ErrorCode::bad_option_value, "a kernel matrix comes with its kernel already",
                "drop --kernel, or drop --as");
  if (!of_distances) return;
  if (!takes_distances(kernel))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("{} takes more of two rows than their distance", kernel.spec()),
                "use a kernel of distances, such as gaussian or exponential");
  if (kernel.definite() == Definite::affine && nullspace == Nullspace::affine)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("affine functions of samples are not known by their distances: {} "
                            "cannot be freed of them",
                            kernel.spec()),
                "add --nullspace constant, or use another kernel");
}

// All that must be known of the rows is found here; the plan carries it to the fit.
Plan KernelPca::plan_for(const Prepared& prepared, const KernelPcaOptions& options,
                         const Context& context) {
  const DataView rows = prepared.rows;
  const bool table = options.as == Given::table;
  Warnings warnings;
  if (options.way_back.wanted) ScoreInverse::check_room(rows, context);
  const auto price = [&](const GramProblem& problem) {
    return make_plan(problem, context.planning(rows.bytes()), request_of(options, prepared));
  };
  const Kernel unknown("linear");  // stands for the kernel that nobody knows
  if (prepared.sizes_only)
    return price(problem_of(prepared, table || options.of_distances ? options.kernel : unknown,
                            options, context));
  if (!table) warnings = check_given(rows, options.as);
  const Kernel kernel =
      table ? options.kernel.resolve(rows, context, &warnings)  // median: a number
      : options.of_distances
          ? resolve_of_distances(options.kernel, rows, options.as, context, &warnings)
          : unknown;
  GramProblem problem = problem_of(prepared, kernel, options, context);
  if (table) {
    Frame frame = make_frame(kernel, rows, options.center, context);
    frame.less_squares = problem.affine;
    problem.facts.frame = std::make_shared<const Frame>(std::move(frame));
  }
  problem.facts.geometry = geometry_of(problem, context);
  if (table && kernel.uses(Form::angle)) warn_of_zero_rows(rows, warnings);
  if (problem.affine) warn_of_dependent_columns(problem, warnings);
  Plan plan = price(problem);
  plan.problem = std::make_shared<const GramProblem>(std::move(problem));
  plan.warnings = std::move(warnings);
  return plan;
}

KernelPca KernelPca::train(const Prepared& prepared, const KernelPcaOptions& options,
                           const Plan& plan, const Context& context) {
  KernelPca model = solved(prepared, options, plan, context);
  if (options.way_back.wanted)
    model.learn_inverse(
        prepared.rows,
        options.way_back.kernel.empty() ? options.kernel : Kernel(options.way_back.kernel),
        options.way_back.alpha, untimed(context));
  return model;
}

void KernelPca::learn_inverse(DataView rows, const Kernel& kernel, double alpha,
                              const Context& context) {
  if (needs_cross_matrix())
    throw Error(ErrorCode::bad_option_value, "the model is of a matrix of pairs, not of rows");
  ScoreInverse::check_kernel(kernel);
  way_back_ = ScoreInverse::learn(training_scores(rows, context), rows, kernel, alpha, context);
  options["preimage"] = true;
  options["alpha"] = alpha;
  options["preimage-kernel"] = kernel.spec();
}

KernelPca KernelPca::solved(const Prepared& prepared, const KernelPcaOptions& options,
                            const Plan& plan, const Context& context) {
  const DataView rows = prepared.rows;
  const GramProblem& problem = *plan.problem;
  const Kernel& kernel = problem.kernel;
  detail::GramFit fit =
      detail::fit_gram(plan, options.components, request_of(options, prepared), context);
  const Context rest = untimed(context);  // there is an answer now
  const Vector signs = apply_policy(options.indefinite, problem, options.components, fit);

  KernelPca model{KernelExpansion(kernel, options.center)};
  KernelExpansion& sums = model.expansion_;
  model.report = std::move(fit.report);
  model.report.warnings.insert(model.report.warnings.begin(), plan.warnings.begin(),
                               plan.warnings.end());
  sums.set_precision(model.report.plan.precision);
  if (options.indefinite == Indefinite::krein) model.signature_ = signs;
  const Vector roots = fit.eigen.values.cwiseSqrt();
  if (fit.scorer) {
    Block coefficients = fit.eigen.vectors * roots.cwiseInverse().asDiagonal();
    if (options.center) remove_means(coefficients);
    sums.over_features(std::move(*fit.scorer), rows, prepared.owner.get(), std::move(coefficients));
    model.scores_ = fit.eigen.vectors * roots.asDiagonal();
    sums.find_reach(rest);
    return model;
  }
  // a = sign u / sqrt|mu|: then K~ a = sqrt|mu| u, the training scores, whatever the sign of mu.
  Block coefficients = fit.eigen.vectors * signs.cwiseQuotient(roots).asDiagonal();
  if (problem.affine)
    remove_span(fit.affine.q, coefficients);
  else if (options.center)
    remove_means(coefficients);  // 1'A = 0 to the last digit: new rows rely on it
  model.score_factor_ = fit.eigen.values.cwiseProduct(signs);
  Vector bias = Vector::Zero(coefficients.cols());
  // Linear operators centre their rows to the last digit, which the frame of new rows does not:
  // there the bias is measured, or data far from the origin would be off by the rounding of their
  // mean.
  const bool table = problem.given == Given::table;
  const bool rows_are_centred = kernel.only<Linear>() != nullptr && table;
  if (options.center && !problem.affine)
    bias =
        fit.means.size() > 0 && !rows_are_centred
            ? Vector(coefficients.transpose() * fit.means)
            : detail::mean_projection(rows, table ? *problem.facts.frame : Frame(), coefficients);
  if (!table) {
    sums.over_pairs(problem.given, std::move(coefficients), std::move(bias));
    return model;
  }
  sums.over_rows(detail::stored_points(rows, prepared.owner.get()), *problem.facts.frame,
                 std::move(coefficients), std::move(bias));
  if (problem.affine) sums.remove_affine(fit.affine, fit.affine_image, rows);
  sums.find_reach(rest);
  return model;
}

std::vector<Index> KernelPca::doubtful_rows(DataView rows, ConstBlockRef scores) const {
  const auto n = static_cast<double>(report.n);
  return expansion_.far_rows(rows, scores,
                             (report.spectrum->eigenvalues.cwiseAbs() / n).cwiseSqrt());
}

Block KernelPca::scores() const {
  if (score_factor_.size() > 0) return coefficients() * score_factor_.asDiagonal();
  require(scores_.size() > 0, ErrorCode::bad_model_content,
          "the model does not keep its training rows: their scores are those of transform()");
  return scores_;
}

// A fit through features has them already.
Block KernelPca::fitted_scores(DataView seen, const Context& context) const {
  return scores_.size() > 0 ? scores_ : Transforms::fitted_scores(seen, context);
}

// A few rows stand for all in some fits.
const Dataset* KernelPca::stored_rows() const {
  return expansion_.points().n() == report.n ? &expansion_.points() : nullptr;
}

// Those that the model knows, a few rows at a time.
void KernelPca::training_score_blocks(DataView rows, const Context& context,
                                      const TakeRows& take) const {
  const bool from_coefficients = score_factor_.size() > 0;
  if (!from_coefficients && scores_.size() == 0) return transform_blocks(rows, context, take);
  const Block& known = from_coefficients ? coefficients() : scores_;
  for (const Range part : tiles_of(known.rows(), 16 * kBlockRows)) {
    Block scores = known.middleRows(part.begin, part.size());
    if (from_coefficients) scores *= score_factor_.asDiagonal();
    take(scores);
  }
}

void KernelPca::save(State& state) const {
  expansion_.save(state);
  if (score_factor_.size() > 0) state.add("score_factor", score_factor_);
  if (signature_.size() > 0) state.add("signature", signature_);
  if (way_back_) way_back_->save(state);
}

KernelPca KernelPca::from(State state) {
  KernelPca model{KernelExpansion("linear", true)};
  model.load_common(state);
  const Index k = model.loaded_spectrum(state).eigenvalues.size();
  model.way_back_ = ScoreInverse::load(state, model.report.n, model.report.dim, k);
  // Sums over a few chosen rows have no factor: their coefficients are not those of the training
  // rows.
  const bool all_rows = state.find("score_factor") != nullptr;
  model.expansion_ = KernelExpansion::load(state, model.report.n, model.report.dim, k, all_rows);
  model.expansion_.set_precision(model.report.plan.precision);
  const bool pairs = model.needs_cross_matrix();
  if (!model.expansion_.has_features() && (all_rows || pairs))
    model.score_factor_ = state.vector("score_factor", k);
  if (state.find("signature") != nullptr) model.signature_ = state.vector("signature", k);
  return model;
}

const ModelKind& kernel_pca_kind() {
  static const ModelKind kind = kind_of<KernelPca>();
  return kind;
}

}  // namespace mercer
