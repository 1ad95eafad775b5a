// Widths of the blocks of block_krylov, by the regime: few wide passes where the matrix is computed
// anew in each, narrow ones where it is stored.
#pragma once

#include "mercer/core/types.h"
#include "mercer/solvers/eigen.h"
#include "mercer/solvers/recipe.h"

namespace mercer {

struct KrylovWidths {
  Index block = 0;    // columns of an ordinary pass
  Index first = 0;    // columns of the first pass
  Index probes = 0;   // columns of the proof of completeness
  Index random = 0;   // of the first pass, beside a start that comes from elsewhere
  bool ride = false;  // probe columns ride in the first two passes; else they come when needed
};

/// What the planner expects.
KrylovWidths krylov_widths(const SolverTask& task);
/// What a run on n rows takes: the request's own widths, and what a matrix nearby shows.
KrylovWidths krylov_widths(Index n, const EigenRequest& request);

}  // namespace mercer
