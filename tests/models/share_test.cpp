// A share of the variance where there is no room for all eigenvalues.
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

namespace mercer {
namespace share_test {

constexpr Index kRows = 1500;  // the whole spectrum takes 20 n^2 bytes, 45 MB

Context with_memory(std::uint64_t bytes) {
  Context context;
  context.budget.memory = bytes;
  return context;
}

Points clustered_rows() { return test::random_points({.n = kRows, .dim = 4, .seed = 3}); }

KernelPcaOptions asking(double share, const char* kernel) {
  KernelPcaOptions options;
  options.kernel = kernel;
  options.components = Components::share(share);
  return options;
}

TEST(ShareWithoutRoom, TakesTheSameComponentsAsTheWholeSpectrum) {
  const Points x = clustered_rows();
  for (const double share : {0.3, 0.8, 0.9}) {
    const KernelPcaOptions options = asking(share, "gaussian");
    const KernelPca whole = KernelPca::fit(x, options);
    ASSERT_EQ(whole.report.plan.solver_name, "dense");
    const KernelPca little = KernelPca::fit(x, options, with_memory(std::uint64_t{16} << 20));
    EXPECT_NE(little.report.plan.solver_name, "dense");
    ASSERT_EQ(little.report.spectrum->eigenvalues.size(),
              whole.report.spectrum->eigenvalues.size());
    EXPECT_TRUE(little.report.converged);
    EXPECT_TRUE(little.report.spectrum->certificate.complete);
    const double largest = whole.report.spectrum->eigenvalues[0];
    // Eigenvalues err by the square of the residual over a gap, and by no more than the residual.
    EXPECT_LE((little.report.spectrum->eigenvalues - whole.report.spectrum->eigenvalues)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-6 * largest);
    EXPECT_GE(little.report.spectrum->ratios.sum(), share);
    EXPECT_LT(little.report.spectrum->ratios.head(little.report.spectrum->ratios.size() - 1).sum(),
              share);
  }
}

TEST(ShareWithoutRoom, ThePlanSaysHowItBegins) {
  const Points x = clustered_rows();
  const Plan plan =
      KernelPca::plan(x, asking(0.8, "gaussian"), with_memory(std::uint64_t{16} << 20));
  EXPECT_TRUE(plan.grows);
  EXPECT_EQ(plan.leading, 32);
}

TEST(ShareWithoutRoom, ThatNeedsMoreMemoryIsRefusedWithWhatWasReached) {
  const Points x = clustered_rows();
  const auto fit = [&] {
    KernelPca::fit(x, asking(0.95, "gaussian:sigma=0.05*median"),
                   with_memory(std::uint64_t{16} << 20));
  };
  const std::string words = test::message_of(fit);
  EXPECT_NE(words.find("the leading 32 components have"), words.npos) << words;
  EXPECT_NE(words.find("for a share of 0.95"), words.npos) << words;
  try {
    fit();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("--components 32"), std::string::npos) << error.hint();
  }
}

}  // namespace share_test
}  // namespace mercer
