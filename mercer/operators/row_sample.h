// Rows of the kernel matrix in float64, against which the rounding of float tiles is measured: a
// few before a search, so that it knows what it may rely on, and others after it, drawn anew and
// also by what was found. Rows are drawn by what rounding may do to them (row_draw.h),
// independently of the answer or, for an answer, after it; what they show holds for all rows except
// with small probability.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/operators/problem.h"
#include "mercer/operators/row_draw.h"

#include <cstdint>

namespace mercer {

/// What float passes made of vectors: `images` is K v less its part in the span of `removed` (n
/// rows; a column of ones where features are centred). `row_sums`: of K as float passes have them;
/// empty where they were not made.
struct FloatProducts {
  const Block& vectors;
  const Block& images;
  const Block& removed;
  Vector row_sums = {};
};

class RowSample {
 public:
  /// Before a search. `diagonal`: of the kernel matrix, in the unit of its tiles, as are all
  /// figures. `failure`: probability that a figure is too small, where errors of rows are normal
  /// and as large as row_draw.h makes them to be, within a factor that the sample shows.
  RowSample(const GramProblem& problem, const Vector& diagonal, double failure, std::uint64_t seed,
            const Context& context);
  /// After it, with other rows. Throws M000 for products of another space than the rows.
  RowSample(const GramProblem& problem, const Vector& diagonal, const FloatProducts& products,
            double failure, std::uint64_t seed, const Context& context);

  /// |K_single - K|_F at most: how far the matrix in float tiles is from the one in double.
  double tile_error() const { return tile_error_; }
  /// The same for the operator: passes also round the vectors to float, which is as good as another
  /// error of that relative size in K. Where K is nearly the identity nothing else is left. Not
  /// finite where the kernel's values, or what they are made from, do not fit a float.
  double operator_error() const { return operator_error_; }
  /// |P K v - images| at most for each column v, P taking `removed` out; infinite where the rows
  /// cannot tell.
  const Vector& product_error() const { return product_error_; }

  /// Bytes that a sample of n rows takes, for so many vectors.
  static double bytes(Index n, Index vectors);

 private:
  void measure(const GramProblem& problem, const RowDraw& draw, const FloatProducts& products,
               const Context& context);
  double upper(const Vector& squares, const RowDraw& draw, Index lost, double entries) const;

  double failure_;
  double tile_error_ = 0, operator_error_ = 0;
  Vector product_error_;
};

}  // namespace mercer
