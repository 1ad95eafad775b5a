// The only place that knows of threads. Work is cut into tasks whose shape depends on the problem
// and never on the number of threads; a task's result goes to its own place or is combined in a
// fixed order, so the numbers do not depend on how many threads there were.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/index.h"

#include <functional>
#include <vector>

namespace mercer {

/// Threads a call with this budget uses: the budget's number, or the processors this process may
/// run on.
Index thread_count(const Budget& budget);

/// Runs task(0) ... task(count-1), in any order, on the budget's threads. Between tasks the context
/// is asked whether to stop (M001). The first exception of a task ends the rest and is thrown here.
/// A parallel_for inside a task runs on the calling thread alone. BLAS is single-threaded while it
/// runs.
void parallel_for(const Context& context, Index count, const std::function<void(Index)>& task);

/// The ranges of at most `tile` that cut 0...n in order.
std::vector<Range> tiles_of(Index n, Index tile);

/// A pair of tile numbers, first <= second: one tile of a symmetric matrix.
struct TilePair {
  Index first = 0;
  Index second = 0;
};

/// All pairs of `blocks` tiles (diagonal ones too) in rounds: within a round every block number
/// stands in one pair at most, so that the tiles of a round may write to the row blocks of both
/// their numbers at once. Round r of an odd number B holds the pairs (r+i, r-i) mod B and the
/// diagonal tile r.
std::vector<std::vector<TilePair>> pair_rounds(Index blocks);

/// BLAS and LAPACK run on one thread while any guard lives; the caller's number is restored by the
/// last.
class BlasThreadGuard {
 public:
  BlasThreadGuard();
  ~BlasThreadGuard();
  BlasThreadGuard(const BlasThreadGuard&) = delete;
  BlasThreadGuard& operator=(const BlasThreadGuard&) = delete;
};

}  // namespace mercer
