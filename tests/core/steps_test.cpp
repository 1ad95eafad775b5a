// Tasks of a parallel loop as an observer sees them.
#include "mercer/core/steps.h"

#include "mercer/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace mercer {
namespace steps_test {

TEST(Steps, AreToldInRisingOrderByOneThreadAtATimeUpToTheLast) {
  for (const Index threads : {1, 2, 8}) {
    std::atomic<int> inside = 0;
    bool alone = true;
    std::vector<double> told;
    Context context;
    context.budget.threads = threads;
    context.observer.progress = [&](const Progress& progress) {
      alone = alone && ++inside == 1;
      told.push_back(progress.done);
      EXPECT_EQ(progress.phase, "work");
      --inside;
    };
    Steps steps(context, "work", 500);
    parallel_for(context, 500, [&](Index) { steps.done(); });
    EXPECT_TRUE(alone);
    ASSERT_FALSE(told.empty());
    for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GE(told[i], told[i - 1]);
    EXPECT_EQ(told.back(), 1);
  }
}

TEST(Steps, GoOnAfterAnObserverThatThrew) {
  Context context;
  bool angry = true;
  double done = 0;
  context.observer.progress = [&](const Progress& progress) {
    if (angry) throw std::runtime_error("no");
    done = progress.done;
  };
  Steps steps(context, "work", 2);
  EXPECT_THROW(steps.done(), std::runtime_error);
  angry = false;
  steps.done();
  EXPECT_EQ(done, 1);
}

TEST(Context, TellsTheSearchThatAPassIsPartOf) {
  Context context;
  std::optional<SearchProgress> seen;
  context.observer.progress = [&](const Progress& progress) { seen = progress.search; };
  context.report("pass", 0.5);
  EXPECT_FALSE(seen.has_value());
  context.search = SearchProgress{.pass = 3, .converged = 2, .wanted = 5, .worst_residual = 1e-3};
  context.report("pass", 0.5);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->pass, 3);
  EXPECT_EQ(seen->converged, 2);
  EXPECT_EQ(seen->wanted, 5);
  EXPECT_EQ(seen->worst_residual, 1e-3);
}

TEST(Budget, OwnsTheNamesItIsGiven) {
  Budget budget;
  {
    const std::string name(64, 'x');
    budget.operator_name = name;
    budget.solver_name = name;
  }
  EXPECT_EQ(budget.operator_name, std::string(64, 'x'));
  static_assert(std::is_same_v<decltype(Budget::solver_name), std::string>);
}

}  // namespace steps_test
}  // namespace mercer
