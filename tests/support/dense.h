// Matrices written out in full, by formulas that share nothing with the fast paths, and the
// measures by which results are compared: LAPACK's ratios, angles between subspaces, columns up to
// sign.
#pragma once

#include "mercer/core/types.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/operator.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace mercer::test {

/// Unit roundoff of double and of float.
constexpr double kUnit = 0x1p-53;
constexpr double kUnitSingle = 0x1p-24;
/// Ratios measured in units of rounding must stay below this, as in LAPACK's own tests.
constexpr double kRatio = 30;

inline std::span<const double> row_span(const Points& x, Index i) {
  return {x.row(i).data(), static_cast<std::size_t>(x.cols())};
}

/// k(x_i, y_j) by the scalar formula.
inline Block dense_kernel(const Kernel& kernel, const Points& x, const Points& y) {
  Block k(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j) k(i, j) = kernel(row_span(x, i), row_span(y, j));
  return k;
}
inline Block dense_kernel(const Kernel& kernel, const Points& x) {
  return dense_kernel(kernel, x, x);
}

/// H K H with H = I - 11'/n, in long double.
inline Block double_centred(const Block& k) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide wide = k.cast<long double>();
  wide.rowwise() -= wide.colwise().mean().eval();
  wide.colwise() -= wide.rowwise().mean().eval();
  return wide.cast<double>();
}

/// Rows less their mean, in long double.
inline Points centred_rows(const Points& x) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Wide wide = x.cast<long double>();
  wide.rowwise() -= wide.colwise().mean().eval();
  return wide.cast<double>();
}

/// The operator's matrix by its product with the identity.
inline Block dense(const SymmetricOperator& a) {
  Block out(a.size(), a.size());
  a.apply(Block::Identity(a.size(), a.size()), out, nullptr);
  return out;
}

/// A symmetric matrix as an operator, for solvers.
class MatrixOperator final : public SymmetricOperator {
 public:
  explicit MatrixOperator(Block matrix) : matrix_(std::move(matrix)) {}
  Index size() const override { return matrix_.rows(); }
  Vector diagonal() const override { return matrix_.diagonal(); }
  void apply(ConstBlockRef x, BlockRef y, PassSums*) const override { y = matrix_ * x; }

 private:
  Block matrix_;
};

/// All eigenpairs, descending, by Eigen's QR iteration: no LAPACK in it.
struct DenseEigen {
  Vector values;
  Block vectors;
};
inline DenseEigen dense_eigen(const Block& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Block> solver(symmetric);
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

template <class Derived>
double max_abs(const Eigen::MatrixBase<Derived>& x) {
  return x.size() == 0 ? 0 : static_cast<double>(x.cwiseAbs().maxCoeff());
}

/// Spectral norm.
inline double norm2(const Block& a) {
  return a.size() == 0 ? 0 : Eigen::JacobiSVD<Block>(a).singularValues()[0];
}

/// sin of the largest angle from span(v) to span(u), both orthonormal: |v - u u'v|, without
/// cancellation.
inline double subspace_angle(const Block& u, const Block& v) {
  return norm2(v - u * (u.transpose() * v));
}

/// Largest entry of a - b when each column of a may be turned round.
inline double difference_up_to_sign(const Block& a, const Block& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    const double sign = a.col(j).dot(b.col(j)) < 0 ? -1 : 1;
    worst = std::max(worst, max_abs(sign * a.col(j) - b.col(j)));
  }
  return worst;
}

/// r1 = |A U - U L|_F / (|A|_F n u).
inline double residual_ratio(const Block& a, const Block& u, const Vector& values) {
  const double scale = a.norm() * static_cast<double>(a.rows()) * kUnit;
  const double residual = (a * u - u * values.asDiagonal()).norm();
  return scale > 0 ? residual / scale : residual;
}

/// r2 = |U'U - I|_F / (n u).
inline double orthogonality_ratio(const Block& u) {
  const Block excess = u.transpose() * u - Block::Identity(u.cols(), u.cols());
  return excess.norm() / (static_cast<double>(std::max<Index>(1, u.rows())) * kUnit);
}

/// max |a - b| / (n u scale), for values that should agree to rounding.
inline double value_ratio(const Vector& a, const Vector& b, Index n, double scale) {
  return max_abs(a - b) / (static_cast<double>(n) * kUnit * scale);
}

}  // namespace mercer::test
