#include "apps/cli/fit_arguments.h"

#include "apps/cli/render/table.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

namespace mercer::cli {

void FitArguments::add_to(Command& command) {
  command.positional("TABLE", table, "table to fit on; - is standard input");
  command.option("method", method, "kernel_pca or pca (mercer list methods)");
  command.fields(fit);
  budget.add_to(command, true);
  reading.add_to(command);
}

std::string plan_table(const Plan& plan) {
  TextTable table({"operator + solver", "memory", "time", "error", "verdict"});
  for (const Candidate& candidate : plan.candidates) {
    const std::string name = fmt::format("{} + {}", candidate.operator_name, candidate.solver_name);
    table.add({(candidate.chosen ? "▸ " : "  ") + name,
               candidate.possible ? bytes(candidate.bytes) : "—",
               candidate.possible ? duration(candidate.seconds) : "—",
               candidate.possible ? candidate.error : "—", candidate.verdict});
  }
  return table.text();
}

namespace {

// What counts against the budget; the program itself is not part of it.
std::uint64_t chosen_bytes(const Plan& plan) {
  for (const Candidate& candidate : plan.candidates)
    if (candidate.chosen) return candidate.bytes;
  return plan.predicted_bytes;
}

}  // namespace

std::string plan_line(const Plan& plan, const Budget& budget) {
  return fmt::format("{} + {}{}; {} of {}; about {}", plan.operator_name, plan.solver_name,
                     plan.operator_name == "blocked_gram" && plan.solver_name != "dense"
                         ? ", the matrix is never stored"
                         : "",
                     bytes(chosen_bytes(plan)), bytes(budget.memory),
                     duration(plan.predicted_seconds));
}

std::string accuracy_text(const FitReport& report) {
  const Certificate& proof = report.certificate;
  const double worst = proof.residuals.size() > 0 ? proof.residuals.maxCoeff() : 0;
  if (!report.eigenvalues_only)
    return fmt::format("residuals ≤ {} (asked {})", brief(worst, 2), brief(report.tolerance, 2));
  const Vector width =
      (proof.eigenvalue_upper - report.eigenvalues).cwiseQuotient(report.eigenvalues);
  return fmt::format("eigenvalues within {} (asked {}), residuals ≤ {}: scores are less exact",
                     brief(width.size() > 0 ? width.maxCoeff() : 0, 2), brief(report.tolerance, 2),
                     brief(worst, 2));
}

std::string completeness_text(const Certificate& certificate) {
  if (!certificate.complete)
    return certificate.kind == "none" && certificate.reason.empty() ? "not asked" : "not verified";
  if (certificate.kind != "probabilistic") return "verified";
  return fmt::format("verified (failure ≤ {})", brief(certificate.failure, 1));
}

std::string problem_line(const FitArguments& arguments, const Dataset& data) {
  return fmt::format("{}   n {}   dim {}   components {}   tolerance {}", arguments.method,
                     grouped(data.n()), grouped(data.dim()), arguments.fit.components.text(),
                     arguments.fit.tolerance.text());
}

}  // namespace mercer::cli
