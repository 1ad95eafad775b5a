// The tables of a fit: one, or several that are read as one.
#pragma once

#include "apps/cli/fit_arguments.h"

namespace mercer::cli {

/// Reads them all. Several are told of one by one, and then together.
Table read_all(const FitArguments& args, const ReadOptions& reading, const Context& context,
               Terminal& terminal);

/// Symmetric, not negative, zeros on the diagonal: distances between samples look like that, and
/// hardly anything else. Zeros and ones alone are a graph, and equal numbers a table of dummies.
bool looks_like_distances(DataView rows);

}  // namespace mercer::cli
