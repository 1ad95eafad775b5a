// The vocabulary of the library: sizes, vectors, blocks of vectors, points.
#pragma once

#include "mercer/core/index.h"

#include <Eigen/Core>

namespace mercer {

using Vector = Eigen::VectorXd;
/// Column-major: a block of column vectors.
using Block = Eigen::MatrixXd;
/// Row-major: one sample per row.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using BlockRef = Eigen::Ref<Block>;
using ConstBlockRef = const Eigen::Ref<const Block>&;
using ConstVectorRef = const Eigen::Ref<const Vector>&;

}  // namespace mercer
