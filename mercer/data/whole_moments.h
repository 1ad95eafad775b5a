// Mean and scatter of rows of small whole numbers, as images and many tables hold nothing else:
// bytes u = x - b, whose products and sums are whole numbers that doubles hold exactly. With the
// sums s of the bytes, r the whole number next to the mean of a column and e = s - n r,
//   S = [sum u u' - r s' - s r' + n r r'] - e e' / n
// where the bracket is exact, and no entry of e e' / n is larger than n / 4. Products of bytes take
// a fraction of the time of those of doubles, and nothing depends on the order of the rows.
#pragma once

#include "mercer/data/fingerprint.h"
#include "mercer/data/row_moments.h"

#include <optional>
#include <utility>
#include <vector>

namespace mercer {

class WholeMoments {
 public:
  /// Thrown where a value is not whole, or does not lie within 255 of the others.
  struct NotWhole {};

  /// Whether the first rows of this first chunk are such rows.
  static bool begin_with(DataView chunk);

  /// Moments with the scatter, of n rows that come in chunks.
  WholeMoments(Index n, Index dim, const MomentsWanted& wanted, const Context& context);
  void add(DataView chunk);
  RowMoments end();

 private:
  /// Of the columns, in one slot of rows.
  struct SlotSums {
    std::vector<std::uint8_t> low, high;
    std::vector<std::uint16_t> sums;  // of the piece
  };

  template <class T>
  bool bytes_of(DataView piece, const T* data, Index i, Vector& buffer, std::uint8_t* out) const;
  void put_step(const std::uint8_t* four, Index step);
  bool pack_slot(DataView piece, Range rows, SlotSums& slot);
  void pack(DataView piece);
  void add_products();
  void extremes(Vector& minimum, Vector& maximum) const;
  void centre(double square);

  const Context& context_;
  Index n_, dim_, done_ = 0, steps_ = 0;
  double offset_ = 0;
  Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1> bytes_;  // of a piece; aligned
  std::vector<std::int32_t> piece_sums_;
  std::vector<SlotSums> slots_;
  Block products_;  // lower triangle
  Vector sums_;
  std::vector<std::pair<Range, Range>> tiles_;
  std::optional<Fingerprinter> hash_;
};

/// Bytes that it takes of n rows: no more than a walk over doubles.
std::uint64_t whole_moments_bytes(Index n, Index dim);

}  // namespace mercer
