// Vectors that have a share of the functions that centring removes: taken out, they are orthonormal
// again, and images and residuals belong to them.
#include "mercer/models/detail/gram/recentre.h"

#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

namespace mercer {
namespace recentre_test {

struct Tilted {
  Block q, a;
  EigenResult eigen;

  /// Three eigenpairs of a matrix without the constant, the last two leaning towards it.
  explicit Tilted(double lean) {
    const Index n = 20;
    Block start(n, 4);
    start << Vector::Ones(n), test::random_points({.n = n, .dim = 3, .seed = 1});
    const Block basis = test::orthonormal(start);
    q = basis.leftCols(1);
    const Block exact = basis.rightCols(3);
    eigen.values = Vector(3);
    eigen.values << 1, 1e-6, 1e-9;
    a = exact * eigen.values.asDiagonal() * exact.transpose();
    Block turn = Block::Identity(4, 4);  // columns: three vectors in the basis, orthonormal
    turn(0, 2) = lean, turn(0, 3) = lean;
    eigen.vectors = basis * Block(Eigen::HouseholderQR<Block>(turn.rightCols(3)).householderQ() *
                                  Block::Identity(4, 3));
    eigen.images = a * eigen.vectors;
    eigen.certificate.residuals = residuals();
  }
  Vector residuals() const {
    return (a * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).colwise().norm() /
           eigen.values[0];
  }
};

TEST(Recentre, VectorsAreOrthonormalAndHaveNoShare) {
  for (const double lean : {0.0, 1e-9, 0.01, 0.1}) {
    Tilted t(lean);
    detail::recentre(t.eigen, t.q);
    ASSERT_EQ(t.eigen.values.size(), 3);
    EXPECT_LE(test::max_abs(t.eigen.vectors.transpose() * t.eigen.vectors - Block::Identity(3, 3)),
              1e-14)
        << lean;
    EXPECT_LE(test::max_abs(t.q.transpose() * t.eigen.vectors), 1e-15) << lean;
    EXPECT_LE(test::max_abs(t.a * t.eigen.vectors - t.eigen.images), 1e-14) << lean;
    for (Index i = 0; i < 3; ++i)
      EXPECT_LE(t.residuals()[i], t.eigen.certificate.residuals[i] + 1e-15) << lean;
  }
}

TEST(Recentre, AVectorThatIsWhatWasRemovedIsCutOff) {
  Tilted t(0);
  t.eigen.vectors.col(2) = t.q;
  detail::recentre(t.eigen, t.q);
  EXPECT_EQ(t.eigen.values.size(), 2);
  EXPECT_EQ(t.eigen.vectors.cols(), 2);
  EXPECT_EQ(t.eigen.certificate.residuals.size(), 2);
}

TEST(Recentre, ScoresOfSmallComponentsAreOrthogonal) {
  // A smooth kernel: eigenvalues down to 1e-10 of the largest.
  const Points x = test::random_points({.n = 300, .dim = 2, .seed = 3});
  for (const char* solver : {"dense", "block_krylov", "lobpcg", "subspace", "lanczos"})
    for (const char* spec : {"gaussian:sigma=3", "gaussian:sigma=12"}) {
      Context context;
      context.budget.solver_name = solver;
      const KernelPca model = KernelPca::fit(x, {.kernel = spec, .components = 20}, context);
      const Vector& mu = model.report.spectrum->eigenvalues;
      EXPECT_LT(mu[mu.size() - 1], 1e-5 * mu[0]);
      const Block u = model.scores() * mu.cwiseSqrt().cwiseInverse().asDiagonal();
      EXPECT_LE(test::max_abs(u.transpose() * u - Block::Identity(u.cols(), u.cols())), 1e-12)
          << solver << spec;
      EXPECT_LE(test::max_abs(u.colwise().sum()), 1e-12) << solver << spec;
    }
}

}  // namespace recentre_test
}  // namespace mercer
