// The eigenpairs of a low-rank matrix close to the kernel matrix, from a few of its columns chosen
// by randomly pivoted Cholesky: K~ = F F' with F = K(:, S) L^-T. Pivots are drawn with probability
// proportional to what is left on the diagonal, in blocks, with the rejection step that keeps the
// law of drawing one by one (Chen, Epperly, Tropp, Webber; accelerated form). Needs l columns of K
// and n l^2 operations, and gives a start and a preconditioner that save passes over K.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/low_rank.h"
#include "mercer/linalg/operator.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mercer {

struct PivotedCholesky {
  Block factor;               // n x rank, K ~ factor factor'
  std::vector<Index> pivots;  // rows of K that were chosen
  double left = 0;            // trace of K - factor factor'
};

/// Stops early when nothing is left, or when the operator cannot give columns or has a diagonal
/// that is not positive: the factor is then empty. `entry_error`: relative rounding of entries.
struct CholeskyStart {
  std::vector<Index> pivots;  // taken before any is drawn; what is left of each must be positive
  double enough = 0;          // so much of the trace may be left
};
PivotedCholesky pivoted_cholesky(const SymmetricOperator& gram, Index rank, double entry_error,
                                 std::uint64_t seed, const Context& context,
                                 const CholeskyStart& start = {});

/// Leading eigenpairs of P F F' P, where `remove` applies P to the columns of a block.
LowRank leading_pairs(Block factor, Index most, const std::function<void(BlockRef)>& remove,
                      const Context& context);

}  // namespace mercer
