#include "tests/support/dense.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace mercer::test {

std::span<const double> row_span(const Points& x, Index i) {
  return {x.row(i).data(), static_cast<std::size_t>(x.cols())};
}

Block dense_kernel(const Kernel& kernel, const Points& x, const Points& y) {
  Block k(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j) k(i, j) = kernel(row_span(x, i), row_span(y, j));
  return k;
}

Block dense_kernel(const Kernel& kernel, const Points& x) { return dense_kernel(kernel, x, x); }

Block double_centred(const Block& k) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide wide = k.cast<long double>();
  wide.rowwise() -= wide.colwise().mean().eval();
  wide.colwise() -= wide.rowwise().mean().eval();
  return wide.cast<double>();
}

Points centred_rows(const Points& x) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Wide wide = x.cast<long double>();
  wide.rowwise() -= wide.colwise().mean().eval();
  return wide.cast<double>();
}

Block dense(const SymmetricOperator& a, const Context& context) {
  Block out(a.size(), a.size());
  a.apply(Block::Identity(a.size(), a.size()), out, nullptr, context);
  return out;
}

DenseEigen dense_eigen(const Block& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Block> solver(symmetric);
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

DenseEigen generalised_eigen(const Block& a, const Block& b) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Block> solver(a, b);
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

Block orthonormal(const Block& columns) {
  return Eigen::HouseholderQR<Block>(columns).householderQ() *
         Block::Identity(columns.rows(), columns.cols());
}

LongBlock least_squares(const LongBlock& a, const LongBlock& b) {
  return a.householderQr().solve(b);
}

Vector singular_values(const Block& a) { return Eigen::JacobiSVD<Block>(a).singularValues(); }

double norm2(const Block& a) { return a.size() == 0 ? 0 : singular_values(a)[0]; }

double subspace_angle(const Block& u, const Block& v) { return norm2(v - u * (u.transpose() * v)); }

double difference_up_to_sign(const Block& a, const Block& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    const double sign = a.col(j).dot(b.col(j)) < 0 ? -1 : 1;
    worst = std::max(worst, max_abs(sign * a.col(j) - b.col(j)));
  }
  return worst;
}

double residual_ratio(const Block& a, const Block& u, const Vector& values) {
  const double scale = a.norm() * static_cast<double>(a.rows()) * kUnit;
  const double residual = (a * u - u * values.asDiagonal()).norm();
  return scale > 0 ? residual / scale : residual;
}

double orthogonality_ratio(const Block& u) {
  const Block excess = u.transpose() * u - Block::Identity(u.cols(), u.cols());
  return excess.norm() / (static_cast<double>(std::max<Index>(1, u.rows())) * kUnit);
}

double value_ratio(const Vector& a, const Vector& b, Index n, double scale) {
  return max_abs(a - b) / (static_cast<double>(n) * kUnit * scale);
}

}  // namespace mercer::test
