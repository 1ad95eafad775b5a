// What is held counts until it is let go, whoever asks; what does not fit is refused and changes
// nothing.
#include "mercer/core/memory_account.h"

#include "mercer/core/budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace mercer {
namespace memory_account_test {

TEST(MemoryAccount, CountsWhatIsHeldUntilItIsLetGo) {
  const MemoryAccount account(100);
  {
    const MemoryAccount::Hold first = account.hold(60, "the rows");
    EXPECT_EQ(account.left(), 40u);
    MemoryAccount::Hold second = account.hold(10, "the names");
    second.resize(40);
    EXPECT_EQ(account.left(), 0u);
    second.resize(5);
    EXPECT_EQ(account.held(), 65u);
  }
  EXPECT_EQ(account.left(), 100u);
}

TEST(MemoryAccount, RefusesWhatDoesNotFitAndStaysAsItWas) {
  const MemoryAccount account(100);
  MemoryAccount::Hold rows = account.hold(60, "the rows");
  EXPECT_THROW(account.hold(41, "the names"), Error);
  EXPECT_THROW(rows.resize(101), Error);
  EXPECT_THROW(account.hold(UINT64_MAX, "the scores"), Error);
  EXPECT_EQ(rows.bytes(), 60u);
  EXPECT_EQ(account.held(), 60u);
  try {
    account.hold(41, "the names");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::over_memory);
    EXPECT_NE(error.message().find("the names"), std::string::npos);
  }
}

TEST(MemoryAccount, AHoldThatMovesIsCountedOnce) {
  const MemoryAccount account(100);
  MemoryAccount::Hold rows = account.hold(60, "the rows");
  MemoryAccount::Hold moved = std::move(rows);
  EXPECT_EQ(account.held(), 60u);
  moved = account.hold(30, "the names");
  EXPECT_EQ(account.held(), 30u);
}

TEST(MemoryAccount, ThreadsTogetherNeverPassTheLimit) {
  const MemoryAccount account(1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&account] {
      for (int i = 0; i < 2000; ++i) try {
          const MemoryAccount::Hold hold = account.hold(400, "a piece");
          EXPECT_LE(account.held(), 1000u);
        } catch (const Error&) {
        }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(account.held(), 0u);
}

TEST(Context, JudgesByTheBudgetWhereNobodyCounts) {
  Context context;
  context.budget.memory = 50;
  EXPECT_EQ(context.hold(50, "the rows").bytes(), 50u);
  EXPECT_THROW(static_cast<void>(context.hold(51, "the rows")), Error);
  context.account = MemoryAccount(50);
  const MemoryAccount::Hold rows = context.hold(20, "the rows");
  EXPECT_EQ(context.memory_left(), 30u);
}

}  // namespace memory_account_test
}  // namespace mercer
