// Cases run in a process of their own, so that one that crashes or never ends is a violation like
// others and the campaign goes on after it.
#pragma once

#include "tests/campaign/run_case.h"

#include <functional>
#include <vector>

namespace mercer::campaign {

struct Numbered {
  Index number;  // as printed; those kept from earlier campaigns have negative ones
  Configuration asked;
};

/// Runs every case in its order; calls take(case, verdict) for each. `make(i)` gives the i-th of
/// `count` cases, in the process that runs it and once more in this one where it is needed.
void run_all(Index count, const std::function<Numbered(Index)>& make,
             const std::function<void(const Numbered&, const Verdict&)>& take);

}  // namespace mercer::campaign
