// The vocabulary of the library: sizes, vectors, blocks of vectors, points.
#pragma once

#include <Eigen/Core>

#include <cstddef>

namespace mercer {

/// Every count, size and offset.
using Index = std::ptrdiff_t;

using Vector = Eigen::VectorXd;
/// Column-major: a block of column vectors.
using Block = Eigen::MatrixXd;
/// Row-major: one sample per row.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using BlockRef = Eigen::Ref<Block>;
using ConstBlockRef = const Eigen::Ref<const Block>&;
using ConstVectorRef = const Eigen::Ref<const Vector>&;

/// Half-open range of rows or columns.
struct Range {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

}  // namespace mercer
