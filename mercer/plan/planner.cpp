#include "mercer/plan/planner.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/operators/recipe.h"
#include "mercer/plan/machine.h"
#include "mercer/plan/price.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

// The program itself, its libraries and their buffers: part of the peak, not of the budget.
constexpr std::uint64_t kProgramBytes = 12'000'000;

// Seconds of one thread of the reference processor that are not worth saving: nobody notices them.
constexpr double kQuick = 0.04;
// Plans so many times slower than the fastest are not recommended.
constexpr double kHopeless = 30;
// Where there is no time for all components: how many leading ones are tried, halved until they are
// predicted to take no more than this share of the time.
constexpr Index kMostLeading = 256, kFewestLeading = 8;
constexpr double kShareOfTime = 0.7;
// Where there is no room for all eigenvalues, the search for a share begins with so many.
constexpr Index kFirstOfShare = 32;

bool asked_for(const Candidate& candidate, const Budget& budget) {
  return (budget.operator_name.empty() || budget.operator_name == candidate.operator_name) &&
         (budget.solver_name.empty() || budget.solver_name == candidate.solver_name);
}

// What to name to somebody whose plan does not fit: the fastest that does, or else the smallest
// that is not hopelessly slow.
const Candidate* way_out(const Plan& plan, const Budget& budget) {
  const Candidate* fastest = nullptr;
  const Candidate* fitting = nullptr;
  for (const Candidate& candidate : plan.candidates) {
    if (!candidate.possible()) continue;
    if (fastest == nullptr || candidate.seconds < fastest->seconds) fastest = &candidate;
    if (candidate.bytes <= budget.room() &&
        (fitting == nullptr || candidate.seconds < fitting->seconds))
      fitting = &candidate;
  }
  if (fitting != nullptr || fastest == nullptr) return fitting;
  const Candidate* smallest = fastest;
  for (const Candidate& candidate : plan.candidates)
    if (candidate.possible() && candidate.seconds <= kHopeless * fastest->seconds &&
        candidate.bytes < smallest->bytes)
      smallest = &candidate;
  return smallest;
}

// Names of columns and the like take less than a megabyte, which is not worth telling.
bool worth_telling(std::uint64_t taken) { return taken >> 20 > 0; }

// Nothing can serve, whatever the memory. Of all eigenvalues the limit of the dense solver is the
// reason; else each reason once, since most pairs share theirs.
[[noreturn]] void refuse_each(const Plan& plan, const GramProblem& problem) {
  const Index n = problem.points.n();
  const std::string place =
      fmt::format("{} rows, {} columns", grouped(n), grouped(problem.points.dim()));
  std::vector<std::string> reasons;
  for (const Candidate& candidate : plan.candidates) {
    const std::string& reason = candidate.verdict;
    if (problem.open_count && reason.starts_with("the dense solver")) {
      const double matrix = 8.0 * static_cast<double>(n) * static_cast<double>(n);
      throw Error(ErrorCode::over_memory,
                  fmt::format("all eigenvalues are needed for that, by a matrix of {}: {}",
                              bytes(static_cast<std::uint64_t>(matrix)), reason),
                  "ask for a count, such as --components 50, or fit on fewer rows", place);
    }
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  throw Error(ErrorCode::over_memory,
              fmt::format("no plan can serve this fit ({})", fmt::join(reasons, "; ")),
              "fit on fewer rows", place);
}

[[noreturn]] void refuse_all(const Plan& plan, const GramProblem& problem, const Budget& budget) {
  const Candidate* smallest = way_out(plan, budget);
  const Candidate* asked = nullptr;
  for (const Candidate& candidate : plan.candidates)
    if (asked_for(candidate, budget) &&
        (asked == nullptr ||
         (candidate.possible() && (!asked->possible() || candidate.bytes < asked->bytes))))
      asked = &candidate;
  const bool named = !budget.operator_name.empty() || !budget.solver_name.empty();
  if (smallest == nullptr && !named) refuse_each(plan, problem);
  if (asked != nullptr && !asked->possible())
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("{} cannot be used here: {}",
                    budget.solver_name.empty() ? asked->operator_name
                                               : asked->operator_name + " + " + asked->solver_name,
                    asked->verdict),
        "leave the choice to the planner");
  const std::string n = grouped(problem.points.n());
  const Candidate& shown = named && asked != nullptr ? *asked : *smallest;
  throw Error(ErrorCode::over_memory,
              fmt::format("{} + {} needs {}, the memory budget is {}{}", shown.operator_name,
                          shown.solver_name, bytes(shown.bytes), bytes(budget.memory),
                          worth_telling(budget.taken)
                              ? fmt::format(", of which {} are taken already", bytes(budget.taken))
                              : ""),
              smallest->bytes <= budget.room()
                  ? fmt::format("{} + {} needs {}", smallest->operator_name, smallest->solver_name,
                                bytes(smallest->bytes))
                  : fmt::format("allow more with --memory {}M, or fit on fewer rows",
                                ((budget.taken + shown.bytes + shown.bytes / 64) >> 20) + 1),
              fmt::format("{} rows, {} columns", n, grouped(problem.points.dim())));
}

bool whole_spectrum(const Candidate& candidate) {
  return solver_choice(candidate.solver_name).recipe.whole_spectrum;
}

// The candidate of least work among those asked for; where it would take longer than there is time,
// of those that would not; where all would, of those that have an answer from the first pass on.
Candidate* choose(Plan& plan, const std::vector<double>& work, const Budget& budget) {
  const auto least = [&](const auto& allowed) {
    Candidate* best = nullptr;
    double least_work = 0;
    for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
      Candidate& candidate = plan.candidates[i];
      if (!candidate.possible() || !candidate.verdict.empty() || !asked_for(candidate, budget) ||
          !allowed(candidate) || (best != nullptr && work[i] >= least_work))
        continue;
      best = &candidate;
      least_work = work[i];
    }
    return best;
  };
  Candidate* best = least([](const Candidate&) { return true; });
  if (best == nullptr || best->seconds <= budget.seconds) return best;
  if (Candidate* in_time = least([&](const Candidate& c) { return c.seconds <= budget.seconds; }))
    return in_time;
  Candidate* search = least([&](const Candidate& c) { return !whole_spectrum(c); });
  return search != nullptr ? search : best;
}

Plan consider_as_asked(const GramProblem& problem, const Budget& budget, const Machine& machine,
                       const EigenRequest& request) {
  Plan plan;
  plan.predicted.rates = machine.origin;
  // The choice must not depend on the number of threads, so it is made with one.
  Machine one_thread = machine;
  one_thread.threads = 1;
  const Machine reference = reference_rates();
  std::vector<double> work;
  for (const OperatorRecipe* op : operator_recipes())
    for (const SolverRecipe* solver : solver_recipes()) {
      plan.candidates.push_back(price(*op, *solver, problem, request, budget, machine));
      // Small problems are solved to rounding, with all eigenvalues known: there is no time to be
      // saved. What is small is said by a processor that is always the same, so that the accuracy
      // of an answer does not depend on the machine that found it.
      const double quick = solver->whole_spectrum
                               ? price(*op, *solver, problem, request, budget, reference).seconds
                               : kQuick;
      work.push_back(quick < kQuick
                         ? quick - kQuick
                         : price(*op, *solver, problem, request, budget, one_thread).seconds);
    }
  Candidate* best = choose(plan, work, budget);
  for (Candidate& candidate : plan.candidates)
    if (candidate.possible() && candidate.verdict.empty())
      candidate.verdict = !asked_for(candidate, budget)        ? "not the one asked for"
                          : candidate.seconds > budget.seconds ? "slower, takes too long"
                                                               : "slower";
  if (best == nullptr) return plan;
  best->standing = Candidate::Standing::chosen;
  best->verdict = best->expands ? "chosen: within the tolerance" : "chosen: exact";
  if (budget.seconds < best->seconds)
    best->verdict +=
        fmt::format(", may not finish in {}{}", duration(budget.seconds),
                    whole_spectrum(*best) ? ": the leading components known then" : "");
  plan.operator_name = best->operator_name;
  plan.solver_name = best->solver_name;
  plan.precision = best->precision;
  plan.search = best->search;
  plan.predicted.seconds = best->seconds;
  plan.predicted.bytes = best->likely_bytes + budget.taken + kProgramBytes;
  plan.passes = best->passes;
  plan.walks = best->walks;
  return plan;
}

// There is no room for all eigenvalues: components are sought until they add up to the share.
Plan growing(const GramProblem& problem, const Budget& budget, const Machine& machine,
             const EigenRequest& request) {
  GramProblem fewer = problem;
  fewer.open_count = false;
  fewer.components = std::min(kFirstOfShare, problem.components);
  Plan plan = consider_as_asked(fewer, budget, machine, request);
  if (plan.operator_name.empty()) return plan;
  plan.leading = fewer.components;
  plan.grows = true;
  for (Candidate& candidate : plan.candidates)
    if (candidate.chosen())
      candidate.verdict = fmt::format("chosen: the leading {} first, more until they reach {} %",
                                      fewer.components, brief(100 * request.share));
  return plan;
}

}  // namespace

Plan consider(const GramProblem& problem, const Budget& budget, const Machine& machine,
              const EigenRequest& request) {
  Plan plan = consider_as_asked(problem, budget, machine, request);
  if (!problem.open_count || request.whole_spectrum) return plan;
  if (plan.operator_name.empty() && request.share > 0 && is_positive(problem)) {
    Plan first = growing(problem, budget, machine, request);
    return first.operator_name.empty() ? plan : first;
  }
  if (plan.operator_name.empty() || plan.predicted.seconds <= budget.seconds) return plan;
  // No time for all components, or for as many as a share takes.
  GramProblem fewer = problem;
  fewer.open_count = false;
  for (Index count = kMostLeading; count >= kFewestLeading; count /= 2) {
    if (2 * count > problem.components) continue;
    fewer.components = count;
    Plan leading = consider_as_asked(fewer, budget, machine, request);
    if (leading.operator_name.empty() || leading.predicted.seconds > kShareOfTime * budget.seconds)
      continue;
    leading.leading = count;
    for (Candidate& candidate : leading.candidates)
      if (candidate.chosen())
        candidate.verdict = fmt::format("chosen: the leading {}, no time for all in {}", count,
                                        duration(budget.seconds));
    return leading;
  }
  return plan;
}

Plan make_plan(const GramProblem& problem, const Budget& budget, const EigenRequest& request) {
  if (!budget.operator_name.empty()) operator_recipe(budget.operator_name);
  if (!budget.solver_name.empty()) solver_choice(budget.solver_name);
  if (request.certify == Certify::deterministic && budget.precision == Precision::single_)
    throw Error(ErrorCode::bad_option_value,
                "float tiles cannot carry a deterministic certificate: their rounding is measured "
                "on a sample",
                "drop --precision single, or use --certify probabilistic");
  Plan plan = consider(problem, budget, machine_of(cpu_level(), budget), request);
  if (plan.operator_name.empty()) refuse_all(plan, problem, budget);
  return plan;
}

}  // namespace mercer
