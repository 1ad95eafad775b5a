#include "mercer/models/kind/factor_analysis.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/data/row_moments.h"
#include "mercer/data/row_source.h"
#include "mercer/linalg/definite.h"
#include "mercer/models/detail/factor_fit.h"
#include "mercer/models/detail/products.h"
#include "mercer/models/detail/rotation.h"
#include "mercer/models/detail/upper_gamma.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace mercer {
namespace {

// Where the derivatives by the logarithms of the uniquenesses, and EM's distance, are rounding.
constexpr double kProfileTolerance = 1e-9, kEmTolerance = 1e-8;
// A uniqueness this near to its bound is at it.
constexpr double kAtBound = 1.0001 * detail::kLeastUniqueness;

constexpr std::array kRules = {ComponentRule::parallel, ComponentRule::likelihood};

// Twice the degrees of freedom: numbers of the covariance less those of the model.
Index twice_freedom(Index dim, Index factors) {
  return (dim - factors) * (dim - factors) - (dim + factors);
}

Index most_factors(Index dim) {
  Index most = 0;
  while (most + 1 < dim && twice_freedom(dim, most + 1) >= 0) ++most;
  return most;
}

std::string names_of(const Prepared& prepared, const std::vector<Index>& columns) {
  constexpr std::size_t kShown = 6;
  const std::vector<std::string>& names = prepared.input.column_names;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, columns.size()); ++i)
    shown.push_back(names.empty() ? std::to_string(columns[i] + 1)
                                  : printable(names[static_cast<std::size_t>(columns[i])]));
  return fmt::format("{}{}", fmt::join(shown, ", "), columns.size() > kShown ? ", ..." : "");
}

void check_rows(DataView rows) {
  if (rows.dim() < 3)
    throw Error(ErrorCode::too_many_components,
                fmt::format("{} column{} leave no degrees of freedom, even for one factor",
                            rows.dim(), rows.dim() == 1 ? "" : "s"),
                "factor analysis needs at least 3 columns");
  if (rows.n() <= rows.dim())
    throw Error(
        ErrorCode::too_few_rows,
        fmt::format("factor analysis of {} columns needs at least {} rows; the table has {}",
                    grouped(rows.dim()), grouped(rows.dim() + 1), grouped(rows.n())),
        "fit on more rows or fewer columns; ppca has no such limit");
}

void check_columns_vary(const Prepared& prepared, const Vector& deviation) {
  std::vector<Index> constant;
  for (Index j = 0; j < deviation.size(); ++j)
    if (!(deviation[j] > 0)) constant.push_back(j);
  if (constant.empty()) return;
  const std::string names = names_of(prepared, constant);
  throw Error(ErrorCode::constant_columns,
              fmt::format("{} column{} the same in all rows: {}", grouped(constant.size()),
                          constant.size() == 1 ? " is" : "s are", names),
              constant.size() <= 6 ? fmt::format("leave them out: --drop \"{}\"", names)
                                   : "leave them out with --drop");
}

// Correlations, and what they are made of; none where a column does not vary.
struct Standard {
  Vector mean, deviation;
  Block correlations;
};

Standard standardised(DataView rows, const Context& context) {
  RowMoments moments = moments_of(ViewSource(rows), {.scatter = true}, context);
  Standard standard{(moments.mean + moments.rest) / moments.scale, moments.deviations(), {}};
  if (!(standard.deviation.minCoeff() > 0)) return standard;
  // By the squares of the scaled rows, whatever the units.
  const Vector lengths = moments.squares.cwiseSqrt();
  if (!(lengths.minCoeff() > 0)) {
    const Vector factor = standard.deviation.cwiseInverse();
    standard.correlations = detail::covariance_of(rows, {standard.mean, factor}, context);
    return standard;
  }
  const Vector inverse = lengths.cwiseInverse();
  standard.correlations = std::move(moments.scatter);
  standard.correlations = inverse.asDiagonal() * standard.correlations * inverse.asDiagonal();
  standard.correlations.diagonal().setOnes();
  return standard;
}

detail::FactorFit fit_correlations(const Block& r, const FactorAnalysisOptions& options,
                                   Index factors, const Context& context) {
  const bool em = options.algorithm == FactorAlgorithm::em;
  const detail::FactorRequest request{.factors = factors,
                                      .tolerance = em ? kEmTolerance : kProfileTolerance,
                                      .iterations = options.iterations};
  return em ? detail::fit_factors_by_em(r, request, context)
            : detail::fit_profile(r, request, context);
}

FactorGaussian gaussian_of(const Standard& standard, const detail::FactorFit& fit) {
  return {standard.deviation.asDiagonal() * fit.loadings, standard.mean,
          standard.deviation.cwiseAbs2().cwiseProduct(fit.psi)};
}

// For counting factors: one fit for each count, from correlations that are made once.
LearnAndAsk factor_models(const FactorAnalysisOptions& options, const Context& context) {
  return [&](DataView learnt, DataView left_out) -> LeftOutDensity {
    const Standard standard = standardised(learnt, context);
    if (standard.correlations.size() == 0 || learnt.n() <= learnt.dim())
      throw Error(ErrorCode::too_few_rows,
                  "with a fifth of the rows left out, columns no longer vary or outnumber the rows",
                  "give a count, or use auto:parallel");
    return [=, &options, &context](Index k) {
      return gaussian_of(standard, fit_correlations(standard.correlations, options, k, context))
          .log_density(left_out, context)
          .sum();
    };
  };
}

Index count_of(DataView rows, const FactorAnalysisOptions& options, const Context& context) {
  const Components& asked = options.components;
  const Index most = most_factors(rows.dim());
  if (asked.is_all()) return most;
  if (asked.is_automatic())
    return choose_components(rows,
                             {.rule = rule_of(asked, kRules),
                              .most = most,
                              .seed = static_cast<std::uint64_t>(options.seed),
                              .standardised = true,
                              .learn = factor_models(options, context)},
                             context);
  if (asked.asked() && asked.count() > most)
    throw Error(
        ErrorCode::too_many_components,
        asked.count() >= rows.dim()
            ? fmt::format("{} factors of {} columns", asked.count(), rows.dim())
            : fmt::format("{0} factor{1} of {2} columns leave{3} {4:g} degrees of freedom: (({2} - "
                          "{0})^2 - ({2} + {0})) / 2",
                          asked.count(), asked.count() == 1 ? "" : "s", rows.dim(),
                          asked.count() == 1 ? "s" : "",
                          static_cast<double>(twice_freedom(rows.dim(), asked.count())) / 2),
        fmt::format("ask for at most {}", most));
  return std::min(asked.count(), most);
}

// ln |R|; not finite where it has no inverse.
double log_determinant(Block r, const Context& context) {
  const DefiniteTest test = test_definite(r, 1, context);
  if (!test.definite) return -std::numeric_limits<double>::infinity();
  return 2 * r.diagonal().array().log().sum();
}

// Bartlett's test that so many factors suffice.
void add_test(const Block& r, double value, Index n, Index factors, Report& report,
              const Context& context) {
  const Index dim = r.rows();
  const double least = log_determinant(r, context) + static_cast<double>(dim);
  const double freedom = static_cast<double>(twice_freedom(dim, factors)) / 2;
  report.figures.push_back({"degrees_of_freedom", freedom});
  if (!std::isfinite(least) || freedom <= 0) return;
  const double factor = static_cast<double>(n) - 1 - (2 * static_cast<double>(dim) + 5) / 6 -
                        2 * static_cast<double>(factors) / 3;
  if (factor <= 0) return;
  const double statistic = factor * std::max(0.0, value - least);
  report.figures.push_back({"chi_squared", statistic});
  report.figures.push_back({"p_value", detail::upper_gamma(freedom / 2, statistic / 2)});
}

detail::Rotation rotated(const Block& loadings, FactorRotation rotation) {
  const Index k = loadings.cols();
  detail::Rotation turned{loadings, Block::Identity(k, k), Block::Identity(k, k)};
  if (rotation == FactorRotation::varimax) turned = detail::varimax(loadings);
  if (rotation == FactorRotation::promax) turned = detail::promax(loadings);
  detail::put_in_order(turned);
  return turned;
}

void warn(const Prepared& prepared, const detail::FactorFit& fit, Report& report) {
  report.converged = fit.converged;
  if (fit.out_of_time)
    report.warnings.push_back(
        {WarningCode::time_ran_out,
         fmt::format("the search was stopped after {} steps", fit.iterations)});
  else if (!fit.converged)
    report.warnings.push_back(
        {WarningCode::tolerance_not_reached,
         fmt::format("the search ended after {} steps and had not settled", fit.iterations)});
  std::vector<Index> bound;
  for (Index j = 0; j < fit.psi.size(); ++j)
    if (fit.psi[j] <= kAtBound) bound.push_back(j);
  if (bound.empty()) return;
  report.warnings.push_back(
      {WarningCode::heywood_case,
       fmt::format("{} column{} at the bound of the uniqueness, {:g} of the variance: {}",
                   grouped(bound.size()), bound.size() == 1 ? " is" : "s are",
                   detail::kLeastUniqueness, names_of(prepared, bound))});
}

Value table_of(const Block& matrix) {
  Value rows = Value::list();
  for (Index i = 0; i < matrix.rows(); ++i) rows.push_back(Value::of(Vector(matrix.row(i))));
  return rows;
}

}  // namespace

void FactorAnalysisOptions::check(const Value&) const {
  if (components.is_automatic()) static_cast<void>(rule_of(components, kRules));
  if (components.share() > 0)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("components = {}: factors are counted, not found by a share of the "
                            "variance",
                            components.text()),
                "give a count, or auto:parallel or auto:likelihood");
}

FactorAnalysis FactorAnalysis::train(const Prepared& prepared, const FactorAnalysisOptions& options,
                                     const Plan&, const Context& context) {
  const DataView rows = prepared.rows;
  check_rows(rows);
  const auto dim = static_cast<std::uint64_t>(rows.dim());
  const MemoryAccount::Hold held =
      context.hold(4 * sizeof(double) * dim * dim, "the correlations and their factors");
  const Standard standard = standardised(rows, context);
  check_columns_vary(prepared, standard.deviation);
  const Index k = count_of(rows, options, context);
  const detail::FactorFit fit = fit_correlations(standard.correlations, options, k, context);

  FactorAnalysis model;
  model.scoring_ = options.scoring;
  const detail::Rotation turned = rotated(fit.loadings, options.rotation);
  model.loadings_ = standard.deviation.asDiagonal() * turned.loadings;
  model.correlations_ = turned.correlations;
  model.gaussian_ = gaussian_of(standard, fit);
  model.make_maps();
  const auto n = static_cast<double>(rows.n());
  const double size = static_cast<double>(dim) * std::log(2 * std::numbers::pi) + fit.value;
  const double per_row = -(size / 2 + standard.deviation.array().log().sum());
  if (options.components.is_automatic())
    model.report.chosen = chosen_by(rule_of(options.components, kRules), k);
  model.report.figures.push_back({"log_likelihood", n * per_row});
  model.report.figures.push_back({"log_likelihood_per_row", per_row});
  add_test(standard.correlations, fit.value, rows.n(), k, model.report, untimed(context));
  model.report.figures.push_back({"iterations", fit.iterations});
  model.report.figures.push_back(
      {"sums_of_squares", Value::of(Vector(turned.loadings.colwise().squaredNorm()))});
  model.add_figures(standard.deviation);
  warn(prepared, fit, model.report);
  return model;
}

// Of the columns: shares of the variance first, then what is in their units.
void FactorAnalysis::add_figures(const Vector& deviation) {
  const Vector explained = gaussian_.loadings.rowwise().squaredNorm();
  report.figures.push_back(
      {"communalities", Value::of(Vector(explained.cwiseQuotient(deviation.cwiseAbs2())))});
  report.figures.push_back({"uniquenesses", Value::of(gaussian_.noise)});
  report.figures.push_back({"loadings", table_of(loadings_)});
  if (!correlations_.isIdentity(0))
    report.figures.push_back({"factor_correlations", table_of(correlations_), true});
}

// The Gaussian's loadings are L chol(Phi): those of the search, turned.
void FactorAnalysis::make_maps() {
  const Index k = loadings_.cols();
  const Block root = Eigen::LLT<Block>(correlations_).matrixL();
  gaussian_.loadings = loadings_ * root;
  const Block unshrunk = gaussian_.unshrunk();
  const bool bartlett = scoring_ == FactorScoring::bartlett;
  to_scores_ = bartlett ? Block(root * unshrunk) : root;
  const Block back = root.triangularView<Eigen::Lower>().solve(Block::Identity(k, k));
  from_scores_ = bartlett ? back : Block(unshrunk * back);
}

Block FactorAnalysis::project(DataView rows, const Context& context) const {
  return gaussian_.posterior_means(rows, context) * to_scores_.transpose();
}

Points FactorAnalysis::lift_back(ConstBlockRef scores, const Context&) const {
  Points rows = scores * (gaussian_.loadings * from_scores_).transpose();
  rows.rowwise() += gaussian_.mean.transpose();
  return rows;
}

Vector FactorAnalysis::log_density_of(DataView rows, const Context& context) const {
  return gaussian_.log_density(rows, context);
}

Points FactorAnalysis::fill_gaps(DataView rows, const Context& context) const {
  return gaussian_.filled(rows, context);
}

Points FactorAnalysis::draw(Index n, std::uint64_t seed, const Context& context) const {
  return gaussian_.drawn(n, seed, context);
}

void FactorAnalysis::save(State& state) const {
  state.values["scoring"] = Choice<FactorScoring>(scoring_).word();
  state.add("loadings", loadings_);
  state.add("factor_correlations", correlations_);
  state.add("uniquenesses", gaussian_.noise);
  state.add("mean", gaussian_.mean);
}

FactorAnalysis FactorAnalysis::from(State state) {
  FactorAnalysis model;
  model.load_common(state);
  const Fields fields(state.values);
  const std::string& word = fields.text("scoring");
  const auto known = std::ranges::find(kFactorScorings, word);
  if (known == kFactorScorings.end())
    fields.refuse("scoring", fmt::format("\"{}\" is not known", printable(word)));
  model.scoring_ = static_cast<FactorScoring>(known - kFactorScorings.begin());
  const Index dim = model.report.dim;
  model.loadings_ = state.array("loadings").as_points();
  model.correlations_ = state.array("factor_correlations").as_points();
  model.gaussian_.noise = state.vector("uniquenesses", dim);
  model.gaussian_.mean = state.vector("mean", dim);
  const Index k = model.loadings_.cols();
  require(model.loadings_.rows() == dim && k > 0 && k < dim && model.loadings_.allFinite(),
          ErrorCode::bad_model_content,
          "array \"loadings\" is not one finite number for each column and factor");
  require((model.gaussian_.noise.array() > 0).all(), ErrorCode::bad_model_content,
          "array \"uniquenesses\": a variance is not positive");
  const Block& phi = model.correlations_;
  const bool fits = phi.rows() == k && phi.cols() == k && phi.allFinite() &&
                    Eigen::LLT<Block>(phi).info() == Eigen::Success;
  require(fits, ErrorCode::bad_model_content,
          "array \"factor_correlations\" is not a matrix of correlations");
  model.make_maps();
  return model;
}

const ModelKind& factor_analysis_kind() {
  static const ModelKind kind = kind_of<FactorAnalysis>();
  return kind;
}

}  // namespace mercer
