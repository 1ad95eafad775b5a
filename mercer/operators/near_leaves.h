// Rows in the order of a k-d tree, cut into leaves, and which leaves are near each other. A leaf is
// kLeafRows rows in a tight box; where boxes are farther apart than the cutoff, the kernel of their
// rows is below the error allowed. Leaves are grouped into blocks, nodes of the tree as well.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/parallel.h"
#include "mercer/core/types.h"

#include <algorithm>
#include <vector>

namespace mercer {

class Kernel;

/// What sums over near rows would take, found on a sample.
struct NearShape {
  double cutoff = 0;  // farther away the kernel is below the error allowed; 0: it does not fall off
  double share = 1;   // of all pairs of rows, those within the cutoff (boxes included)
};

/// Of a kernel that falls off: the cutoff where it is below eps, and the share of pairs within.
NearShape near_shape(const Points& sample, const Kernel& kernel, double scale, Index n, double eps);

/// Rows of a leaf; the last one may have fewer.
constexpr Index kLeafRows = 128;
/// Leaves of a block, at most.
constexpr Index kBlockLeaves = 32;

/// The tree over all rows. Immutable.
class NearLeaves {
 public:
  /// Sorts rows z into leaves; throws M001 when cancelled.
  NearLeaves(const Points& z, const Context& context);

  /// Place i of the tree holds row order()[i].
  const std::vector<Index>& order() const { return order_; }
  Index leaves() const { return (n_ + kLeafRows - 1) / kLeafRows; }
  Range rows(Index leaf) const { return {leaf * kLeafRows, std::min(n_, (leaf + 1) * kLeafRows)}; }
  /// Ranges of leaves.
  const std::vector<Range>& blocks() const { return blocks_; }
  /// Whether the boxes of two leaves are within the cutoff.
  bool near(Index a, Index b, double cutoff) const { return squared_gap(a, b) <= cutoff * cutoff; }
  /// The square of the distance between the boxes of two leaves.
  double squared_gap(Index a, Index b) const {
    return apart_squared(box({a, a + 1}), box({b, b + 1}));
  }
  /// The square of the distance from a row to the box of a leaf.
  double squared_gap(const double* row, Index leaf) const {
    const double* b = box({leaf, leaf + 1});
    double sum = 0;
    for (Index j = 0; j < dim_; ++j) {
      const double gap = std::max({0.0, row[j] - b[dim_ + j], b[j] - row[j]});
      sum += gap * gap;
    }
    return sum;
  }
  /// Pairs of blocks with boxes within the cutoff, in rounds: within one no block stands in two
  /// pairs, so that sums of both may be added to at once.
  std::vector<std::vector<TilePair>> rounds(double cutoff) const;

 private:
  void split(const Points& z, Range leaves, Index least, std::vector<Range>* rest);
  void cut_blocks(Range leaves);
  double apart_squared(const double* a, const double* b) const {
    double sum = 0;
    for (Index j = 0; j < dim_; ++j) {
      const double gap = std::max({0.0, a[j] - b[dim_ + j], b[j] - a[dim_ + j]});
      sum += gap * gap;
    }
    return sum;
  }
  // Leaf k is node 2k; a node that is cut before leaf m is 2m - 1: each has its own number.
  static Index node_of(Range leaves) {
    return leaves.size() == 1 ? 2 * leaves.begin : 2 * middle(leaves) - 1;
  }
  static Index middle(Range leaves) { return (leaves.begin + leaves.end) / 2; }
  const double* box(Range leaves) const { return boxes_.data() + node_of(leaves) * 2 * dim_; }

  Index n_, dim_;
  std::vector<Index> order_;
  std::vector<double> boxes_;  // of every node, low and then high
  std::vector<Range> blocks_;
};

}  // namespace mercer
