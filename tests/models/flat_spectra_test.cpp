// Tables whose spectra are flat or repeat: symmetric point sets and kernels much narrower than the
// data. Every fit ends verified, and says where its last component cuts a group of equal ones.
#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace flat_spectra_test {

Context with(std::string_view solver, Precision precision = Precision::automatic) {
  Context context;
  context.budget.solver_name = solver;
  context.budget.precision = precision;
  return context;
}

bool cut(const Report& report) {
  return std::ranges::any_of(report.warnings,
                             [](const Warning& w) { return w.code == WarningCode::split_cluster; });
}

// The adjacency matrix of the edges of a cube in so many dimensions: eigenvalues d, d - 2, ..., -d.
Points cube_graph(Index dimensions) {
  const Index n = Index{1} << dimensions;
  Points graph = Points::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index bit = 0; bit < dimensions; ++bit) graph(i, i ^ (Index{1} << bit)) = 1;
  return graph;
}

Points lattice(Index side) {
  Points points(side * side, 2);
  for (Index i = 0; i < points.rows(); ++i)
    points.row(i) << static_cast<double>(i % side), static_cast<double>(i / side);
  return points;
}

Points ring(Index n) {
  Points points(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / static_cast<double>(n);
    points.row(i) << std::cos(angle), std::sin(angle);
  }
  return points;
}

TEST(FlatSpectra, NarrowKernelsLatticesAndRingsEndVerified) {
  struct Case {
    Points points;
    const char* kernel;
    std::vector<Index> counts;
  };
  const std::vector<Case> cases = {
      {test::random_points({.n = 300, .dim = 3, .seed = 4}), "gaussian:sigma=0.06", {1, 5, 12}},
      {lattice(12), "gaussian:sigma=0.5", {2, 3, 10}},
      {ring(100), "gaussian:sigma=0.04", {2, 5, 10}}};
  for (const Case& c : cases)
    for (const Index k : c.counts) {
      const KernelPcaOptions options{.kernel = c.kernel, .components = k};
      const Report exact = KernelPca::fit(c.points, options, with("dense")).report;
      for (const std::string_view solver : {"block_krylov", "lobpcg", "lanczos", "subspace"}) {
        SCOPED_TRACE(std::string(c.kernel) + " " + std::to_string(k) + " " + std::string(solver));
        const Report report =
            KernelPca::fit(c.points, options, with(solver, Precision::double_)).report;
        EXPECT_TRUE(report.converged);
        EXPECT_TRUE(report.spectrum->certificate.complete) << report.spectrum->certificate.reason;
        EXPECT_EQ(cut(report), cut(exact));
        ASSERT_EQ(report.spectrum->eigenvalues.size(), k);
        EXPECT_LE(test::max_abs(report.spectrum->eigenvalues - exact.spectrum->eigenvalues),
                  1e-6 * exact.spectrum->eigenvalues[0]);
      }
    }
}

TEST(FlatSpectra, FloatTilesAreFollowedByACountInDouble) {
  const Points points = test::random_points({.n = 300, .dim = 3, .seed = 4});
  const Report report = KernelPca::fit(points, {.kernel = "gaussian:sigma=0.06", .components = 5},
                                       with("block_krylov"))
                            .report;
  EXPECT_TRUE(report.converged);
  EXPECT_TRUE(report.spectrum->certificate.complete) << report.spectrum->certificate.reason;
}

TEST(FlatSpectra, AClusterOfBothSignsThatIsCutIsSaid) {
  const Points graph = cube_graph(6);  // 6, -6, six times 4 and -4, ...
  for (const std::string_view solver : {"dense", "block_krylov", "lanczos", "lobpcg", "inverse"})
    for (const char* policy : {"flip", "krein"})
      for (const Index k : {1, 2, 5, 14}) {
        SCOPED_TRACE(std::string(solver) + " " + policy + " " + std::to_string(k));
        KernelPcaOptions options{.components = k, .center = false, .indefinite = policy};
        options.as = "kernel";
        const Report report = KernelPca::fit(graph, options, with(solver)).report;
        EXPECT_TRUE(report.converged);
        EXPECT_EQ(cut(report), k == 1 || k == 5);
        if (cut(report)) {
          EXPECT_FALSE(std::isfinite(report.spectrum->certificate.angle));
        }
      }
}

TEST(FlatSpectra, EndsWithMoreComponentsThanTheRank) {
  const Points few = test::random_points({.n = 8, .dim = 2, .seed = 1});
  Points rows(80, 2);
  for (Index i = 0; i < 80; ++i) rows.row(i) = few.row(i / 10);
  for (const char* policy : {"flip", "clip"}) {
    const Report report =
        KernelPca::fit(rows, {.kernel = "gaussian:sigma=1", .components = 15, .indefinite = policy},
                       with("power"))
            .report;
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.spectrum->eigenvalues.size(), 7);
  }
}

}  // namespace flat_spectra_test
}  // namespace mercer
