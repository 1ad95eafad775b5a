#include "mercer/models/detail/gram/share.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/solve.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Where more than a part of all components is needed, iterations cost more than all eigenvalues; of
// few rows both are cheap.
constexpr Index kLargestPart = 4, kFewRows = 512;
// The next count: what the share would take if all further values were as large as the last, and a
// third more, since they fall; at least twice as many, so that there are few rounds, and at most
// eight times.
constexpr double kFalling = 4.0 / 3, kLeastGrowth = 2, kMostGrowth = 8;

EigenRequest for_count(EigenRequest request, Index count) {
  request.count = count;
  request.all = false;
  request.share = 0;
  return request;
}

double reached_by(const GramFit& fit, Index count) {
  return fit.eigen.values.head(count).sum() / fit.eigen.spectrum.trace;
}

// How many of those found reach the share; 0 where all do not.
Index enough_for(const GramFit& fit, double share, Index n) {
  const double enough = share - share_rounding(n);
  double sum = 0;
  for (Index i = 0; i < fit.eigen.values.size(); ++i) {
    sum += fit.eigen.values[i];
    if (sum >= enough * fit.eigen.spectrum.trace) return i + 1;
  }
  return 0;
}

// The angle to fewer components is another one, of which the bounds of all that were found know.
void cut(GramFit& fit, Index kept) {
  fit.eigen.certificate = fit.spectrum().certificate;
  keep_leading(fit.eigen, kept);
  fit.spectrum().certificate = fit.eigen.certificate;
  if (fit.primal.cols() > kept) fit.primal = fit.primal.leftCols(kept).eval();
}

Index next_count(const GramFit& fit, double share) {
  const Index found = fit.eigen.values.size();
  const double missing = share * fit.eigen.spectrum.trace - fit.eigen.values.sum();
  const auto now = static_cast<double>(found);
  const double wanted = now + kFalling * missing / fit.eigen.values[found - 1];
  return static_cast<Index>(std::ceil(std::clamp(wanted, kLeastGrowth * now, kMostGrowth * now)));
}

// Forgets an answer that was too short; the plan stays.
void forget(GramFit& fit) {
  GramFit fresh;
  fresh.report = std::move(fit.report);
  fresh.positive = fit.positive;
  fresh.spectrum().certificate = {};
  fit = std::move(fresh);
}

[[noreturn]] void refuse_share(const GramFit& fit, double share, Index most,
                               const Context& context) {
  const Index found = fit.eigen.values.size();
  const bool named = !context.budget.solver_name.empty();
  throw Error(
      ErrorCode::too_many_components,
      fmt::format("a share of {} takes more than {} components: the leading {} have {:.1f} %",
                  brief(share), grouped(most), grouped(found), 100 * reached_by(fit, found)),
      fmt::format("ask for a smaller share or a count, such as --components {}, or {}", found,
                  named ? fmt::format("drop --solver {}", context.budget.solver_name)
                        : "allow all eigenvalues with --memory"));
}

// The plan for so many components.
Plan plan_for(const GramProblem& problem, const GramFit& fit, const EigenRequest& request,
              double share, const Context& context) {
  try {
    Plan plan = make_plan(problem, context.budget, request);
    plan.leading = problem.components;
    plan.grows = true;
    return plan;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::over_memory) throw;
    const Index found = fit.eigen.values.size();
    throw Error(
        ErrorCode::over_memory,
        fmt::format("the leading {} components have {:.1f} % of the variance; more of "
                    "them, for a share of {}: {}",
                    grouped(found), 100 * reached_by(fit, found), brief(share), error.message()),
        fmt::format("{}, or take those: --components {}", error.hint(), found), error.place());
  }
}

}  // namespace

void solve_in_time(GramFit& fit, const GramProblem& problem, EigenRequest request, double share,
                   const Context& context) {
  GramProblem asked = problem;
  asked.components = fit.report.plan.leading;
  asked.open_count = false;
  solve_gram(fit, asked, for_count(std::move(request), asked.components), context);
  // What scores new rows is made for all that were found; and what share they are is not known
  // where others may be negative.
  if (share <= 0 || fit.scorer || !fit.positive) return;
  if (const Index kept = enough_for(fit, share, fit.report.n); kept > 0) {
    fit.report.plan.leading = 0;  // nothing is missing
    cut(fit, kept);
  }
}

void solve_share(GramFit& fit, const GramProblem& problem, EigenRequest request, double share,
                 const Context& context) {
  const Index n = problem.points.n();
  const Index most = std::min(problem.components, std::max(n / kLargestPart, kFewRows));
  GramProblem asked = problem;
  asked.open_count = false;
  asked.components = fit.report.plan.leading;
  Block start;
  bool counted = false;  // the count is known, and what scores new rows is made for it alone
  while (true) {
    solve_gram(fit, asked, for_count(request, asked.components), context);
    const Index found = fit.eigen.values.size();
    const Index kept = found == 0 ? 0 : enough_for(fit, share, n);
    // Nothing more can be found, or there is no more time: the verdict says so.
    if (kept == 0 && (found < asked.components || fit.eigen.stop.out_of_time())) break;
    if (kept > 0 && (kept == found || !fit.scorer)) cut(fit, kept);
    if (counted || (kept > 0 && (kept == found || !fit.scorer))) break;
    counted = kept > 0;
    if (kept == 0 && asked.components >= problem.components) break;  // there are no more
    if (kept == 0 && asked.components >= most) refuse_share(fit, share, most, context);
    start = fit.eigen.vectors;
    request.start = &start;
    asked.components = kept > 0 ? kept : std::min(most, next_count(fit, share));
    Plan plan = plan_for(asked, fit, for_count(request, asked.components), share, context);
    forget(fit);
    fit.report.plan = std::move(plan);
  }
  fit.report.plan.leading = 0;
  fit.report.plan.grows = false;
}

}  // namespace mercer::detail
