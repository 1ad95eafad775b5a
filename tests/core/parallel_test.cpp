// Threads: every task once, the same tiles whatever their number, errors and cancellation carried
// to the caller, nothing left changed behind, and a child of fork() that works.
#include "mercer/core/parallel.h"

#include "mercer/linalg/blas.h"
#include "tests/support/errors.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

namespace mercer {
namespace parallel_test {

Context with_threads(Index threads) {
  Context context;
  context.budget.threads = threads;
  return context;
}

TEST(PairRounds, HoldEveryPairOnceAndNoBlockTwiceInARound) {
  for (Index blocks = 1; blocks <= 33; ++blocks) {
    std::set<std::pair<Index, Index>> seen;
    for (const auto& round : pair_rounds(blocks)) {
      std::set<Index> busy;
      for (const TilePair pair : round) {
        EXPECT_LE(0, pair.first);
        EXPECT_LE(pair.first, pair.second);
        EXPECT_LT(pair.second, blocks);
        EXPECT_TRUE(seen.insert({pair.first, pair.second}).second);
        EXPECT_TRUE(busy.insert(pair.first).second);
        if (pair.second != pair.first) {
          EXPECT_TRUE(busy.insert(pair.second).second);
        }
      }
    }
    EXPECT_EQ(static_cast<Index>(seen.size()), blocks * (blocks + 1) / 2) << blocks;
  }
  EXPECT_TRUE(pair_rounds(0).empty());
}

TEST(PairRounds, AreAsManyAsAnOddNumberOfBlocks) {
  EXPECT_EQ(pair_rounds(7).size(), 7U);
  EXPECT_EQ(pair_rounds(8).size(), 9U);
}

TEST(Tiles, CutARangeWithoutGapOrOverlap) {
  EXPECT_EQ(tiles_of(10, 4), (std::vector<Range>{{0, 4}, {4, 8}, {8, 10}}));
  EXPECT_EQ(tiles_of(8, 4), (std::vector<Range>{{0, 4}, {4, 8}}));
  EXPECT_EQ(tiles_of(3, 100), (std::vector<Range>{{0, 3}}));
  EXPECT_TRUE(tiles_of(0, 4).empty());
}

TEST(ParallelFor, RunsEveryTaskOnceWhateverTheNumberOfThreads) {
  for (const Index threads : {0, 1, 2, 3, 7, 64})
    for (const Index count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      parallel_for(with_threads(threads), count,
                   [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& run : runs) EXPECT_EQ(run, 1);
    }
}

TEST(ParallelFor, CarriesTheExceptionOfATaskToTheCallerAndStopsTheOthers) {
  std::atomic<Index> ran{0};
  const auto call = [&] {
    parallel_for(with_threads(2), 100000, [&](Index i) {
      ++ran;
      if (i == 10) throw std::runtime_error("task 10");
    });
  };
  EXPECT_THROW(call(), std::runtime_error);
  EXPECT_LT(ran, 100000);
  const auto failing = [] {
    parallel_for(with_threads(2), 4, [](Index) { throw Error(ErrorCode::bad_size, "x"); });
  };
  EXPECT_EQ(test::code_of(failing), "M108");
}

TEST(ParallelFor, AsksBetweenTasksWhetherToStop) {
  Context context = with_threads(2);
  std::atomic<bool> stop{false};
  std::atomic<Index> ran{0};
  context.observer.cancelled = [&] { return stop.load(); };
  const auto call = [&] {
    parallel_for(context, 100000, [&](Index) {
      if (++ran == 50) stop = true;
    });
  };
  EXPECT_EQ(test::code_of(call), "M001");
  EXPECT_GE(ran, 50);
  EXPECT_LT(ran, 100);
}

TEST(ParallelFor, InsideATaskRunsOnTheCallingThread) {
  std::atomic<Index> wrong{0}, ran{0};
  parallel_for(with_threads(3), 8, [&](Index) {
    const auto self = std::this_thread::get_id();
    parallel_for(with_threads(3), 20, [&](Index) {
      ++ran;
      if (std::this_thread::get_id() != self) ++wrong;
    });
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ran, 160);
}

Index sum_of_squares(Index threads, Index count) {
  std::vector<Index> squares(static_cast<std::size_t>(count));
  parallel_for(with_threads(threads), count,
               [&](Index i) { squares[static_cast<std::size_t>(i)] = i * i; });
  return std::accumulate(squares.begin(), squares.end(), Index{0});
}

constexpr Index kSquares = 332833500;  // sum of i^2 for i < 1000

TEST(ParallelFor, FiftyThreadsMayCallItAtOnce) {
  std::atomic<Index> right{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 50; ++t)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 5; ++repeat)
        if (sum_of_squares(4, 1000) == kSquares) ++right;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 250);
}

TEST(ParallelFor, WorksInAChildOfFork) {
  ASSERT_EQ(sum_of_squares(3, 1000), kSquares);  // the parent's pool has threads the child lacks
  for (int child = 0; child < 20; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      alarm(20);  // a hang ends the child, and the test sees a signal
      _exit(sum_of_squares(3, 1000) == kSquares ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(sum_of_squares(3, 1000), kSquares);
}

TEST(ParallelFor, WorksInAChildThatWasForkedWhileItRan) {
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done) sum_of_squares(3, 1000);
  });
  for (int child = 0; child < 20; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      alarm(20);
      _exit(sum_of_squares(3, 1000) == kSquares ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  done = true;
  busy.join();
}

TEST(BlasThreads, AreOneInsideAndTheCallersNumberAfterwards) {
  const double two = 2;
  double four = 0;
  row_products(1, 1, 1, &two, 1, &two, 1, &four, 1);  // so that BLAS is linked at all
  EXPECT_EQ(four, 4);
  using Get = int (*)();
  using Set = void (*)(int);
  const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (get == nullptr || set == nullptr) GTEST_SKIP() << "the BLAS is not OpenBLAS";
  const int before = get();
  for (const int callers : {1, 2}) {
    set(callers);
    std::atomic<int> inside{0};
    parallel_for(with_threads(2), 8, [&](Index) { inside = std::max(inside.load(), get()); });
    EXPECT_EQ(inside, 1);
    EXPECT_EQ(get(), callers);
    const auto failing = [] {
      parallel_for(with_threads(2), 4, [](Index) { throw std::runtime_error("x"); });
    };
    EXPECT_THROW(failing(), std::runtime_error);
    EXPECT_EQ(get(), callers);
  }
  set(before);
}

TEST(ThreadCount, IsTheBudgetsOrAtLeastOne) {
  EXPECT_EQ(thread_count({.threads = 5}), 5);
  EXPECT_GE(thread_count({}), 1);
}

}  // namespace parallel_test
}  // namespace mercer
