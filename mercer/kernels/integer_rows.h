// IntegerRows: rows of small whole numbers, packed as bytes. Images and many tables hold nothing
// else, and then products and squared distances of rows can be had exactly from 8-bit integer
// instructions, several times faster than from floating-point ones and in a quarter of their
// memory. A value is offset + byte; pairs of rows may have different offsets.
//
// Layout: panels of 16 rows, each [steps][16 rows][4 columns], the columns rounded up to 4 * steps
// and the rows to whole panels with zeros. So 64 bytes hold four columns of every row of a panel,
// what one AVX-512 register multiplies by four columns of another row: one copy serves both sides.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mercer {

class IntegerRows {
 public:
  static constexpr Index kPanelRows = 16;  // 32-bit sums of the widest register
  /// 16384 * 255^2 is less than 2^31: sums of products stay within 32 bits.
  static constexpr Index kMostColumns = 16384;

  /// The rows packed; nothing unless they are dense, of 1 to 16384 columns, and their values whole,
  /// of magnitude 2^18 at most and no more than 255 apart.
  static std::optional<IntegerRows> pack(DataView rows, const Context& context);
  /// Whether pack() would succeed; bytes are not looked at, other rows up to the first that spoils
  /// it.
  static bool can_pack(DataView rows, const Context& context);
  /// What n packed rows take.
  static double bytes(Index n, Index dim);

  Index n() const { return static_cast<Index>(sums_.size()); }
  Index dim() const { return dim_; }
  std::int64_t offset() const { return offset_; }
  /// |row|^2, the offset included.
  std::int64_t squared_norm(Index i) const;

  /// The chosen rows, in that order.
  IntegerRows gathered(std::span<const Index> chosen) const;

  /// The bytes as described above, at a multiple of 64.
  const std::uint8_t* panels() const { return panels_.data(); }
  Index steps() const { return (dim_ + 3) / 4; }
  /// Sums and squared norms of the bytes of every row.
  const std::vector<std::int32_t>& byte_sums() const { return sums_; }
  const std::vector<std::int32_t>& byte_norms() const { return norms_; }

 private:
  IntegerRows(Index n, Index dim, std::int64_t offset);
  void set_row(Index i, const std::uint8_t* padded);

  Index dim_;
  std::int64_t offset_;
  Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1> panels_;
  std::vector<std::int32_t> sums_, norms_;
};

}  // namespace mercer
