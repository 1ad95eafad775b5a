// fit --cross-validate FOLDS: how right the method is for rows that were left out.
#pragma once

#include "apps/cli/fit_arguments.h"
#include "apps/cli/terminal.h"

namespace mercer::cli {

/// Puts the figures into the model, and tells them; nothing where no folds were asked for. Where
/// the time is over before the folds are, the model stands without them, and the answer is false.
bool judge_by_folds(const FitArguments& args, const Training& training, Model& model,
                    const Context& context, Terminal& terminal);

}  // namespace mercer::cli
