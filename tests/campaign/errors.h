// Whether an error was justified.
#pragma once

#include "mercer/core/error.h"
#include "mercer/kernels/kernel.h"
#include "tests/campaign/checks.h"

#include <functional>

namespace mercer::campaign {

/// `truth` is asked where it is needed: rows that are all equal have none.
void check_error(const Error& error, const Configuration& asked,
                 const std::function<Truth()>& truth, const Points& rows, Violations& out);

}  // namespace mercer::campaign
