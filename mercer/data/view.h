// DataView: samples that somebody else owns. A pointer, n rows, dim columns, two strides and an
// element type; any Eigen matrix or map of either order, and any NumPy array of these types,
// converts without a copy. Rows that are mostly zeros may come compressed (CSR) instead: row(i)
// then gives the non-zeros, and copy_row() spreads them out, so that code which knows nothing of
// sparse rows still works.
#pragma once

#include "mercer/core/types.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace mercer {

enum class Scalar { f64, f32, u8 };

template <class T>
constexpr Scalar scalar_of() {
  if constexpr (std::is_same_v<T, double>)
    return Scalar::f64;
  else if constexpr (std::is_same_v<T, float>)
    return Scalar::f32;
  else {
    static_assert(std::is_same_v<T, unsigned char>, "samples are double, float or unsigned char");
    return Scalar::u8;
  }
}

constexpr std::size_t size_of(Scalar type) {
  return type == Scalar::f64 ? 8 : type == Scalar::f32 ? 4 : 1;
}

/// The non-zeros of one sparse row, columns rising.
struct SparseRow {
  const std::int32_t* columns = nullptr;
  const double* values = nullptr;
  Index count = 0;
};

class DataView {
 public:
  DataView() = default;
  /// Compressed rows: the non-zeros of row i stand at [starts[i], starts[i + 1]), columns rising.
  DataView(const Index* starts, const std::int32_t* columns, const double* values, Index n,
           Index dim)
      : data_(values), n_(n), dim_(dim), starts_(starts), columns_(columns) {}
  /// Strides count elements, not bytes.
  DataView(const void* data, Scalar type, Index n, Index dim, Index row_stride, Index column_stride)
      : data_(data),
        type_(type),
        n_(n),
        dim_(dim),
        row_stride_(row_stride),
        column_stride_(column_stride) {}

  /// Views an Eigen matrix, map, block or Ref; it must outlive the view.
  template <class Derived>
  DataView(const Eigen::DenseBase<Derived>& matrix)
      : DataView(
            matrix.derived().data(), scalar_of<typename Derived::Scalar>(), matrix.rows(),
            matrix.cols(),
            Derived::IsRowMajor ? matrix.derived().outerStride() : matrix.derived().innerStride(),
            Derived::IsRowMajor ? matrix.derived().innerStride() : matrix.derived().outerStride()) {
  }

  Index n() const { return n_; }
  Index dim() const { return dim_; }
  /// What messages call this row: a view that was cut out of another one counts as that one does.
  Index number_of(Index row) const { return first_ + row + 1; }
  /// The same rows, of which the first is row `first` (from 0) of something larger.
  DataView numbered_from(Index first) const {
    DataView same = *this;
    same.first_ = first;
    return same;
  }
  Scalar type() const { return type_; }
  const void* data() const { return data_; }
  bool contiguous_rows() const { return !sparse() && column_stride_ == 1 && row_stride_ == dim_; }

  bool sparse() const { return starts_ != nullptr; }
  /// Sparse rows only.
  SparseRow sparse_row(Index row) const {
    const Index begin = starts_[row];
    return {columns_ + begin, static_cast<const double*>(data_) + begin, starts_[row + 1] - begin};
  }
  /// Numbers that are stored: n * dim, or the non-zeros.
  Index stored() const { return sparse() ? starts_[n_] - starts_[0] : n_ * dim_; }

  /// Bytes of the numbers that are stored; a sparse one comes with its column.
  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(stored()) * (size_of(type_) + (sparse() ? 4 : 0));
  }

  /// Calls f with a pointer of the true element type; not for sparse rows.
  template <class F>
  decltype(auto) visit(F&& f) const {
    switch (type_) {
      case Scalar::f32:
        return f(static_cast<const float*>(data_));
      case Scalar::u8:
        return f(static_cast<const unsigned char*>(data_));
      case Scalar::f64:
        break;
    }
    return f(static_cast<const double*>(data_));
  }

  /// One element, for tests and messages; loops use visit().
  double at(Index row, Index column) const {
    if (sparse()) {
      const SparseRow r = sparse_row(row);
      const auto* end = r.columns + r.count;
      const auto* found = std::lower_bound(r.columns, end, column);
      return found != end && *found == column ? r.values[found - r.columns] : 0;
    }
    return visit([&](const auto* p) {
      return static_cast<double>(p[row * row_stride_ + column * column_stride_]);
    });
  }

  DataView rows(Range range) const {
    DataView part = *this;
    part.n_ = range.size();
    part.first_ += range.begin;
    if (sparse()) {
      part.starts_ += range.begin;
      return part;
    }
    part.data_ = static_cast<const unsigned char*>(data_) +
                 range.begin * row_stride_ * static_cast<Index>(size_of(type_));
    return part;
  }

  /// Some columns of dense rows.
  DataView columns(Range range) const {
    DataView part = *this;
    part.dim_ = range.size();
    part.data_ = static_cast<const unsigned char*>(data_) +
                 range.begin * column_stride_ * static_cast<Index>(size_of(type_));
    return part;
  }

  /// Copies one row as doubles.
  void copy_row(Index row, double* out) const {
    if (sparse()) {
      const SparseRow r = sparse_row(row);
      std::fill(out, out + dim_, 0.0);
      for (Index k = 0; k < r.count; ++k) out[r.columns[k]] = r.values[k];
      return;
    }
    visit([&](const auto* p) {
      const auto* source = p + row * row_stride_;
      for (Index j = 0; j < dim_; ++j) out[j] = static_cast<double>(source[j * column_stride_]);
    });
  }

  /// All samples as a row-major matrix of doubles.
  Points to_points() const {
    Points points(n_, dim_);
    for (Index i = 0; i < n_; ++i) copy_row(i, points.row(i).data());
    return points;
  }

 private:
  const void* data_ = nullptr;
  Scalar type_ = Scalar::f64;
  Index n_ = 0, dim_ = 0, row_stride_ = 0, column_stride_ = 0, first_ = 0;
  const Index* starts_ = nullptr;  // sparse rows only, as are the columns
  const std::int32_t* columns_ = nullptr;
};

}  // namespace mercer
