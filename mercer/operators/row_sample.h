// A few rows of the kernel matrix in float64, against which the rounding of float tiles is
// measured. Rows are drawn at random after the plan is made and independently of the answer; what
// they show holds for all rows except with small probability, as far as the errors of rows are
// alike.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/operators/problem.h"

#include <cstdint>
#include <vector>

namespace mercer {

class RowSample {
 public:
  /// `failure`: probability that a figure is too small, where errors of rows are normal.
  RowSample(const GramProblem& problem, double failure, std::uint64_t seed, const Context& context);

  /// |K_single - K|_F at most: how far the matrix in float tiles is from the one in double.
  double tile_error() const { return tile_error_; }
  /// The same for the operator: passes also round the vectors to float, which is as good as another
  /// error of that relative size in K. Where K is nearly the identity nothing else is left.
  double operator_error() const { return operator_error_; }

  /// |K v - image| at most for each column v, where `image` is what float passes made of K v less
  /// its part in the span of `removed` (n rows; a column of ones where features are centred).
  /// Infinite where the sample is too small to tell that part.
  Vector product_error(ConstBlockRef v, ConstBlockRef image, ConstBlockRef removed) const;

  /// Bytes that n rows take.
  static double bytes(Index n);

 private:
  double upper(double mean_square) const;

  Index n_;
  std::vector<Index> rows_;
  Block exact_;        // rows_.size() x n
  double shrink_ = 1;  // mean of squares that a sample of this size may show of 1
  double tile_error_ = 0, operator_error_ = 0;
};

}  // namespace mercer
