#include "apps/cli/fit_folds.h"

#include "apps/cli/arguments.h"
#include "mercer/core/text.h"
#include "mercer/models/cross_validate.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace {

std::string errors_text(const char* what, const Vector& figures, const Vector& errors) {
  std::string text = what;
  for (Index j = 0; j < figures.size(); ++j)
    text += fmt::format("{} {} ± {}", j == 0 ? "" : ",", brief(figures[j]), brief(errors[j], 2));
  return text;
}

// How far it is, is told by the folds that are done: each has searches of its own, which say
// nothing of those to come.
Context told_by_folds(Context context) {
  if (!context.observer.progress) return context;
  context.observer.progress = [tell = context.observer.progress,
                               done = 0.0](const Progress& progress) mutable {
    constexpr std::string_view kPhase = "cross-validation";
    if (progress.phase == kPhase) done = progress.done;
    tell({.phase = kPhase, .done = done});
  };
  return context;
}

}  // namespace

bool judge_by_folds(const FitArguments& args, const Training& training, Model& model,
                    const Context& context, Terminal& terminal) {
  const Index folds = args.folds();
  if (folds == 0) return true;
  const auto how = CrossValidationOptions::of(folds, model.options);
  try {
    const CrossValidation found = about(args.place(), [&] {
      return cross_validate(args.method, training, args.given, how, told_by_folds(context));
    });
    found.add_to(model.report);
    terminal.say("Folds",
                 found.classifies
                     ? fmt::format("{} folds: {:.2f} % ± {:.2f} % of rows left out are right",
                                   folds, 100 * found.accuracy, 100 * found.accuracy_error)
                     : fmt::format("{} folds: {}   {}", folds,
                                   errors_text("RMSE", found.rmse, found.rmse_error),
                                   errors_text("R²", found.r_squared, found.r_squared_error)));
    for (const Warning& warning : found.warnings) terminal.warn(warning);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_time) throw;
    model.report.warnings.push_back(
        {WarningCode::time_ran_out,
         "the time was over before the cross-validation: it has no figures"});
    terminal.warn(model.report.warnings.back());
    return false;
  }
}

}  // namespace mercer::cli
