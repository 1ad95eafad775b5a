// What the methods that look for independent sources tell of them: their order, figures, and
// warnings where the rows do not determine them.
#pragma once

#include "mercer/models/components.h"
#include "mercer/models/detail/ica/shape.h"
#include "mercer/models/report.h"

#include <vector>

namespace mercer::detail {

/// Of the axes that rows are whitened along. Whatever it is, rows are white to rounding within
/// them; they should be better than what is enough for looking at scores, and dense solvers make
/// them exact.
constexpr double kWhiteningTolerance = 1e-8;

/// Numbers of the sources, the largest negentropy first.
std::vector<Index> by_negentropy(const std::vector<SourceShape>& shapes);

/// Shapes, shares of the variance and the mixing matrix; the report has a spectrum and n.
void add_source_figures(const std::vector<SourceShape>& shapes, const Block& mixing,
                        Report& report);

/// Where axes below what whitening can divide by were left out, and nobody said so yet: `k` are
/// left of the components asked for.
void warn_of_axes(const Components& components, Index k, Report& report);

/// Two Gaussian sources, or more, may be turned among each other without anything to see; and n
/// centred and whitened rows in n - 1 dimensions are the corners of a regular simplex, whatever
/// they were.
void warn_of_identity(const std::vector<SourceShape>& shapes, Report& report);

}  // namespace mercer::detail
