// Which rows a sample takes. What float tiles do to a row depends on the row: products lose digits
// as the squares of lengths grow, dot products as the diagonal, and only entries that are not
// nothing have an error at all. Rows drawn evenly would miss a small cluster far away; so some are
// drawn evenly, some by each of these sizes, and some by the vectors that were found, so that each
// of them is looked at where it lives. How often each row is to be expected is known, and what it
// shows is divided by that.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/operators/problem.h"

#include <cstdint>
#include <vector>

namespace mercer {

/// What is known of the rows before they are drawn; empty vectors where it is not.
struct RowSizes {
  Vector rounding;  // of an entry of the row, in units, by the length of the row
  Vector diagonal;  // |k(x, x)|
  Vector sums;      // |sum of the row without its diagonal|
};

/// Units of rounding that float tiles leave in the entries of each row: about
///   4 + 4 (d+3)^(1/2) |dk/d(r^2)| |x|^2.
Vector rounding_by_length(const GramProblem& problem, const Frame& frame, const Context& context);

class RowDraw {
 public:
  /// About `count` rows, those with the most weight more than once; all rows, once, of twice as
  /// many or fewer. Then, for each column of `vectors`, so many more that at least kOwn draws are
  /// as good as drawn by its squares.
  RowDraw(Index n, const RowSizes& sizes, Index count, ConstBlockRef vectors, std::uint64_t seed,
          std::uint64_t stream);

  bool everything() const { return everything_; }
  const std::vector<Index>& rows() const { return rows_; }  // ascending, each once
  /// How often a row was drawn, and how often it was to be expected.
  const Vector& times() const { return times_; }
  const Vector& expected() const { return expected_; }
  /// Whether there were too many vectors that live on few rows to look at this one.
  bool blind(Index vector) const { return blind_[static_cast<std::size_t>(vector)]; }

 private:
  void draw(const Vector& weights, Index count, std::uint64_t number);

  Index n_;
  std::uint64_t seed_, stream_;
  Vector chances_;            // expected draws of every row
  std::vector<Index> drawn_;  // as they come
  std::vector<Index> rows_;
  Vector times_, expected_;
  std::vector<bool> blind_;
  bool everything_ = false;
};

}  // namespace mercer
