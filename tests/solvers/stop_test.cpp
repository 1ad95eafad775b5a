// Reasons to end early and kinds of proof: values inside, words outside.
#include "mercer/solvers/stop.h"

#include "mercer/solvers/certificate.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace mercer {
namespace stop_test {

constexpr int kReasons = static_cast<int>(StopReason::float_tiles) + 1;

TEST(Stop, EveryReasonHasWordsOfItsOwnAndNoneHasNone) {
  std::set<std::string> words;
  for (int i = 1; i < kReasons; ++i) {
    const Stop stop{static_cast<StopReason>(i), 7, 9};
    EXPECT_TRUE(stop.early()) << i;
    EXPECT_FALSE(stop.words().empty()) << i;
    EXPECT_TRUE(words.insert(stop.words()).second) << stop.words();
  }
  EXPECT_FALSE(Stop{}.early());
  EXPECT_TRUE(Stop{}.words().empty());
}

TEST(Stop, SaysThatTheTimeWasOverWhereItWas) {
  for (int i = 0; i < kReasons; ++i) {
    const Stop stop{static_cast<StopReason>(i), 7, 9};
    EXPECT_EQ(stop.out_of_time(), stop.words().starts_with("the time allowed ran out")) << i;
  }
}

TEST(Stop, CountsWhatItHadDone) {
  EXPECT_EQ((Stop{StopReason::time_in_reduction, 1200, 45000}.words()),
            "the time allowed ran out after 1200 of 45 000 columns of the reduction");
  EXPECT_EQ((Stop{StopReason::passes_used_up, 12}.words()), "12 passes were not enough");
}

TEST(ProofKind, IsReadBackFromItsName) {
  for (const ProofKind kind : {ProofKind::none, ProofKind::deterministic, ProofKind::probabilistic})
    EXPECT_EQ(parse_proof(name_of(kind)), kind);
  EXPECT_FALSE(parse_proof("certain").has_value());
}

}  // namespace stop_test
}  // namespace mercer
