// Matrices written out in full, by formulas that share nothing with the fast paths, and the
// measures by which results are compared: LAPACK's ratios, angles between subspaces, columns up to
// sign.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/operator.h"

#include <algorithm>
#include <cmath>

namespace mercer::test {

/// Unit roundoff of double and of float.
constexpr double kUnit = 0x1p-53;
constexpr double kUnitSingle = 0x1p-24;
/// Ratios measured in units of rounding must stay below this, as in LAPACK's own tests.
constexpr double kRatio = 30;

std::span<const double> row_span(const Points& x, Index i);

/// k(x_i, y_j) by the scalar formula.
Block dense_kernel(const Kernel& kernel, const Points& x, const Points& y);
Block dense_kernel(const Kernel& kernel, const Points& x);

/// H K H with H = I - 11'/n, in long double.
Block double_centred(const Block& k);

/// Rows less their mean, in long double.
Points centred_rows(const Points& x);

/// The operator's matrix by its product with the identity.
Block dense(const SymmetricOperator& a, const Context& context = {});

/// A symmetric matrix as an operator, for solvers.
class MatrixOperator final : public SymmetricOperator {
 public:
  explicit MatrixOperator(Block matrix) : matrix_(std::move(matrix)) {}
  Index size() const override { return matrix_.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return matrix_.diagonal(); }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context&) const override {
    y = matrix_ * x;
    if (sums == nullptr) return;
    sums->row_sums = matrix_.rowwise().sum();
    sums->trace = matrix_.trace();
    sums->frobenius_squared = matrix_.squaredNorm();
    sums->frobenius_error = 0x1p-50;
  }

 private:
  Block matrix_;
};

/// All eigenpairs, descending, by Eigen's QR iteration: no LAPACK in it.
struct DenseEigen {
  Vector values;
  Block vectors;
};
DenseEigen dense_eigen(const Block& symmetric);

/// All eigenpairs of a w = l b w, descending, w'b w = 1.
DenseEigen generalised_eigen(const Block& a, const Block& b);

/// Orthonormal columns of the same span in order: the thin Q of reflections.
Block orthonormal(const Block& columns);

using LongBlock = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
/// The x of least |a x - b|, by reflections.
LongBlock least_squares(const LongBlock& a, const LongBlock& b);

template <class Derived>
double max_abs(const Eigen::MatrixBase<Derived>& x) {
  return x.size() == 0 ? 0 : static_cast<double>(x.cwiseAbs().maxCoeff());
}

/// Descending, by Jacobi rotations.
Vector singular_values(const Block& a);

/// Spectral norm.
double norm2(const Block& a);

/// sin of the largest angle from span(v) to span(u), both orthonormal: |v - u u'v|, without
/// cancellation.
double subspace_angle(const Block& u, const Block& v);

/// Largest entry of a - b when each column of a may be turned round.
double difference_up_to_sign(const Block& a, const Block& b);

/// r1 = |A U - U L|_F / (|A|_F n u).
double residual_ratio(const Block& a, const Block& u, const Vector& values);

/// r2 = |U'U - I|_F / (n u).
double orthogonality_ratio(const Block& u);

/// max |a - b| / (n u scale), for values that should agree to rounding.
double value_ratio(const Vector& a, const Vector& b, Index n, double scale);

}  // namespace mercer::test
