#include "mercer/solvers/iteration.h"

#include "mercer/linalg/tall.h"
#include "mercer/solvers/krylov_basis.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

// Random columns in a start that comes from elsewhere: they find what it missed altogether.
constexpr Index kRandomColumns = 8;
// Streams of random numbers: that of the start, and the first one of replacements.
constexpr std::uint64_t kStartStream = 999, kReplacementStream = 2000;

}  // namespace

Block start_block(Index n, Index width, const EigenRequest& request, const Context& context) {
  width = std::min(width, n);
  const Block* given = request.start != nullptr         ? request.start
                       : request.search.near != nullptr ? &request.search.near->vectors
                                                        : nullptr;
  const Index random = std::min(kRandomColumns, (width + 3) / 4);
  const Index known = given == nullptr ? 0 : std::min(given->cols(), width - random);
  Block block(n, width);
  if (known > 0) block.leftCols(known) = given->leftCols(known);
  block.rightCols(width - known) =
      gaussian_block(n, width - known, request.search.seed, kStartStream, context);
  return completed(std::move(block), Block(n, 0), width, 0, request.search.seed, context);
}

Block completed(Block z, ConstBlockRef v, Index width, double scale, std::uint64_t seed,
                const Context& context) {
  const Index n = v.rows();
  width = std::min(width, n - v.cols());
  Block block = orthonormal(std::move(z), v, scale, context);
  // A random column is dependent with probability 0, and by rounding only where hardly any room is
  // left: a few rounds fill it.
  for (std::uint64_t round = 0; block.cols() < width && round < 5; ++round) {
    Block all(n, v.cols() + block.cols());
    all << v, block;
    const Block more = orthonormal(
        gaussian_block(n, width - block.cols(), seed, kReplacementStream + round, context), all, 0,
        context);
    Block larger(n, block.cols() + more.cols());
    larger << block, more;
    block = std::move(larger);
  }
  return block;
}

bool at_rounding_floor(const std::vector<PassPoint>& history, std::size_t window, Index n,
                       double largest, double operator_error) {
  // The operator's error is bounded in the Frobenius norm; what independent roundings do to one
  // vector is smaller by sqrt(n).
  const double root = std::sqrt(static_cast<double>(n));
  const double floor =
      std::max(largest > 0 ? 10 * operator_error / (largest * root) : 0, 0x1p-52 * root);
  const std::size_t at = history.size();
  return at > window && history.back().residual < 30 * floor &&
         history.back().residual > 0.5 * history[at - 1 - window].residual;
}

}  // namespace mercer
