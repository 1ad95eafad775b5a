// What is measured is whatever the machine does; what can be checked is that every rate is there,
// usable, and used.
#include "mercer/plan/calibrate.h"

#include "mercer/core/cpu.h"
#include "mercer/plan/machine.h"
#include "mercer/plan/planner.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace mercer {
namespace calibrate_test {

constexpr double kBriefly = 0.001;

TEST(Calibrate, NamesEveryRateOfAMachineOnce) {
  Machine marked;
  std::set<std::string_view> names;
  for (const MachineRate& rate : machine_rates()) {
    EXPECT_TRUE(names.insert(rate.name).second) << rate.name << " stands twice";
    EXPECT_NE(marked.*rate.value, -1) << rate.name << " is the field of another name";
    marked.*rate.value = -1;
  }
  // A rate that is added to Machine must be measured too; threads and origin are no rates.
  EXPECT_EQ(machine_rates().size() * sizeof(double) + 2 * sizeof(Index), sizeof(Machine));
}

TEST(Calibrate, EveryRateIsFiniteAndNothingThatNoMachineDoes) {
  Context context;
  context.budget.threads = 2;
  const Machine machine = calibrate(context, kBriefly);
  for (const MachineRate& rate : machine_rates()) {
    const double value = machine.*rate.value;
    EXPECT_TRUE(std::isfinite(value)) << rate.name;
    EXPECT_GT(value, 1e5) << rate.name;
    EXPECT_LT(value, 1e14) << rate.name;
    EXPECT_NE(value, Machine().*rate.value) << rate.name << " was not measured";
  }
  EXPECT_EQ(machine.threads, 2);
}

TEST(Calibrate, ReportsRisingProgress) {
  std::vector<double> seen;
  Context context;
  context.observer.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.phase, "calibrate");
    seen.push_back(progress.done);
  };
  calibrate(context, kBriefly);
  ASSERT_EQ(seen.size(), machine_rates().size() + 1);
  EXPECT_EQ(seen.front(), 0);
  EXPECT_EQ(seen.back(), 1);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(Calibrate, StopsWhenAskedTo) {
  Context context;
  context.observer.cancelled = [] { return true; };
  EXPECT_EQ(test::code_of([&] { calibrate(context, kBriefly); }), "M001");

  bool stop = false;
  context.observer.progress = [&](const Progress& progress) { stop = progress.done > 0.3; };
  context.observer.cancelled = [&] { return stop; };
  EXPECT_EQ(test::code_of([&] { calibrate(context, kBriefly); }), "M001");
}

TEST(Calibrate, MeasuredRatesReplaceTheTableAndTheBudgetKeepsItsThreads) {
  Machine measured;
  double rate_number = 1;
  for (const MachineRate& rate : machine_rates()) measured.*rate.value = 1e9 * ++rate_number;
  measured.threads = 64;
  const Budget budget{.machine = &measured, .threads = 3};
  const Machine used = machine_of(cpu_level(), budget);
  for (const MachineRate& rate : machine_rates())
    EXPECT_EQ(used.*rate.value, measured.*rate.value) << rate.name;
  EXPECT_EQ(used.threads, 3);
}

TEST(Calibrate, AMachineTwiceAsFastIsPredictedToTakeHalfTheTime) {
  static const double unused = 0;
  const GramProblem problem = {DataView(&unused, Scalar::f64, 60000, 784, 784, 1),
                               Kernel("gaussian:sigma=1"), true, 5};
  const Machine once = machine_of(cpu_level(), {});
  Machine twice = once;
  for (const MachineRate& rate : machine_rates()) twice.*rate.value *= 2;
  const Plan slow = make_plan(problem, {.machine = &once, .threads = 1});
  const Plan fast = make_plan(problem, {.machine = &twice, .threads = 1});
  EXPECT_EQ(slow.operator_name, fast.operator_name);
  EXPECT_EQ(slow.solver_name, fast.solver_name);
  EXPECT_NEAR(fast.predicted.seconds / slow.predicted.seconds, 0.5,
              0.05);  // little is priced in seconds outright
}

TEST(Calibrate, QuicklyMeasuresTheSameRatesOnSmallProblems) {
  const Machine quick = calibrate_quickly({});
  EXPECT_EQ(quick.origin, RateOrigin::quick);
  for (const MachineRate& rate : machine_rates()) {
    EXPECT_GT(quick.*rate.value, 1e5) << rate.name;
    EXPECT_LT(quick.*rate.value, 1e14) << rate.name;
  }
  EXPECT_EQ(calibrate({}, kBriefly).origin, RateOrigin::measured);
}

TEST(ListedRates, AreThoseOfTheProcessorOrAnEstimate) {
  const Processor zen4{"a", "AuthenticAMD", 0x19, 0x11}, xeon{"b", "GenuineIntel", 6, 143},
      old{"c", "GenuineIntel", 6, 60}, other{};
  EXPECT_EQ(listed_rates(zen4, CpuLevel::v4, CpuLevel::v4).origin, RateOrigin::listed);
  EXPECT_EQ(listed_rates(xeon, CpuLevel::v4, CpuLevel::v4).origin, RateOrigin::listed);
  EXPECT_EQ(listed_rates(xeon, CpuLevel::v3, CpuLevel::v4).origin, RateOrigin::estimated);
  EXPECT_EQ(listed_rates(old, CpuLevel::v3, CpuLevel::v3).origin, RateOrigin::estimated);
  EXPECT_EQ(listed_rates(other, CpuLevel::baseline, CpuLevel::baseline).origin,
            RateOrigin::estimated);
}

TEST(ListedRates, ProductsAreAsFastAsTheKernelsOfTheBlas) {
  const Processor xeon{"b", "GenuineIntel", 6, 143};
  const Machine slow = listed_rates(xeon, CpuLevel::v4, CpuLevel::baseline),
                fast = listed_rates(xeon, CpuLevel::v4, CpuLevel::v4);
  EXPECT_LT(slow.gemm_single, fast.gemm_single / 3);
  EXPECT_LT(slow.gemm_double, fast.gemm_double / 3);
  EXPECT_LT(slow.tridiagonal, fast.tridiagonal);
  EXPECT_EQ(slow.map_single, fast.map_single);
  EXPECT_EQ(slow.skinny_double, fast.skinny_double);
}

}  // namespace calibrate_test
}  // namespace mercer
