// The dissimilarities of all pairs of samples and the weights of the pairs, tile by tile: from the
// rows of a table or from a matrix of distances, kept where there is room for them, else made anew
// on each walk. Distances that are missing (not a number) have weight 0. All are multiplied by a
// power of two that brings the largest near 1.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/parallel.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/models/detail/stress/row_distances.h"
#include "mercer/operators/given.h"

#include <functional>
#include <memory>
#include <vector>

namespace mercer::detail {

/// The weight of a pair is its dissimilarity to this power, times its entry in the matrix, where
/// there is one.
struct PairWeights {
  double power = 0;
  DataView matrix = {};
  bool none() const { return power == 0 && matrix.n() == 0; }
  /// Of one pair: 0 where the dissimilarity is 0 and the power negative.
  double of(double wanted) const;
};

class PairTable {
 public:
  /// Rows of a tile.
  static constexpr Index kTile = 256;
  struct Tile {
    const double* wanted;
    const double* weight;  // null: all are 1
  };
  struct Scratch {
    std::vector<double> wanted, weight;
  };

  /// Throws M244 where all dissimilarities are 0, M245 where the known ones do not connect all
  /// samples.
  PairTable(DataView rows, Given given, const PairWeights& weights, const Context& context);

  Index n() const { return n_; }
  bool weighted() const { return weighted_; }
  /// What dissimilarities were multiplied by.
  double scale() const { return scale_; }
  /// Sum of w wanted^2 over the pairs.
  double total() const { return total_; }
  Index missing() const { return missing_; }
  /// Whether any entry is missing, in one half of the matrix at least.
  bool gaps() const { return gaps_; }
  const std::vector<Range>& parts() const { return parts_; }
  /// Rows are the first part of the pair, columns the second.
  Tile tile(TilePair pair, Scratch& scratch) const;
  /// Calls work(pair, tile, scratch's number) for all tiles, those that share rows one after the
  /// other: it may write to the rows of both its parts.
  void each(const Context& context, const std::function<void(TilePair, Tile)>& work) const;

 private:
  void find_scale(const Context& context);
  void look(const Context& context);
  void keep(const Context& context);
  void check_connected(const Context& context) const;
  void fill(TilePair pair, double* wanted, double* weight) const;
  void fill_given(Range rows, Range columns, double* wanted) const;
  std::size_t place(TilePair pair) const;

  DataView rows_;
  Given given_;
  PairWeights weights_;
  Index n_;
  double scale_ = 1, total_ = 0;
  Index missing_ = 0;
  bool weighted_ = false, gaps_ = false;
  std::vector<Range> parts_;
  std::unique_ptr<RowDistances> of_rows_;
  std::vector<std::vector<double>> kept_, kept_weights_;
  MemoryAccount::Hold held_;
};

}  // namespace mercer::detail
