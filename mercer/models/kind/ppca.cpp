#include "mercer/models/kind/ppca.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/data/observed.h"
#include "mercer/models/detail/isotropic_em.h"
#include "mercer/models/detail/nested_models.h"
#include "mercer/models/kind/pca.h"
#include "mercer/operators/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace mercer {
namespace {

// Noise below this share of the mean variance is what rounding left of none.
constexpr double kLeastNoise = 1e-13;

constexpr std::array kWholeRules = {ComponentRule::minka, ComponentRule::parallel,
                                    ComponentRule::broken_stick, ComponentRule::likelihood};
constexpr ComponentRule kGapRule = ComponentRule::likelihood;

// One direction must be left for the noise, beside the mean.
Index most_of(DataView rows) { return std::min(rows.n() - 2, rows.dim() - 1); }

[[noreturn]] void refuse_count(DataView rows, const std::string& asked) {
  const Index most = most_of(rows);
  throw Error(
      ErrorCode::too_many_components,
      fmt::format("{} component{} no noise: {} rows and {} column{} allow {}", asked,
                  asked == "1" ? " leaves" : "s leave", grouped(rows.n()), grouped(rows.dim()),
                  rows.dim() == 1 ? "" : "s", std::max<Index>(most, 0)),
      most < 1 ? "probabilistic PCA needs at least 2 columns and 3 rows"
               : fmt::format("ask for at most {}", most));
}

[[noreturn]] void refuse_no_noise(Index components) {
  throw Error(ErrorCode::too_many_components,
              fmt::format("{} components explain all there is of these rows: no noise is left, and "
                          "the likelihood has no bound",
                          components),
              "ask for fewer components, or use pca");
}

[[noreturn]] void refuse_eigenvalues(const Tolerance& tolerance) {
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--tolerance {}: EM has no eigenvalues to enclose; its tolerance is how "
                          "far it still moves",
                          tolerance.text()),
              "such as --tolerance 1e-6, or --algorithm closed where nothing is missing");
}

bool by_em(const Prepared& prepared, const PpcaOptions& options, const Context& context) {
  if (options.algorithm == PpcaAlgorithm::em) return true;
  if (prepared.sizes_only || !has_gaps(prepared.rows, context)) return false;
  if (options.algorithm == PpcaAlgorithm::automatic) return true;
  throw Error(ErrorCode::bad_option_value,
              "--algorithm closed: there is no closed form where values are missing",
              "use --algorithm em, or --missing drop, mean or median");
}

detail::IsotropicRequest em_request(const PpcaOptions& options, Index components) {
  return {.components = components,
          .tolerance = options.tolerance.value(),
          .iterations = options.iterations,
          .seed = static_cast<std::uint64_t>(options.seed)};
}

PcaOptions pca_options(const PpcaOptions& options, const Components& components) {
  return {.components = components,
          .tolerance = options.tolerance,
          .certify = options.certify,
          .seed = options.seed};
}

// One fit for each count and part, of rows with gaps.
LearnAndAsk em_models(const PpcaOptions& options, const Context& context) {
  return [&](DataView learnt, DataView left_out) -> LeftOutDensity {
    return [&options, &context, learnt, left_out](Index k) {
      const detail::IsotropicFit fit = detail::fit_isotropic(
          learnt, summarize_observed(learnt, context), em_request(options, k), context);
      return FactorGaussian{fit.loadings, fit.mean, Vector::Constant(learnt.dim(), fit.noise)}
          .log_density(left_out, context)
          .sum();
    };
  };
}

// Of rows with gaps there are no variances to go by.
ComponentRule rule_for(const Components& asked, bool gaps) {
  if (!gaps) return rule_of(asked, kWholeRules);
  const ComponentRule rule = asked.rule().empty() ? kGapRule : rule_of(asked, kWholeRules);
  if (rule == kGapRule) return rule;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("components = {}: the rule needs rows without missing values",
                          printable(asked.text())),
              "of the rules only auto:likelihood works with missing values; or fill them in: "
              "--missing drop, mean or median");
}

// The count that was asked for, or that a rule finds.
Index count_of(const Prepared& prepared, const PpcaOptions& options, bool em,
               const Context& context) {
  const DataView rows = prepared.rows;
  const Components& asked = options.components;
  const Index most = most_of(rows);
  if (most < 1) refuse_count(rows, asked.asked() ? asked.text() : "1");
  if (asked.is_all()) return most;
  if (!asked.is_automatic()) {
    if (asked.asked() && asked.count() > most) refuse_count(rows, asked.text());
    return std::min(asked.count(), most);
  }
  if (prepared.sizes_only) return most;
  const bool gaps = em && has_gaps(rows, context);
  return choose_components(
      rows,
      {.rule = rule_for(asked, gaps),
       .most = most,
       .seed = static_cast<std::uint64_t>(options.seed),
       .leaves_noise = true,
       .learn = gaps ? em_models(options, context)
                     : detail::nested_models(pca_options(options, options.components), context)},
      context);
}

}  // namespace

void PpcaOptions::check(const Value&) const {
  check_tolerance(tolerance);
  if (components.is_automatic()) static_cast<void>(rule_of(components, kWholeRules));
  if (algorithm == PpcaAlgorithm::em && tolerance.eigenvalues_only()) refuse_eigenvalues(tolerance);
  if (algorithm == PpcaAlgorithm::em && components.share() > 0)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("components = {}: a share of the variance is found by the eigenproblem, "
                    "not by EM",
                    components.text()),
        "give a count, or auto:likelihood; or drop --algorithm em");
}

Plan Ppca::plan_for(const Prepared& prepared, const PpcaOptions& options, const Context& context) {
  if (by_em(prepared, options, context)) return {};
  const bool share = options.components.share() > 0;
  const Components components =
      share ? options.components : Components(count_of(prepared, options, false, context));
  return Pca::plan_for(prepared, pca_options(options, components), context);
}

Ppca Ppca::train(const Prepared& prepared, const PpcaOptions& options, const Plan& plan,
                 const Context& context) {
  Ppca model;
  model.gaps_ = prepared.input.missing.policy == "model" || has_gaps(prepared.rows, context);
  if (plan.problem == nullptr)
    model.take_em(prepared, options, context);
  else
    model.take_closed(prepared, options, plan, context);
  if (options.components.is_automatic()) {
    const bool gaps = plan.problem == nullptr && has_gaps(prepared.rows, context);
    model.report.chosen = chosen_by(rule_for(options.components, gaps), model.gaussian_.factors());
  }
  return model;
}

void Ppca::take_closed(const Prepared& prepared, const PpcaOptions& asked, const Plan& plan,
                       const Context& context) {
  const bool share = asked.components.share() > 0;
  const Components components = share ? asked.components : Components(plan.problem->components);
  Pca pca = Pca::train(prepared, pca_options(asked, components), plan, context);
  report = std::move(pca.report);
  const Spectrum& spectrum = *report.spectrum;
  const DataView rows = prepared.rows;
  const Index k = spectrum.eigenvalues.size();
  if (k > most_of(rows)) refuse_count(rows, std::to_string(k));
  const auto n = static_cast<double>(rows.n()), dim = static_cast<double>(rows.dim()),
             left = static_cast<double>(rows.dim() - k);
  const double noise = (spectrum.trace - spectrum.eigenvalues.sum()) / n / left;
  if (!(noise > kLeastNoise * spectrum.trace / n / dim)) refuse_no_noise(k);
  const Vector variances = spectrum.eigenvalues / n;
  gaussian_ = detail::isotropic_gaussian(pca.axes(), variances, pca.mean(), noise);
  add_figures(-n / 2 *
                  (dim * (std::log(2 * std::numbers::pi) + 1) + variances.array().log().sum() +
                   left * std::log(noise)),
              n, n * dim);
}

namespace {

// Columns that the prior holds.
Warning held_warning(const std::vector<Index>& held, Index components) {
  std::vector<Index> shown;
  for (std::size_t i = 0; i < std::min<std::size_t>(held.size(), 4); ++i)
    shown.push_back(held[i] + 1);
  return {WarningCode::few_values,
          fmt::format("{} column{} fewer than {} values, too few for {} numbers: {}{}", held.size(),
                      held.size() == 1 ? " has" : "s have", 2 * (components + 1), components + 1,
                      fmt::join(shown, ", "), held.size() > 4 ? ", ..." : "")};
}

}  // namespace

void Ppca::take_em(const Prepared& prepared, const PpcaOptions& asked, const Context& context) {
  const DataView rows = prepared.rows;
  if (asked.tolerance.eigenvalues_only()) refuse_eigenvalues(asked.tolerance);
  if (prepared.start != nullptr)
    throw Error(ErrorCode::bad_option_value,
                "a start is for the eigenproblem; EM makes its own, and so it does here",
                "drop --start");
  if (asked.components.share() > 0)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("components = {}: with missing values there is no share of the variance "
                    "to go by",
                    asked.components.text()),
        "give a count, or auto:likelihood");
  const Observed known = summarize_observed(rows, context);
  if (known.summary.constant_columns == rows.dim())
    throw Error(ErrorCode::all_rows_equal,
                fmt::format("all {} rows are identical: nothing to find", grouped(rows.n())),
                "check that the right columns were read");
  const Index k = count_of(prepared, asked, true, context);
  const detail::IsotropicFit fit =
      detail::fit_isotropic(rows, known, em_request(asked, k), context);
  gaussian_ = {fit.loadings, fit.mean, Vector::Constant(rows.dim(), fit.noise)};
  report.converged = fit.converged;
  if (fit.out_of_time)
    report.warnings.push_back(
        {WarningCode::time_ran_out,
         fmt::format("EM was stopped after {} steps; its likelihood still grew", fit.iterations)});
  else if (!fit.converged)
    report.warnings.push_back(
        {WarningCode::tolerance_not_reached,
         fmt::format("EM ended after {} steps, at the limit of --iterations, and still moved",
                     fit.iterations)});
  if (!fit.held.empty()) report.warnings.push_back(held_warning(fit.held, k));
  add_figures(fit.log_likelihood, static_cast<double>(rows.n()), static_cast<double>(known.cells));
  report.figures.push_back({"iterations", fit.iterations});
}

void Ppca::add_figures(double log_likelihood, double rows, double cells) {
  const Vector variances =
      (gaussian_.loadings.colwise().squaredNorm().array() + noise_variance()).matrix().transpose();
  report.figures.push_back({"log_likelihood", log_likelihood});
  report.figures.push_back({"log_likelihood_per_row", log_likelihood / rows});
  report.figures.push_back({"noise_variance", noise_variance()});
  report.figures.push_back({"component_variances", Value::of(variances), true});
  report.figures.push_back({"values_used", static_cast<Index>(cells)});
}

Block Ppca::project(DataView rows, const Context& context) const {
  return gaussian_.posterior_means(rows, context);
}

Points Ppca::lift_back(ConstBlockRef scores, const Context&) const {
  Points rows = scores * (gaussian_.loadings * gaussian_.unshrunk()).transpose();
  rows.rowwise() += gaussian_.mean.transpose();
  return rows;
}

Vector Ppca::log_density_of(DataView rows, const Context& context) const {
  return gaussian_.log_density(rows, context);
}

Points Ppca::fill_gaps(DataView rows, const Context& context) const {
  return gaussian_.filled(rows, context);
}

Points Ppca::draw(Index n, std::uint64_t seed, const Context& context) const {
  return gaussian_.drawn(n, seed, context);
}

void Ppca::save(State& state) const {
  state.values["noise"] = noise_variance();
  state.values["gaps"] = gaps_;
  state.add("loadings", gaussian_.loadings);
  state.add("mean", gaussian_.mean);
}

Ppca Ppca::from(State state) {
  Ppca model;
  model.load_common(state);
  const Fields fields(state.values);
  const Index dim = model.report.dim;
  model.gaps_ = fields.flag("gaps");
  const double noise = fields.number("noise", std::numeric_limits<double>::denorm_min());
  FactorGaussian& gaussian = model.gaussian_;
  gaussian.loadings = state.array("loadings").as_points();
  gaussian.mean = state.vector("mean", dim);
  gaussian.noise = Vector::Constant(dim, noise);
  require(gaussian.loadings.rows() == dim && gaussian.loadings.cols() > 0 &&
              gaussian.loadings.cols() < dim && gaussian.loadings.allFinite(),
          ErrorCode::bad_model_content,
          "array \"loadings\" is not one finite number for each column and component");
  return model;
}

const ModelKind& ppca_kind() {
  static const ModelKind kind = kind_of<Ppca>();
  return kind;
}

}  // namespace mercer
