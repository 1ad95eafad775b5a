// One case from its line to a verdict.
#pragma once

#include "mercer/data/dataset.h"
#include "tests/campaign/checks.h"
#include "tests/campaign/configuration.h"

#include <string>

namespace mercer::campaign {

struct Verdict {
  Configuration ran;    // as asked, less an operator or solver that refused
  std::string outcome;  // "verified", "complete", "W601", "M233": what the fit said of itself
  Violations violations;
};

/// Fits, and checks the answer or the error. A fit that takes more than a minute is cancelled,
/// which is a violation; every exception other than mercer::Error is one, too.
Verdict run_case(const Configuration& asked);

/// The parts of that: the truth about a case; the fit itself, less an operator or a solver that
/// refuses, which then is the planner's choice (throws what the fit throws); what it says of
/// itself.
Truth find_truth(const Configuration& asked, const Dataset& data);
void fit_somehow(Configuration& asked, const Dataset& data, Answer& answer, Violations& out);
std::string outcome_of(const Answer& answer);

/// Writes the table to a folder and gives the command that fits it.
std::string save_case(const Configuration& configuration, const std::string& folder);

/// The configuration, the fit's own report and the truth beside it.
std::string describe_case(const Configuration& configuration);

}  // namespace mercer::campaign
