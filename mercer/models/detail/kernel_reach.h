// How far a kernel reaches. Where |k| falls with the distance, a new row far from all training rows
// has |k| of nearly nothing with each of them, and the scores of every such row are the same. What
// "nearly nothing" is, the training rows say: each has a largest |k| with another one, and a new
// row is out of reach where its own largest is less than a thousandth of what 19 of 20 of them have
// at least. Kernels that do not fall with the distance have no such bound.
#pragma once

#include "mercer/core/types.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace mercer::detail {

/// Whether |k| is at most that of a row with itself: a far row has nothing in common with any.
bool is_bounded(const Kernel& kernel);

/// What was left out of the values in tiles.
double left_out_of_tiles(const Kernel& kernel, const Frame& frame);

/// Training rows that are asked for their nearest: all of a few, else evenly spaced ones.
std::vector<Index> rows_asked_for_reach(Index n);
/// The least |k| within reach, from the largest one of each row that was asked.
double reach_from(Vector largest);

/// Which rows have had a value within reach, tile by tile; once a row has one, the others are not
/// looked at, so that rows like the training rows cost next to nothing.
template <class T>
class ReachMarks {
 public:
  /// Of so many rows. Values are `unit` times those of tiles, and `offset`. `least` 0: none is
  /// looked at.
  ReachMarks(Index rows, double least, double unit, double offset)
      : within_(least > 0 ? static_cast<std::size_t>(rows) : 0, 0),
        high_(static_cast<T>((least - offset) / unit)),
        low_(static_cast<T>((-least - offset) / unit)) {}

  /// The values of these rows with some training rows, row-major. Rows of one call are no other's.
  void look(const T* tile, Range rows, Index columns) {
    if (within_.empty()) return;
    for (Index i = rows.begin; i < rows.end; ++i) {
      char& own = within_[static_cast<std::size_t>(i)];
      if (!own) own = any_within(tile + (i - rows.begin) * columns, columns) ? 1 : 0;
    }
  }
  /// Those that had none.
  std::vector<Index> missed() const {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < within_.size(); ++i)
      if (!within_[i]) rows.push_back(static_cast<Index>(i));
    return rows;
  }

 private:
  bool any_within(const T* values, Index n) const {
    constexpr Index kTogether = 32;
    for (Index begin = 0; begin < n; begin += kTogether) {
      T largest = values[begin], smallest = values[begin];
      for (Index j = begin + 1; j < std::min(n, begin + kTogether); ++j) {
        largest = values[j] > largest ? values[j] : largest;
        smallest = values[j] < smallest ? values[j] : smallest;
      }
      if (largest >= high_ || smallest <= low_) return true;
    }
    return false;
  }

  std::vector<char> within_;
  T high_, low_;
};

}  // namespace mercer::detail
