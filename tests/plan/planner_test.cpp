// The planner's choices, and that they depend on the problem and the budget alone.
#include "mercer/plan/planner.h"

#include "mercer/operators/recipe.h"
#include "mercer/plan/calibrate.h"
#include "mercer/plan/machine.h"
#include "mercer/solvers/recipe.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>

namespace mercer {
namespace planner_test {

/// A problem of this shape; the planner looks at sizes, never at values.
GramProblem problem_of(Index n, Index dim, const char* kernel, Index components = 2) {
  static const double unused = 0;
  return {DataView(&unused, Scalar::f64, n, dim, dim, 1), Kernel(kernel), true, components};
}

TEST(Planner, TallDataOfALinearKernelAreSolvedOnTheSideOfTheColumns) {
  EXPECT_EQ(make_plan(problem_of(20000, 10, "linear"), {}).operator_name, "covariance");
  EXPECT_EQ(make_plan(problem_of(1797, 64, "linear"), {}).operator_name, "covariance");
}

TEST(Planner, WideDataOfALinearKernelAreSolvedOnTheSideOfTheRows) {
  const std::string chosen = make_plan(problem_of(10, 100000, "linear"), {}).operator_name;
  EXPECT_TRUE(chosen == "linear_gram" || chosen == "dense_gram") << chosen;
}

TEST(Planner, AnyOtherKernelNeedsTheGramMatrix) {
  for (const char* kernel : {"gaussian:sigma=1", "polynomial:degree=2", "gaussian:sigma=1+linear"})
    EXPECT_TRUE(make_plan(problem_of(1000, 10, kernel), {}).operator_name.ends_with("_gram"));
}

TEST(Planner, RecordsEveryPairOfOperatorAndSolverWithAVerdict) {
  for (const char* kernel : {"linear", "gaussian:sigma=1"}) {
    const Plan plan = make_plan(problem_of(500, 5, kernel), {});
    EXPECT_EQ(plan.candidates.size(), operator_recipes().size() * solver_recipes().size());
    Index chosen = 0;
    for (const Candidate& candidate : plan.candidates) {
      EXPECT_FALSE(candidate.verdict.empty());
      EXPECT_EQ(candidate.possible(), candidate.bytes > 0);
      if (!candidate.chosen()) continue;
      ++chosen;
      EXPECT_EQ(candidate.operator_name, plan.operator_name);
      EXPECT_GE(plan.predicted.bytes, candidate.bytes);  // the program itself comes on top
      EXPECT_EQ(candidate.seconds, plan.predicted.seconds);
    }
    EXPECT_EQ(chosen, 1);
    EXPECT_EQ(plan.report()["candidates"].as_list().size(), plan.candidates.size());
  }
}

TEST(Planner, AllComponentsOfMoreRowsThanTheDenseSolverTakesAreRefusedWithWhatTheyWouldTake) {
  GramProblem all = problem_of(100000, 10, "gaussian:sigma=1", 99999);
  all.open_count = true;
  try {
    make_plan(all, {});
    FAIL();
  } catch (const Error& error) {  // nobody asked for an operator: the option is not at fault
    EXPECT_EQ(error.code(), ErrorCode::over_memory);
    EXPECT_NE(error.message().find("45 000 rows"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("74.5 GiB"), std::string::npos) << error.message();
    EXPECT_EQ(error.message().find("not linear"), std::string::npos) << error.message();
    EXPECT_NE(error.hint().find("--components 50"), std::string::npos) << error.hint();
  }
}

TEST(Planner, OverMemoryNamesWhatIsNeeded) {
  const Budget small{.memory = 1 << 20};
  try {
    make_plan(problem_of(3000, 10, "gaussian:sigma=1"), small);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::over_memory);
    EXPECT_NE(error.message().find("1.0 MiB"), std::string::npos) << error.message();
    EXPECT_NE(error.hint().find("--memory"), std::string::npos) << error.hint();
    EXPECT_NE(error.place().find("3000 rows"), std::string::npos) << error.place();
  }
}

TEST(Planner, ABudgetOfExactlyTheNeedIsEnoughAndOneByteLessIsNot) {
  const GramProblem problem = problem_of(800, 7, "gaussian:sigma=1");
  const auto chosen = [&](const Budget& budget) {
    const Plan plan = make_plan(problem, budget);
    for (const Candidate& candidate : plan.candidates)
      if (candidate.chosen()) return candidate;
    return Candidate();
  };
  const std::uint64_t need = chosen({}).bytes;
  EXPECT_EQ(chosen({.memory = need}).bytes, need);
  EXPECT_LT(chosen({.memory = need - 1}).bytes, need);  // another plan takes its place
  EXPECT_EQ(test::code_of([&] { make_plan(problem, {.memory = 1 << 20}); }), "M301");
}

TEST(Planner, ASmallBudgetMovesALinearProblemToAnotherOperator) {
  // The side of the columns is faster, and takes a matrix of 500 x 500 for each group of rows.
  const GramProblem problem = problem_of(5000, 500, "linear");
  const Budget small{.memory = 62 << 20};
  const Plan rich = consider(problem, {}, reference_rates());
  const Plan poor = consider(problem, small, reference_rates());
  EXPECT_EQ(rich.operator_name, "covariance");
  EXPECT_EQ(poor.operator_name, "linear_gram");
  for (const Candidate& candidate : poor.candidates) {
    EXPECT_TRUE(!candidate.chosen() || candidate.bytes <= small.memory) << candidate.bytes;
    if (candidate.operator_name != "covariance" || !candidate.possible()) continue;
    EXPECT_GT(candidate.bytes, small.memory) << candidate.solver_name;
    EXPECT_TRUE(candidate.verdict.starts_with("does not fit")) << candidate.verdict;
  }
}

TEST(Planner, TheChoiceDoesNotDependOnThreads) {
  for (const Index n : {20, 100, 300, 1000, 5000})
    for (const Index dim : {2, 30, 250, 900, 6000})
      for (const char* kernel : {"linear", "gaussian:sigma=1"}) {
        std::string first;
        for (const Index threads : {1, 2, 3, 16, 64}) {
          const Budget budget{.threads = threads};
          const Plan plan =
              consider(problem_of(n, dim, kernel), budget, machine_of(CpuLevel::v3, budget));
          if (first.empty()) first = plan.operator_name;
          EXPECT_EQ(plan.operator_name, first) << n << " x " << dim;
        }
      }
}

// Two machines must not give one data set answers of different accuracy because one is slower.
TEST(Planner, WhatIsSmallEnoughToBeSolvedToRoundingIsTheSameOnEveryMachine) {
  for (const Index n : {20, 100, 300, 600, 5000})
    for (const char* kernel : {"linear", "gaussian:sigma=1"}) {
      Machine slow = reference_rates(), fast = slow;
      for (const MachineRate& rate : machine_rates()) {
        slow.*rate.value /= 20;
        fast.*rate.value *= 20;
      }
      const GramProblem problem = problem_of(n, 5, kernel);
      const std::string usual = consider(problem, {}, reference_rates()).solver_name;
      EXPECT_EQ(consider(problem, {}, slow).solver_name == "dense", usual == "dense") << n;
      if (n > 600) continue;
      EXPECT_EQ(usual, "dense") << n;
      EXPECT_EQ(consider(problem, {}, fast).solver_name, "dense") << n;
    }
}

TEST(Planner, MoreThreadsPredictLessTime) {
  const GramProblem problem = problem_of(2000, 500, "gaussian:sigma=1");
  const auto seconds = [&](Index threads) {
    const Budget budget{.threads = threads};
    return consider(problem, budget, machine_of(CpuLevel::baseline, budget)).predicted.seconds;
  };
  EXPECT_LT(seconds(4), seconds(1));
  EXPECT_GT(seconds(64), 0);
}

TEST(Planner, TakesTheOperatorThatWasAskedForOrSaysWhyNot) {
  const GramProblem linear = problem_of(300, 10, "linear");
  for (const char* name : {"covariance", "linear_gram", "dense_gram"}) {
    Budget budget;
    budget.operator_name = name;
    EXPECT_EQ(make_plan(linear, budget).operator_name, name);
  }
  Budget wrong;
  wrong.operator_name = "covariance";
  const auto ask = [&] { make_plan(problem_of(300, 10, "gaussian:sigma=1"), wrong); };
  EXPECT_EQ(test::code_of(ask), "M102");
  wrong.operator_name = "covarianse";
  EXPECT_EQ(test::code_of(ask), "M112");
}

TEST(Planner, TheDenseSolverStopsAtItsLimit) {
  Budget huge;
  huge.memory = ~0ULL;
  huge.solver_name = "dense";
  const Plan plan = consider(problem_of(200000, 10, "gaussian:sigma=1"), huge, Machine{});
  EXPECT_TRUE(plan.operator_name.empty());
  for (const Candidate& candidate : plan.candidates)
    EXPECT_FALSE(candidate.possible() && candidate.solver_name == "dense");
}

TEST(Planner, AMatrixThatDoesNotFitIsRecomputed) {
  const GramProblem problem = problem_of(70000, 784, "gaussian:sigma=1", 10);
  const Plan plan = make_plan(problem, {.memory = 4ULL << 30});
  EXPECT_EQ(plan.operator_name, "blocked_gram");
  EXPECT_EQ(plan.solver_name, "block_krylov");
  EXPECT_LE(plan.predicted.bytes, (4ULL << 30) + (32 << 20));
  EXPECT_GT(plan.search.landmarks, 0);
}

TEST(Planner, LittleMemoryNarrowsTheBlocks) {
  GramProblem problem = problem_of(70000, 784, "gaussian:sigma=1", 10);
  problem.points = DataView(problem.points.data(), Scalar::u8, 70000, 784, 784, 1);
  problem.facts.integer_tiles = true;
  const Plan rich = make_plan(problem, {.memory = 2ULL << 30});
  const Plan poor = make_plan(problem, {.memory = 300ULL << 20});
  EXPECT_LT(poor.search.first, rich.search.first);
  EXPECT_LE(poor.predicted.bytes, (300ULL + 32) << 20);
}

TEST(Planner, FloatTilesServeWhatTheirRoundingCanSupport) {
  const auto precision = [](Index n, double tolerance, Certify certify) {
    GramProblem problem = problem_of(n, 50, "gaussian:sigma=1", 5);
    problem.tolerance = tolerance;
    return make_plan(problem, {}, {.certify = certify}).precision;
  };
  EXPECT_EQ(precision(20000, 1e-6, Certify::automatic), Precision::single_);
  EXPECT_EQ(precision(20000, 1e-9, Certify::automatic), Precision::double_);
  EXPECT_EQ(precision(20000, 1e-6, Certify::deterministic), Precision::double_);
  EXPECT_EQ(precision(500, 1e-6, Certify::automatic), Precision::double_);
  const GramProblem small = problem_of(500, 5, "gaussian:sigma=1");
  const Budget single{.precision = Precision::single_, .solver_name = "block_krylov"};
  EXPECT_EQ(make_plan(small, single).precision, Precision::single_);
  // A matrix that is written out has float64 entries, and takes the memory of them.
  const Plan dense = make_plan(small, {.precision = Precision::single_});
  EXPECT_EQ(dense.solver_name, "dense");
  EXPECT_EQ(dense.precision, Precision::double_);
  EXPECT_EQ(dense.predicted.bytes, make_plan(small, {}).predicted.bytes);
}

TEST(Planner, FewComponentsOfManyRowsAreIterated) {
  EXPECT_EQ(make_plan(problem_of(10000, 20, "gaussian:sigma=1", 10), {}).solver_name,
            "block_krylov");
  EXPECT_EQ(make_plan(problem_of(100, 20, "gaussian:sigma=1", 80), {}).solver_name, "dense");
}

}  // namespace planner_test
}  // namespace mercer
