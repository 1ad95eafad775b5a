// Choices about a spectrum: which values are wanted, which are significant, which belong together.
#pragma once

#include "mercer/core/types.h"
#include "mercer/solvers/eigen.h"

#include <vector>

namespace mercer {

struct Selection {
  std::vector<Index> positions;  // into the ascending values, in the order asked for
  Index wanted = 0;              // before insignificant ones were dropped
  double next_value = 0;         // the first significant one left out, 0 where there is none
  double reachable = 1;          // the largest share there is, where more was asked for
};

/// The values a request asks for, from all of them in ascending order.
Selection select_pairs(const Vector& ascending, double trace, const EigenRequest& request);

/// Runs of neighbouring values (in the given order) that differ by at most `distance`: within such
/// a cluster the data do not determine single vectors, only their span.
std::vector<Range> clusters(const Vector& values, double distance);

}  // namespace mercer
