// Operators around another one: what they say of its error and its unit.
#include "mercer/operators/affine.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/journaled.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <memory>

namespace mercer {
namespace wrappers_test {

/// Stands for another matrix, within an error, in a unit.
class Inexact final : public SymmetricOperator {
 public:
  explicit Inexact(Index n) : n_(n) {}
  Index size() const override { return n_; }
  Vector diagonal(const Context&) const override { return Vector::Ones(n_); }
  void apply(ConstBlockRef x, BlockRef y, PassSums*, const Context&) const override { y = x; }
  double error() const override { return 0.25; }
  double unit() const override { return 16; }

 private:
  Index n_;
};

class NoJournal final : public Journal {
 public:
  bool replay(ConstNumbers, std::span<const Numbers>) override { return false; }
  void record(std::span<const ConstNumbers>) override {}
};

TEST(Wrappers, ForwardTheErrorAndTheUnitOfWhatTheyWrap) {
  const Inexact inner(6);
  const Points rows = test::random_points({.n = 6, .dim = 2, .seed = 1});
  const AffineBasis basis(rows, 1, {});
  NoJournal journal;
  const Centered centered(inner);
  const AffineCentered affine(inner, basis);
  const Journaled journaled(std::make_unique<Inexact>(6), journal);
  for (const SymmetricOperator* wrapper : {static_cast<const SymmetricOperator*>(&centered),
                                           static_cast<const SymmetricOperator*>(&affine),
                                           static_cast<const SymmetricOperator*>(&journaled)}) {
    EXPECT_EQ(wrapper->error(), 0.25);
    EXPECT_EQ(wrapper->unit(), 16);
    EXPECT_EQ(wrapper->factored(), nullptr);
  }
}

}  // namespace wrappers_test
}  // namespace mercer
