// The tables of a fit: one, or several that are read as one.
#pragma once

#include "apps/cli/fit_arguments.h"

namespace mercer::cli {

/// Reads them all. Several are told of one by one, and then together.
Table read_all(const FitArguments& args, const ReadOptions& reading, const Context& context,
               Terminal& terminal);

}  // namespace mercer::cli
