// A plan as people read it.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/plan/plan.h"

#include <string>

namespace mercer::cli {

/// The plan with every candidate, as a table.
std::string plan_table(const Plan& plan);
/// Which rates the times rest on, and how to get better ones.
std::string rates_line(const Plan& plan);
/// "dense_gram + dense; 12.3 MiB of 11.7 GiB; about 0.4 s".
std::string plan_line(const Plan& plan, const Budget& budget);

}  // namespace mercer::cli
