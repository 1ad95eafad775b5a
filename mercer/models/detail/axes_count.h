// How many principal axes a rule finds (--components auto of pca). The rules are of
// component_rules.h; they look at the whole spectrum, or at many fits, and need the rows in memory.
#pragma once

#include "mercer/models/kind/pca.h"
#include "mercer/models/report.h"

#include <optional>

namespace mercer::detail {

/// Throws M102 for a rule that there is not, and for axes that are not centred.
void check_axes_rule(const PcaOptions& options);

/// The options with the count that a rule finds, where one is asked for. Throws M102 for rows that
/// come in chunks.
PcaOptions with_axes_counted(const Prepared& prepared, PcaOptions options, const Context& context);

/// What the report says of the count, where a rule found it.
std::optional<ChosenComponents> axes_chosen(const Components& asked, Index count);

}  // namespace mercer::detail
