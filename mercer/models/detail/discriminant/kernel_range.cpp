#include "mercer/models/detail/discriminant/kernel_range.h"

#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/pick_rows.h"
#include "mercer/linalg/tall.h"
#include "mercer/models/detail/discriminant/landmark_range.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/mean_projection.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/models/indefinite.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Up to so many rows, or columns of a factor, all components are found: seconds.
constexpr Index kAllRows = 2000, kAllColumns = 3000;
// Where that is not possible and landmarks are not either, so many leading ones.
constexpr Index kLeading = 300;
// Components whose residuals are a larger share of their own eigenvalue are left out: their
// directions would be those of the search.
constexpr double kResolvedShare = 1e-3;
// Residuals of a search: the scatter of its scores is off by the square of what it leaves.
constexpr double kTolerance = 1e-8;

// Columns of a factor by which some operator knows the matrix, as polynomial and linear kernels of
// few columns have it; 0 where there is none, or none that is small.
Index small_factor(const GramProblem& problem, const Budget& budget) {
  for (const OperatorRecipe* recipe : operator_recipes())
    if (!recipe->refuse(problem, budget) && recipe->size(problem) < problem.points.n() &&
        recipe->size(problem) <= kAllColumns)
      return recipe->size(problem);
  return 0;
}

Context with_doubles(Context context) {
  context.budget.precision = Precision::double_;
  return context;
}

EigenRequest range_request(const Components& rank, const Prepared& prepared, Index seed) {
  return {.share = rank.share(),
          .all = rank.is_all(),
          .tolerance = kTolerance,
          .certify = Certify::none,  // a direction that was missed makes no answer wrong
          .start = prepared.start,
          .search = {.seed = static_cast<std::uint64_t>(seed)}};
}

// How many components of a problem, where the user leaves it open.
Components components_for(const GramProblem& problem, const RangeAsked& asked,
                          const Budget& budget) {
  if (!asked.rank.is_automatic()) return asked.rank;
  GramProblem all = problem;
  set_components(all, Components::all());
  if (problem.points.n() <= kAllRows || small_factor(all, budget) > 0) return Components::all();
  return std::min(kLeading, most_components(problem));
}

bool by_landmarks(const GramProblem& problem, const RangeAsked& asked, const Budget& budget) {
  if (asked.span != Span::automatic) return asked.span == Span::landmarks;
  if (problem.kernel.definite() != Definite::always || asked.rank.is_all()) return false;
  return problem.points.n() > kAllRows &&
         !(asked.rank.is_automatic() && components_for(problem, asked, budget).is_all());
}

void warn_of_negative(const GramFit& fit, Warnings& warnings) {
  if (fit.positive) return;
  const double share = negative_share(fit.eigen.spectrum.all_values, fit.rank_tolerance);
  const double lowest = fit.eigen.spectrum.lowest_value;
  const bool known = fit.eigen.spectrum.all_values.size() > 0;
  if (known ? !(share > 0) : !(lowest < -fit.rank_tolerance * largest_of(fit.eigen))) return;
  warnings.push_back(
      {WarningCode::negative_eigenvalues,
       (known ? fmt::format("{:.2g} % of the spectrum is negative", 100 * share)
              : fmt::format("eigenvalues down to {:.4g} or less are negative", lowest)) +
           ": the kernel is no scalar product on these rows; that part is left out"});
}

// Leading components that are positive and known to some digits.
Index resolved_positive(const GramFit& fit) {
  const Vector &values = fit.eigen.values, &residuals = fit.spectrum().certificate.residuals;
  const double largest = largest_of(fit.eigen);
  Index kept = 0;
  while (kept < values.size() && values[kept] > 0 &&
         (kept >= residuals.size() || residuals[kept] * largest <= kResolvedShare * values[kept]))
    ++kept;
  return std::max<Index>(kept, 1);
}

KernelRange component_range(const Plan& plan, const Components& rank, const Prepared& prepared,
                            const RangeAsked& asked, Report& report, const Context& context) {
  KernelRange range;
  range.fit = fit_gram(plan, rank, range_request(rank, prepared, asked.seed), context);
  GramFit& fit = range.fit;
  const Index kept = resolved_positive(fit);
  range.mu = fit.eigen.values.head(kept);
  range.basis = fit.eigen.vectors.leftCols(kept);
  fit.eigen.vectors.resize(0, 0);
  fit.eigen.images.resize(0, 0);
  range.trace = range.mu.sum();
  const double total = fit.eigen.spectrum.trace;
  range.share = total > 0 ? std::min(1.0, range.trace / total) : 1;
  range.whole = rank.is_all() && fit.report.plan.leading == 0;
  report.plan = fit.report.plan;
  report.warnings = fit.report.warnings;
  report.converged = fit.report.converged;
  warn_of_negative(fit, report.warnings);
  return range;
}

}  // namespace

Plan plan_range(const Prepared& prepared, const RangeAsked& asked, const Context& context) {
  const DataView rows = prepared.rows;
  const Context whole = with_doubles(context);
  Warnings warnings;
  const Kernel kernel =
      prepared.sizes_only ? asked.kernel : asked.kernel.resolve(rows, context, &warnings);
  GramProblem problem{rows, kernel, true, 0, kTolerance};
  problem.facts.found_width = !asked.kernel.resolved();
  problem.facts.shared = prepared.owner != nullptr;
  if (!prepared.sizes_only) {
    problem.facts.integer_tiles = has_integer_tiles(kernel, true, rows, context);
    problem.facts.frame = std::make_shared<const Frame>(make_frame(kernel, rows, true, context));
  }
  const Budget budget = whole.planning(rows.bytes());
  Plan plan;
  if (by_landmarks(problem, asked, budget)) {
    check_landmarks(problem, asked);
  } else {
    const Components rank = components_for(problem, asked, budget);
    set_components(problem, rank);
    // There are no more than the factor has columns: less to pay for.
    if (const Index width = rank.is_all() ? small_factor(problem, budget) : 0; width > 0)
      problem.components = std::min(problem.components, width);
    if (!prepared.sizes_only) problem.facts.geometry = geometry_of(problem, context);
    plan = make_plan(problem, budget, range_request(rank, prepared, asked.seed));
  }
  plan.problem = std::make_shared<const GramProblem>(std::move(problem));
  plan.warnings = std::move(warnings);
  return plan;
}

KernelRange kernel_range(const Plan& plan, const Prepared& prepared, const RangeAsked& asked,
                         Report& report, const Context& context) {
  const Context whole = with_doubles(context);
  const GramProblem& problem = *plan.problem;
  report.n = prepared.rows.n();
  report.dim = prepared.rows.dim();
  KernelRange range;
  if (plan.operator_name.empty()) {
    range = landmark_range(problem, asked, whole);
  } else {
    const bool open = asked.rank.is_automatic();
    const Components rank = !open                ? asked.rank
                            : problem.open_count ? Components::all()
                                                 : Components(problem.components);
    range = component_range(plan, rank, prepared, asked, report, whole);
  }
  report.warnings.insert(report.warnings.begin(), plan.warnings.begin(), plan.warnings.end());
  return range;
}

Block KernelRange::units_of(const std::vector<Index>& rows) const {
  Block picked = pick_rows(basis, rows);
  if (turn.size() == 0) return picked;
  Block out(picked.rows(), rank());
  gemm(Transpose::no, Transpose::no, 1.0, picked, turn, 0.0, out);
  return out;
}

Block KernelRange::values(const Block& v, const Context& context) const {
  return product(basis, turn.size() == 0 ? v : Block(turn * v), context);
}

Block KernelRange::group_sums(const std::vector<Index>& group_of, Index groups,
                              const Context& context) const {
  Block sums = Block::Zero(basis.cols(), groups);
  parallel_for(context, basis.cols(), [&](Index j) {
    Vector mine = Vector::Zero(groups);
    const double* column = basis.col(j).data();
    for (std::size_t i = 0; i < group_of.size(); ++i)
      if (group_of[i] >= 0) mine[group_of[i]] += column[i];
    sums.row(j) = mine;
  });
  return turn.size() == 0 ? sums : Block(turn.transpose() * sums);
}

KernelExpansion range_expansion(const KernelRange& range, const Plan& plan,
                                const Prepared& prepared, const Block& v) {
  const GramProblem& problem = *plan.problem;
  KernelExpansion sums(problem.kernel, true);
  const DataView rows = prepared.rows;
  const Block along = range.mu.cwiseSqrt().cwiseInverse().asDiagonal() * v;  // of z
  if (!range.landmarks.empty()) {
    Scorer scorer;
    scorer.landmarks = range.landmarks;
    scorer.weights = range.turn * (range.mu.cwiseSqrt().asDiagonal() * along);
    scorer.bias = scorer.weights.transpose() * range.mean;
    range.at_landmarks.triangularView<Eigen::Lower>().transpose().solveInPlace(scorer.weights);
    sums.over_features(std::move(scorer), rows, nullptr, {});
    return sums;
  }
  Block coefficients = range.basis * (range.mu.cwiseInverse().asDiagonal() * v);
  remove_means(coefficients);  // 1'A = 0 to the last digit: new rows rely on it
  if (range.fit.scorer) {
    Scorer scorer = *range.fit.scorer;
    const Index kept = range.rank();
    scorer.weights = (scorer.weights.leftCols(kept) * along).eval();
    scorer.bias = (along.transpose() * scorer.bias.head(kept)).eval();
    sums.over_features(std::move(scorer), rows, prepared.owner.get(), std::move(coefficients));
    return sums;
  }
  // Linear operators centre their rows to the last digit, which the frame of new rows does not.
  const bool rows_are_centred = problem.kernel.only<Linear>() != nullptr;
  Vector bias = range.fit.means.size() > 0 && !rows_are_centred
                    ? Vector(coefficients.transpose() * range.fit.means)
                    : mean_projection(rows, *problem.facts.frame, coefficients);
  sums.over_rows(stored_points(rows, prepared.owner.get()), *problem.facts.frame,
                 std::move(coefficients), std::move(bias));
  return sums;
}

KernelExpansion load_range_expansion(State& state, const Report& report, Index functions) {
  // Sums over a few chosen rows have fewer of them than the fit had.
  const Array* kept = state.find("coefficients");
  const bool all_rows = kept != nullptr && !kept->shape.empty() && kept->shape[0] == report.n;
  KernelExpansion sums = KernelExpansion::load(state, report.n, report.dim, functions, all_rows);
  if (sums.given() != Given::table)
    Fields(state.values).refuse("as", "the model was fitted on a table");
  return sums;
}

std::string range_remark(const KernelRange& range) {
  if (range.whole) return {};
  const std::string held = brief(100 * range.share, 4);
  if (range.landmarks.empty())
    return fmt::format(
        "the discriminants are sought among the leading {} kernel components, which "
        "hold {} % of the kernel's variance (--rank)",
        grouped(range.rank()), held);
  return fmt::format(
      "the discriminants are sought among functions of {} landmark rows, which hold "
      "{} % of the kernel's variance or more (--rank)",
      grouped(static_cast<Index>(range.landmarks.size())), held);
}

void add_range_figures(const KernelRange& range, Report& report) {
  report.figures.push_back({"kernel_rank", range.rank()});
  report.figures.push_back({"kernel_share", range.share});
  if (!range.landmarks.empty())
    report.figures.push_back({"landmarks", static_cast<Index>(range.landmarks.size())});
}

}  // namespace mercer::detail
