#include "tests/campaign/run_case.h"

#include "mercer/core/text.h"
#include "mercer/kernels/entry_bound.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/campaign/errors.h"
#include "tests/campaign/quad_kernel.h"
#include "tests/campaign/tables.h"

#include <fmt/format.h>

#include <chrono>

namespace mercer::campaign {
namespace {

constexpr double kSeconds = 60;  // a case of some hundred rows takes less than one

Context context_of(const Configuration& c) {
  Context context;
  context.budget.threads = 1;
  context.budget.operator_name = c.op;
  context.budget.solver_name = c.solver;
  context.budget.precision = c.precision == "single"   ? Precision::single_
                             : c.precision == "double" ? Precision::double_
                                                       : Precision::automatic;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kSeconds);
  context.observer.cancelled = [end] { return std::chrono::steady_clock::now() > end; };
  return context;
}

void transform_again(const Transforms& model, const Dataset& data, const Context& context,
                     Answer& a, Violations& out) {
  try {
    a.again = model.transform(data, context);
  } catch (const Error& error) {
    out.push_back(
        {"transform of the training rows refused " + code_text(error.code()), error.message()});
  }
}

// As docs/how/accuracy.md bounds an entry.
double float_entry(const Kernel& kernel, const Configuration& c, const Dataset& data,
                   const Context& context) {
  return entry_bound(kernel, make_frame(kernel, data, c.center, context), Precision::single_).error;
}

// Fits; throws what the fit throws.
void fit(const Configuration& c, const Dataset& data, Answer& a, Violations& out) {
  const Context context = context_of(c);
  if (c.method == "pca") {
    const Pca model = Pca::fit(data,
                               {.components = Components::parse(c.components),
                                .tolerance = Tolerance::parse(c.tolerance),
                                .center = c.center,
                                .certify = c.certify,
                                .seed = c.seed},
                               context);
    a.report = model.report;
    a.scores = exact_projection(data.view().to_points(), model.axes(), c.center);
    return transform_again(model, data, context, a, out);
  }
  const KernelPca model = KernelPca::fit(data,
                                         {.kernel = c.kernel,
                                          .components = Components::parse(c.components),
                                          .tolerance = Tolerance::parse(c.tolerance),
                                          .center = c.center,
                                          .indefinite = c.indefinite,
                                          .nullspace = c.nullspace,
                                          .as = c.as,
                                          .certify = c.certify,
                                          .seed = c.seed},
                                         context);
  a.report = model.report;
  a.scores = model.scores();
  a.signature = model.signature();
  if (c.as == "table" && a.report.plan.precision == Precision::single_)
    a.new_entry = float_entry(Kernel(c.kernel).resolve(data, context), c, data, context);
  transform_again(model, data, context, a, out);
}

bool refused(const Error& error) {
  return error.code() == ErrorCode::bad_option_value &&
         error.message().find("cannot be used here") != std::string::npos;
}

void judge(Answer& a, Verdict& verdict) {
  if (a.truth.zero) {
    if (a.report.spectrum->drowned() && !a.report.converged) return;  // it says so
    verdict.violations.push_back({"components of a matrix that is zero", ""});
    return;
  }
  prepare(a);
  verdict.outcome = outcome_of(a);
  check_values(a, verdict.violations);
  check_report(a, verdict.violations);
  check_vectors(a, verdict.violations);
}

}  // namespace

Truth find_truth(const Configuration& c, const Dataset& data) {
  const Points rows = data.view().to_points();
  if (c.as != "table")
    return truth_of(quad_given(rows, c.as), c.center ? Removed::mean : Removed::nothing, rows);
  const Kernel kernel =
      c.method == "pca" ? Kernel("linear") : Kernel(c.kernel).resolve(data, Context{});
  const bool affine = is_spline(kernel) && c.nullspace == "affine" && c.method == "kernel_pca";
  return truth_of(quad_kernel(kernel, rows, !c.center),
                  !c.center ? Removed::nothing
                  : affine  ? Removed::affine
                            : Removed::mean,
                  rows);
}

std::string outcome_of(const Answer& a) {
  if (a.has(WarningCode::tolerance_not_reached)) return "W600";
  if (a.has(WarningCode::not_complete)) return "W601";
  if (a.has(WarningCode::time_ran_out)) return "W602";
  return a.report.spectrum->certificate.complete
             ? std::string(name_of(a.report.spectrum->certificate.kind))
             : "not asked for proof";
}

void fit_somehow(Configuration& c, const Dataset& data, Answer& a, Violations& out) {
  for (;;) {
    try {
      return fit(c, data, a, out);
    } catch (const Error& error) {
      if (!refused(error) || (c.op.empty() && c.solver.empty())) throw;
      (c.op.empty() ? c.solver : c.op).clear();
    }
  }
}

Verdict run_case(const Configuration& asked) {
  Verdict verdict{asked, "", {}};
  try {
    const Dataset data = make_table({asked.data, asked.n, asked.dim, asked.data_seed});
    Answer answer;
    try {
      fit_somehow(verdict.ran, data, answer, verdict.violations);
    } catch (const Error& error) {
      verdict.outcome = code_text(error.code());
      check_error(
          error, verdict.ran, [&] { return find_truth(asked, data); }, data.view().to_points(),
          verdict.violations);
      return verdict;
    }
    answer.asked = verdict.ran;
    answer.truth = find_truth(asked, data);
    judge(answer, verdict);
  } catch (const std::exception& error) {
    verdict.outcome = "exception";
    verdict.violations.push_back({"exception", error.what()});
  }
  return verdict;
}

}  // namespace mercer::campaign
