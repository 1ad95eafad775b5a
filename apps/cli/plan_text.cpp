#include "apps/cli/plan_text.h"

#include "apps/cli/render/table.h"
#include "mercer/core/text.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mercer::cli {

namespace {

// The pairs of one operator worth a line: the chosen one, the two solvers that are usually best,
// and the fastest of the others.
std::vector<const Candidate*> worth_a_line(const std::vector<const Candidate*>& group) {
  std::vector<const Candidate*> shown;
  const Candidate* fastest = nullptr;
  const auto asked = [](const Candidate* one) { return one->verdict != "not the one asked for"; };
  const bool named = !std::ranges::all_of(group, asked);
  for (const Candidate* one : group) {
    if (named && !asked(one)) continue;
    const bool usual = one->solver_name == "dense" || one->solver_name == "block_krylov";
    if (one->chosen() || usual)
      shown.push_back(one);
    else if (one->possible() && (fastest == nullptr || one->seconds < fastest->seconds))
      fastest = one;
  }
  if (fastest != nullptr) shown.push_back(fastest);
  return shown;
}

void add_line(TextTable& table, const Candidate& candidate, const std::string& solver) {
  table.add(
      {fmt::format("{}{} + {}", candidate.chosen() ? "▸ " : "  ", candidate.operator_name, solver),
       candidate.possible() ? bytes(candidate.bytes) : "—",
       candidate.possible() ? duration(candidate.seconds) : "—",
       candidate.possible() ? candidate.error : "—",
       candidate.walks > 0
           ? fmt::format("{}, {} passes over the file", candidate.verdict, candidate.walks)
           : candidate.verdict});
}

}  // namespace

std::string plan_table(const Plan& plan) {
  TextTable table({"operator + solver", "memory", "time", "error", "verdict"});
  std::size_t left_out = 0;
  for (std::size_t begin = 0, end = 0; begin < plan.candidates.size(); begin = end) {
    std::vector<const Candidate*> group;
    bool same = true;  // refused for the same reason with every solver
    for (; end < plan.candidates.size() &&
           plan.candidates[end].operator_name == plan.candidates[begin].operator_name;
         ++end) {
      group.push_back(&plan.candidates[end]);
      same = same && !group.back()->possible() && group.back()->verdict == group.front()->verdict;
    }
    if (same) {
      add_line(table, *group.front(), "any solver");
      continue;
    }
    const std::vector<const Candidate*> shown = worth_a_line(group);
    left_out += group.size() - shown.size();
    for (const Candidate* one : shown) add_line(table, *one, one->solver_name);
  }
  const std::string more =
      left_out > 0
          ? fmt::format("  {} more pairs, slower or not asked for: --json lists all\n", left_out)
          : "";
  return table.text() + more;
}

namespace {

// What counts against the budget; the program itself is not part of it.
std::uint64_t chosen_bytes(const Plan& plan) {
  for (const Candidate& candidate : plan.candidates)
    if (candidate.chosen()) return candidate.bytes;
  return plan.predicted.bytes;
}

}  // namespace

std::string plan_line(const Plan& plan, const Budget& budget) {
  return fmt::format("{} + {}{}; {} of {}; about {}", plan.operator_name, plan.solver_name,
                     plan.operator_name == "blocked_gram" &&
                             !solver_choice(plan.solver_name).recipe.needs_matrix
                         ? ", the matrix is never stored"
                         : "",
                     bytes(chosen_bytes(plan)), bytes(budget.memory),
                     duration(plan.predicted.seconds)) +
         (plan.walks > 0 ? fmt::format("; {} passes over the file", plan.walks) : "") +
         (plan.predicted.rates == RateOrigin::estimated ? " (by the rates of another processor)"
                                                        : "");
}

std::string rates_line(const Plan& plan) {
  const BlasInfo& blas = blas_info();
  std::string line =
      fmt::format("\n  times by rates {}   mercer calibrate\n",
                  plan.predicted.rates == RateOrigin::listed     ? "listed for this processor"
                  : plan.predicted.rates == RateOrigin::measured ? "measured on this machine"
                  : plan.predicted.rates == RateOrigin::quick
                      ? "measured here in a moment"
                      : "of another processor: right to a factor of 3 or so");
  if (!blas.better.empty())
    line += fmt::format("  {} runs its {} kernels: OPENBLAS_CORETYPE={} would be faster (W802)\n",
                        blas.library, blas.kernels, blas.better);
  return line;
}

}  // namespace mercer::cli
