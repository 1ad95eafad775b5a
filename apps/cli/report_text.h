// What a fit found, as people read it.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/models/kind.h"
#include "mercer/models/report.h"
#include "mercer/models/training.h"

#include <string>
#include <vector>

namespace mercer::cli {

/// The columns that are used and those that are set aside, with the reason; empty where the table
/// names none and all are used.
std::string columns_text(const InputInfo& input);
void tell_columns(const InputInfo& input, Terminal& terminal);

/// "transform, inverse": the commands for what a model can do.
std::string abilities_text(const Abilities& abilities);

/// "1 class", "3 classes", "60 000 rows": without `many`, an s is added to `one`.
std::string number_of(Index count, std::string_view one, std::string_view many = {});
/// "residuals ≤ 3e-07 (asked 1e-06)", or the same of the enclosures of the eigenvalues.
std::string accuracy_text(const Spectrum& spectrum);
/// "verified", "verified (failure <= 1e-07)", "not verified".
std::string completeness_text(const Certificate& certificate);
/// "PC1 41.2 %  PC2 20.1 %  ": the shares of the first components, or what they are at most.
std::string shares_text(const Spectrum& spectrum, Index shown);
/// "7 components, by cross-validation (one standard error)".
std::string chosen_text(const ChosenComponents& chosen);
/// "stress 0.12   iterations 37": what the method wants to be shown.
std::string figures_text(const Report& report);
/// All figures, a line each; those with a number or more for each column of the table together in
/// one table, a row for each column.
std::string all_figures_text(const Report& report, const std::vector<std::string>& column_names);

}  // namespace mercer::cli
