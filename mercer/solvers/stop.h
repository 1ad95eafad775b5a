// Why a search ended before it had all that was asked of it.
#pragma once

#include "mercer/core/types.h"

#include <string>

namespace mercer {

enum class StopReason {
  reached,            // it did not: there is all that was asked
  out_of_time,        // of the four, in general,
  time_in_reduction,  // while the matrix was reduced: `count` of `total` columns were,
  time_in_vectors,    // while vectors were made,
  time_in_residuals,  // while residuals were measured
  passes_used_up,     // `count` of them
  too_flat,           // `count` passes, and hardly a gap in the spectrum
  rounding,           // residuals are as small as rounding lets them be
  ghosts,             // `count` vectors lost their orthogonality
  not_factored,       // no shifted matrix near an eigenvalue could be
  missed,             // eigenvalues are known to be there that no pass has found
  inseparable,        // what was not looked at may be as large as the last pair
  not_converged,      // none of the others
  float_tiles         // they round more than the search relied on
};

struct Stop {
  StopReason reason = StopReason::reached;
  Index count = 0, total = 0;

  bool early() const { return reason != StopReason::reached; }
  bool out_of_time() const;
  /// What users read; empty where the search did not end early.
  std::string words() const;
};

}  // namespace mercer
