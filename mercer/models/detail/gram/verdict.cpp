#include "mercer/models/detail/gram/verdict.h"

#include "mercer/core/text.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/width_verdict.h"
#include "mercer/models/detail/restated.h"
#include "mercer/operators/recipe.h"
#include "mercer/solvers/equal_values.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

void note_missing(Report& report, Index found) {
  if (report.plan.leading == 0) return;
  report.converged = false;
  report.warnings.push_back(
      {WarningCode::time_ran_out,
       fmt::format("there was no time for all components: the leading {} were found", found)});
}

// What the figures of the certificate are relative to, once measured by what is kept.
double unit_of_figures(const GramFit& fit) {
  return fit.spectrum().drowned() ? fit.eigen.values.cwiseAbs().maxCoeff() : largest_of(fit.eigen);
}

// The widest enclosure of an eigenvalue beside the eigenvalue itself; infinite where some have no
// bound. An eigenvalue found may also be too large by the operator's error.
double widest(const GramFit& fit) {
  const Certificate& proof = fit.spectrum().certificate;
  const Vector& values = fit.eigen.values;
  const double below = proof.operator_error * unit_of_figures(fit);
  double most = 0;
  for (Index i = 0; i < values.size(); ++i)
    most = std::max(most, std::max(proof.eigenvalue_upper[i] - std::abs(values[i]), below) /
                              std::abs(values[i]));
  return most;
}

// Scores that are products of rows with unit axes have the rounding of these and of the products,
// which is relative to the largest component: |K - mu| (dim + 4) u sqrt(trace / mu).
void add_axes_rounding(GramFit& fit) {
  const double each = static_cast<double>(fit.report.dim + 4) * 0x1p-53;
  fit.spectrum().certificate.residuals.array() +=
      each * (fit.eigen.spectrum.trace / fit.eigen.values.array()).sqrt();
}

// Values will be raised by the most negative one, which itself may be off by as much as any.
void add_raising(GramFit& fit) {
  if (!(fit.eigen.spectrum.lowest_value < -fit.rank_tolerance * largest_of(fit.eigen))) return;
  Certificate& proof = fit.spectrum().certificate;
  const double off = (proof.eigenvalue_upper - fit.eigen.values).cwiseAbs().maxCoeff();
  proof.eigenvalue_upper.array() += off;
  proof.residuals.array() += off / largest_of(fit.eigen);
  proof.operator_error += off / largest_of(fit.eigen);
}

// Where rounding is all there is, it may have made values far larger than those that are kept,
// which nobody is shown: figures are relative to these instead, and any may be missing.
void measure_by_kept(GramFit& fit) {
  if (!fit.spectrum().drowned()) return;
  Certificate& proof = fit.spectrum().certificate;
  proof.complete = false;
  if (proof.reason.empty()) proof.reason = "rounding may be as large as the eigenvalues";
  const double factor = largest_of(fit.eigen) / unit_of_figures(fit);
  proof.residuals *= factor;
  proof.operator_error *= factor;
}

// Whether the answer is what was asked for; says in a warning why where it is not.
void judge_answer(GramFit& fit, const GramProblem& problem, const EigenRequest& request) {
  Report& report = fit.report;
  const double worst = report.spectrum->certificate.residuals.maxCoeff();
  const bool bounded = request.eigenvalues_only && request.certify != Certify::none;
  const double stated = bounded ? widest(fit) : worst;
  const bool reached = request.eigenvalues_only
                           ? fit.eigen.converged && (!bounded || stated <= problem.tolerance)
                           : worst <= problem.tolerance;
  const bool complete = report.spectrum->certificate.complete || request.certify == Certify::none;
  const std::string reason = fit.eigen.stop.words();
  const bool stopped = fit.eigen.stop.out_of_time();
  // What no search can mend is said.
  const bool rounding =
      report.spectrum->certificate.operator_error > (bounded ? 0.3 : 0.5) * problem.tolerance;
  const std::string why =
      reason.empty() && rounding ? "the rounding of kernel values allows no smaller ones" : reason;
  const bool whole = solver_choice(report.plan.solver_name).recipe.whole_spectrum;
  report.converged = reached && complete && !(stopped && whole);
  if (report.converged) return;
  if (stopped && whole)
    report.warnings.push_back(
        {WarningCode::time_ran_out,
         fmt::format("{}: {} components are known, residuals reach {}, the tolerance is {}", reason,
                     fit.eigen.values.size(), brief(worst, 2), brief(problem.tolerance, 2))});
  else if (stopped)
    report.warnings.push_back(
        {WarningCode::time_ran_out,
         fmt::format("stopped after {} passes: residuals reach {}, the "
                     "tolerance is {}",
                     report.plan.passes, brief(worst, 2), brief(problem.tolerance, 2))});
  else if (!reached)
    report.warnings.push_back(
        {WarningCode::tolerance_not_reached,
         fmt::format("{} reach {}, the tolerance is {}{}{}",
                     bounded ? "relative widths of enclosures" : "residuals", brief(stated, 2),
                     brief(problem.tolerance, 2), why.empty() ? "" : ": ", why)});
  if (!complete && reached && !(stopped && whole))
    report.warnings.push_back(
        {WarningCode::not_complete,
         reason.empty() ? "nothing shows that no larger eigenvalue was missed" : reason});
}

// Where an expansion took the matrix's place, what is smaller than its error is unknown, not zero.
std::string why_fewer(const GramFit& fit, Index kept) {
  const double largest = largest_of(fit.eigen);
  const double all_errors = fit.spectrum().certificate.operator_error * unit_of_figures(fit);
  if (fit.expansion_error > 0.5 * all_errors)
    return fmt::format(
        "those after {} are smaller than what {} is exact to ({} of the largest eigenvalue; "
        "--operator {} or a smaller --tolerance may find more)",
        kept, fit.report.plan.operator_name, brief(fit.expansion_error / largest, 2),
        unstored_recipe().name);
  if (fit.unresolved)
    return fmt::format("those after {} are too small for the tolerance to tell them from nothing",
                       kept);
  return fmt::format("the numerical rank is {}", kept);
}

void add_warnings(GramFit& fit, const Components& components, Index most, Order order) {
  Report& report = fit.report;
  const EigenResult& eigen = fit.eigen;
  const Index kept = eigen.values.size();
  if (components.asked() && kept < components.count() && eigen.converged)
    report.warnings.push_back(
        {WarningCode::rank_lower, fmt::format("{} components were asked for, {}: {} kept",
                                              components.count(), why_fewer(fit, kept), kept)});
  const double largest = largest_of(eigen);
  // Ordered by magnitude, +2 and -2 are neighbours in any order: they belong together, too.
  const auto size_of = [&](double value) {
    return order == Order::magnitude ? std::abs(value) : value;
  };
  const Vector unknown = unknown_of(*report.spectrum);
  if (!report.spectrum->drowned())
    report.spectrum->clusters = runs_of_equals(eigen.values.unaryExpr(size_of), unknown, largest);
  const double last = eigen.values[kept - 1];
  // The next one is no less known where all of them are, and else was counted.
  const double near = counts_as_equal(last, 2 * unknown[kept - 1], largest);
  if (kept < most && !report.spectrum->drowned() && eigen.spectrum.next_value != 0 &&
      std::abs(size_of(last) - size_of(eigen.spectrum.next_value)) <= near)
    report.warnings.push_back(
        {WarningCode::split_cluster,
         fmt::format("component {} and the next one have the same {} ({}): which direction is kept "
                     "is arbitrary",
                     kept, last * eigen.spectrum.next_value < 0 ? "magnitude" : "eigenvalue",
                     brief(last, 6))});
}

}  // namespace

void give_verdict(GramFit& fit, const GramProblem& problem, const Components& components,
                  const EigenRequest& request, const Context& context) {
  if (problem.by_axes) add_axes_rounding(fit);
  if (request.raised) add_raising(fit);
  measure_by_kept(fit);
  judge_answer(fit, problem, request);
  note_missing(fit.report, fit.eigen.values.size());
  add_warnings(fit, components, most_components(problem), request.order);
  warn_of_width(fit, problem, context);
}

}  // namespace mercer::detail
