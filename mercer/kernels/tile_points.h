// TilePoints: rows in the precision and frame of a kernel, the copy that tiles are computed from.
// Each form of family reads its own: radial ones the centred rows, dot products the rows as they
// are, the cosine rows of length 1, sums of terms whichever they may. Sparse rows stay sparse, and
// where they are, for the forms that are products; the others get them spread out. Rows of small
// whole numbers are packed as bytes where all families are radial or see dot products: those are
// exact then, whatever the frame.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/check.h"
#include "mercer/core/types.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/integer_rows.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/sparse_tile.h"

#include <memory>
#include <span>
#include <vector>

namespace mercer {

template <class T>
class TilePoints {
 public:
  enum class Storage { as_given, dense, sparse, integer };

  /// Throws M222 for negative values where the kernel allows none. Tiles need rows and columns of
  /// one storage: common_storage() gives it. Throws M000 for rows that cannot be had as integers.
  TilePoints(const Kernel& kernel, const Frame& frame, DataView rows, const Context& context,
             Storage storage = Storage::as_given);

  /// The same rows for tiles of another precision: exact_products() share their numbers.
  template <class U>
  explicit TilePoints(const TilePoints<U>& exact)
      : n_(exact.n_),
        dim_(exact.dim_),
        radial_(exact.radial_),
        dot_(exact.dot_),
        angle_(exact.angle_),
        moved_terms_(exact.moved_terms_),
        plain_terms_(exact.plain_terms_),
        integers_(exact.integers_),
        squared_scale_(exact.squared_scale_),
        plain_norms_(exact.plain_norms_) {
    MERCER_ASSERT(exact_products());
  }

  Index n() const { return n_; }
  Index dim() const { return dim_; }
  bool sparse() const { return sparse_; }
  Storage storage() const {
    return integers_ ? Storage::integer : sparse_ ? Storage::sparse : Storage::dense;
  }
  /// Whether products and distances are those of the rows, rounded once.
  bool exact_products() const { return integers_ != nullptr; }
  /// The storage for tiles between new rows and training rows.
  static Storage common_storage(const Kernel& kernel, const Frame& frame, DataView training,
                                DataView rows, const Context& context);
  /// What the copy takes; looks at the values where they may be whole numbers.
  static double bytes(const Kernel& kernel, DataView rows);

  /// The chosen rows, in that order.
  TilePoints gathered(std::span<const Index> chosen) const;

 private:
  template <class>
  friend class TileKernel;
  template <class>
  friend class TilePoints;
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Norms = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  TilePoints(const TilePoints& like, Index n);  // no rows yet, for gathered()
  void copy_dense(const Kernel& kernel, const Frame& frame, DataView rows, const Context& context);
  void add_row(const Vector& row, Index i);
  void add_direction(const Vector& row, Index i);
  void add_sparse_row(DataView rows, Index i, double scale);
  void compress(DataView rows, double scale);
  CompressedRows<T> compressed(const std::vector<T>& values) const {
    return {starts_.data(), columns_.data(), values.data()};
  }

  Index n_, dim_;
  bool sparse_ = false;
  bool clamps_ = false;  // sparse rows: those too far away are brought nearer, not refused
  bool radial_, dot_, angle_, moved_terms_, plain_terms_;  // what the kernel uses
  std::shared_ptr<const IntegerRows> integers_;
  double squared_scale_;  // of the frame: what products of whole numbers are multiplied by
  Rows centred_, plain_, unit_;
  Norms norms_;         // |centred row|^2
  Vector plain_norms_;  // |plain row|^2 in double, for the diagonal
  Vector unit_norms_;   // 1, or 0 for a row of zeros
  std::vector<Index> starts_ = {0};
  std::vector<std::int32_t> columns_;
  std::vector<T> values_, unit_values_;
};

extern template class TilePoints<float>;
extern template class TilePoints<double>;

}  // namespace mercer
