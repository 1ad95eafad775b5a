// Cross-validation: rows in folds, the error of rows that were left out for every number of
// components, and the number to take. With sums of squares s_f(k) of fold f's n_f rows:
//   RMSEP(k) = sqrt(sum_f s_f(k) / n),    its standard error by the spread of s_f / n_f over folds.
// One standard error: the fewest components whose mean squared error is at most that of the best
// number plus its standard error (Breiman et al. 1984). Of several targets each counts by its own
// variance, so that units do not matter.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/models/components.h"
#include "mercer/models/fold_options.h"
#include "mercer/models/report.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// Rows of each fold, rising. Sizes differ by one at most.
std::vector<std::vector<Index>> folds_of(Index n, Index count, FoldType type, std::uint64_t seed);

/// Throws M102 for folds below 2, and for rules that there are not.
void check_folds(const Components& components, Index folds);

/// What a report says of a count that cross-validation found.
ChosenComponents chosen_by_folds(const Components& components, Index count);

/// How many folds a fit of n rows makes; 0: none. Throws M102 for more folds than rows.
Index fold_count(const Components& components, Index folds, Index n);

/// What held-out rows were predicted to, summed up.
class HeldOut {
 public:
  /// For `most` components at most; each target counts by its variance.
  HeldOut(Index folds, Index most, Vector variances);

  /// Of one fold: for each target (rows) and number of components from 0 on (columns) the sum of
  /// squared errors. Where there are fewer columns the last one stands for the rest.
  void add(Index fold, Index rows, const Block& squares);

  Index most() const { return most_; }
  /// RMSEP of each target (rows) for 0, 1, ... components.
  Block rmsep() const;
  Block rmsep_error() const;
  /// The number of components by the rule "", "one-se" or "min"; at least 1.
  Index chosen(std::string_view rule) const;
  /// No number of components predicts better than the mean.
  bool hopeless() const;
  /// The curve as figures, in units of the targets (factor: what they were multiplied by), and W256
  /// where there is nothing in it.
  void add_to(Report& report, const Vector& factor) const;

 private:
  Vector errors() const;  // mean squared errors, each target by its variance
  Block fold_errors() const;

  Index most_;
  Vector variances_;
  std::vector<Block> squares_;
  std::vector<Index> rows_;
};

}  // namespace mercer::detail
