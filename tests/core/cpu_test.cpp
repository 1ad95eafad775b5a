#include "mercer/core/cpu.h"

#include "mercer/core/error.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace mercer {
namespace cpu_test {

std::string message_for(std::string_view name, CpuLevel highest) {
  try {
    cpu_level_named(name, highest);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_option_value);
    EXPECT_FALSE(error.hint().empty());
    return error.message();
  }
  return "no error";
}

TEST(Cpu, EveryLevelHasTheNameMercerCpuTakes) {
  for (const CpuLevel level : {CpuLevel::baseline, CpuLevel::v3, CpuLevel::v4}) {
    EXPECT_EQ(cpu_level_named(name_of(level), CpuLevel::v4), level);
  }
  EXPECT_EQ(name_of(CpuLevel::baseline), "baseline");
  EXPECT_EQ(name_of(CpuLevel::v3), "v3");
  EXPECT_EQ(name_of(CpuLevel::v4), "v4");
}

TEST(Cpu, WithoutANameTheHighestLevelRuns) {
  EXPECT_EQ(cpu_level_named("", CpuLevel::v3), CpuLevel::v3);
}

TEST(Cpu, ALevelTheMachineLacksIsRefused) {
  EXPECT_EQ(message_for("v4", CpuLevel::v3),
            "MERCER_CPU asks for v4, but this machine has at most v3");
  EXPECT_EQ(message_for("v3", CpuLevel::baseline),
            "MERCER_CPU asks for v3, but this machine has at most baseline");
}

TEST(Cpu, AnUnknownWordIsRefusedAndShownSafely) {
  EXPECT_EQ(message_for("avx2", CpuLevel::v4), "MERCER_CPU is \"avx2\", which is not a CPU level");
  EXPECT_EQ(message_for("V4", CpuLevel::v4), "MERCER_CPU is \"V4\", which is not a CPU level");
  EXPECT_EQ(message_for("v4 ", CpuLevel::v4), "MERCER_CPU is \"v4 \", which is not a CPU level");
  EXPECT_EQ(message_for("\033[2J", CpuLevel::v4).find('\033'), std::string::npos);
}

TEST(Cpu, AvailableLevelsRiseFromBaselineToTheHighest) {
  const std::vector<CpuLevel> levels = available_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), CpuLevel::baseline);
  EXPECT_EQ(levels.back(), highest_cpu_level());
  for (std::size_t i = 1; i < levels.size(); ++i) EXPECT_LT(levels[i - 1], levels[i]);
}

// Runs in a new process, because the environment is read once.
int status_with(const char* wanted) {
  setenv("MERCER_CPU", wanted, 1);
  try {
    return static_cast<int>(cpu_level());
  } catch (const Error& error) {
    return static_cast<int>(error.code());
  }
}

TEST(CpuDeathTest, MercerCpuForcesALowerLevel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(status_with("baseline")), ::testing::ExitedWithCode(0), "");
  const int highest = static_cast<int>(highest_cpu_level());
  EXPECT_EXIT(std::_Exit(status_with("")), ::testing::ExitedWithCode(highest), "");
  EXPECT_EXIT(std::_Exit(status_with("fast")), ::testing::ExitedWithCode(102), "");
}

}  // namespace cpu_test
}  // namespace mercer
