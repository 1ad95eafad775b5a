// Which kernels are asked for on which processor, and that what runs here is told truthfully.
#include "mercer/linalg/blas_info.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace mercer {
namespace blas_info_test {

TEST(BlasInfo, AProcessorThatTheLibraryDoesNotKnowGetsKernelsOfItsLevel) {
  EXPECT_EQ(better_kernels("Prescott", CpuLevel::v4, "GenuineIntel"), "SkylakeX");
  EXPECT_EQ(better_kernels("Prescott", CpuLevel::v4, "AuthenticAMD"), "SkylakeX");
  EXPECT_EQ(better_kernels("Prescott", CpuLevel::v3, "GenuineIntel"), "Haswell");
  EXPECT_EQ(better_kernels("Barcelona", CpuLevel::v3, "AuthenticAMD"), "Zen");
  EXPECT_EQ(better_kernels("Sandybridge", CpuLevel::v3, "GenuineIntel"), "Haswell");
}

TEST(BlasInfo, KernelsOfTheRightLevelAreLeftAlone) {
  EXPECT_EQ(better_kernels("Prescott", CpuLevel::baseline, "GenuineIntel"), "");
  EXPECT_EQ(better_kernels("Haswell", CpuLevel::v3, "GenuineIntel"), "");
  EXPECT_EQ(better_kernels("Zen", CpuLevel::v3, "AuthenticAMD"), "");
  EXPECT_EQ(better_kernels("", CpuLevel::v4, "GenuineIntel"), "");
  // A name that is not in our table is newer than it: nothing better is known.
  EXPECT_EQ(better_kernels("SapphireRapids", highest_cpu_level(), "GenuineIntel"), "");
  EXPECT_EQ(better_kernels("SkylakeX", highest_cpu_level(), "GenuineIntel"), "");
  EXPECT_EQ(better_kernels("Cooperlake", highest_cpu_level(), "GenuineIntel"), "");
}

TEST(BlasInfo, NamesTheLibraryOfThisProcess) {
  const BlasInfo& info = blas_info();
  EXPECT_EQ(info.library.substr(0, 9), "OpenBLAS ");
  EXPECT_EQ(info.library.find(' ', 9), std::string::npos) << info.library;
  EXPECT_FALSE(info.kernels.empty());
  // Kernels that the environment names are the user's choice, whatever they are.
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) {
    EXPECT_EQ(info.better, "");
  }
}

}  // namespace blas_info_test
}  // namespace mercer
