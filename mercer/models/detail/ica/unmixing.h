// A search for the directions of independent components in whitened rows z (n x K, zero mean and
// unit covariance): what it is given, what it gives back, and what searches share.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <cstdint>
#include <vector>

namespace mercer::detail {

struct Unmixing {
  Block w;                      // K x K: sources are z w'
  Index iterations = 0;         // of deflation: of the source that took most
  double change = 0;            // what the tolerance is compared with, after the last iteration
  double objective = 0;         // what the search makes large; that of the likelihood is per row
  std::vector<bool> flat = {};  // sources with the flat density, of the likelihood
  bool converged = false;
  bool late = false;  // the time was over
};

/// When a search stops.
struct UnmixingStop {
  Index iterations = 1000;
  double tolerance = 1e-6;
};

/// Orthonormal rows, uniform over rotations: the same for the same seed and number.
Block random_rotation(Index k, std::uint64_t seed, Index number);

/// The nearest orthonormal rows: (w w')^-1/2 w.
void decorrelate(Block& w);

/// Whether the time allowed is over; throws M001 where the caller asked to stop.
bool time_is_over(const Context& context);

}  // namespace mercer::detail
