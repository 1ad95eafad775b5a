// The reduction to tridiagonal form, the way back and all vectors, by LAPACK's ratios; the same
// bytes at any number of threads; what is known when it is stopped.
#include "mercer/linalg/tridiagonal.h"

#include "mercer/linalg/divide_conquer.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/symmetric_loops.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <numeric>

namespace mercer {
namespace tridiagonal_test {

using test::code_of;
using test::kRatio;
using test::kUnit;

Context with_threads(Index threads) {
  Context context;
  context.budget.threads = threads;
  return context;
}

Block random_symmetric(Index n, std::uint64_t seed) {
  const Block a = test::random_points({.n = n, .dim = n, .seed = seed});
  return a + a.transpose();
}

std::vector<Index> every(Index n) {
  std::vector<Index> positions(static_cast<std::size_t>(n));
  std::iota(positions.begin(), positions.end(), Index{0});
  return positions;
}

// Q of Q'AQ = T, and T, written out.
struct Written {
  Block q, t;
};
Written written_out(const Block& reduced, const Tridiagonal& form) {
  const Index n = reduced.rows();
  Written out{Block::Identity(n, n), Block::Zero(n, n)};
  apply_reflectors(reduced, form, out.q, with_threads(2));
  for (Index i = 0; i < n; ++i) {
    out.t(i, i) = form.unit * form.diagonal[i];
    if (i + 1 < n) out.t(i + 1, i) = out.t(i, i + 1) = form.unit * form.off_diagonal[i];
  }
  return out;
}

void expect_reduced(const Block& a, const std::string& what) {
  const Index n = a.rows();
  Block reduced = a;
  const Tridiagonal form = reduce_to_tridiagonal(reduced, WhenLate::fail, with_threads(2));
  EXPECT_EQ(form.steps, n) << what;
  const Written w = written_out(reduced, form);
  EXPECT_LE(test::orthogonality_ratio(w.q), kRatio) << what;
  // |A Q - Q T| / (|A| n u), in units in which nothing overflows or vanishes.
  const double unit = test::max_abs(a);
  if (unit == 0) {
    EXPECT_EQ(test::max_abs(w.t), 0) << what;
    return;
  }
  const Block scaled = a / unit, t = w.t / unit;
  EXPECT_LE((scaled * w.q - w.q * t).norm() / (scaled.norm() * static_cast<double>(n) * kUnit),
            kRatio)
      << what;
}

TEST(Tridiagonal, IsSimilarToTheMatrixByAnOrthogonalOne) {
  // Ends of panels (32), of reflections applied at once (64), of tiles (128) and where strips of
  // columns begin (640).
  for (const Index n : {1, 2, 3, 4, 31, 32, 33, 34, 63, 64, 65, 66, 97, 128, 129, 257, 641})
    expect_reduced(random_symmetric(n, 1), "n = " + std::to_string(n));
}

TEST(Tridiagonal, TakesMatricesWithNothingToReduce) {
  for (const Index n : {1, 2, 33, 70}) {
    expect_reduced(Block::Zero(n, n), "zero");
    expect_reduced(Block::Identity(n, n), "identity");
    expect_reduced(Vector::LinSpaced(n, -2, 5).asDiagonal(), "diagonal");
    expect_reduced(Block::Ones(n, n), "ones");
    Block t = Block::Zero(n, n);
    t.diagonal().setConstant(2);
    if (n > 1) t.diagonal(1).setConstant(-1), t.diagonal(-1).setConstant(-1);
    expect_reduced(t, "tridiagonal");
  }
}

TEST(Tridiagonal, TakesTheLargestAndTheSmallestNumbers) {
  const Block a = random_symmetric(70, 2);
  for (const double scale : {1e300, 1e154, 1e-154, 1e-300})
    expect_reduced(scale * a, "scale " + std::to_string(std::log10(scale)));
  // Columns whose squares vanish beside the others.
  Vector graded(70);
  for (Index i = 0; i < 70; ++i) graded[i] = std::pow(10.0, -3.0 * static_cast<double>(i));
  expect_reduced(graded.asDiagonal() * a * graded.asDiagonal(), "graded");
  // Denormal numbers have few digits of their own, which are kept.
  Block tiny = (a * 1024).array().round().matrix() * std::numeric_limits<double>::denorm_min();
  Block same = (a * 1024).array().round().matrix();
  const SymmetricReduction small(tiny), plain(same);
  const Vector expected = plain.values() * std::numeric_limits<double>::denorm_min();
  EXPECT_LE(test::max_abs(small.values() - expected),
            2 * std::numeric_limits<double>::denorm_min());
}

TEST(Tridiagonal, RefusesWhatIsNotFinite) {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Block a = random_symmetric(40, 3);
    a(30, 10) = bad;
    EXPECT_EQ(code_of([&] { reduce_to_tridiagonal(a, WhenLate::fail, {}); }), "M600");
  }
}

TEST(Tridiagonal, HasTheSameBytesAtAnyNumberOfThreads) {
  for (const Index n : {65, 333, 1100}) {
    const Block a = random_symmetric(n, 4);
    std::vector<Index> some = {0, 1, n - 1}, all = every(n);
    Vector values;
    Block few, whole;
    for (const Index threads : {1, 2, 3, 8}) {
      Block copy = a;
      const SymmetricReduction reduction(copy, with_threads(threads));
      const Block now_few = reduction.vectors(some), now_whole = reduction.vectors(all);
      if (threads == 1) {
        values = reduction.values();
        few = now_few;
        whole = now_whole;
      }
      EXPECT_TRUE(values == reduction.values() && few == now_few && whole == now_whole)
          << n << " rows, " << threads << " threads";
    }
  }
}

TEST(Tridiagonal, StripsOfASymmetricMatrixTimesAVectorEqualTheProductWrittenOut) {
  for (const Index n : {1, 3, 4, 5, 8, 9, 23, 64, 67}) {
    const Block a = random_symmetric(n, 5);
    const Vector x = test::random_points({.n = n, .dim = 1, .seed = 6}).col(0);
    for (const Index cut : {Index{0}, n / 3, n / 2, n}) {
      Vector y = Vector::Zero(n);
      add_symmetric_product({a.data(), n, n, cut}, x.data(), y.data());
      if (cut < n)
        add_symmetric_product({&a(cut, cut), n, n - cut, n - cut}, x.data() + cut, y.data() + cut);
      EXPECT_LE(test::max_abs(y - a * x), kRatio * static_cast<double>(n) * kUnit * a.norm())
          << n << " rows cut at " << cut;
    }
  }
}

TEST(Tridiagonal, StoppedEarlyItKnowsRitzPairsAndTheirResiduals) {
  // Eigenvalues 1, 1/2, 1/4, ...: twenty columns find the first ones.
  const Index n = 150;
  const Block q = test::random_orthonormal(n, n, 7);
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = std::exp2(-static_cast<double>(i));
  const Block a = q * values.asDiagonal() * q.transpose();
  for (const int checks : {1, 2, 5, 60, 61, 130}) {
    Context context = with_threads(1);
    int seen = 0;
    context.observer.out_of_time = [&] { return ++seen > checks; };
    Block copy = a;
    const SymmetricReduction reduction(copy, context, WhenLate::keep);
    ASSERT_FALSE(reduction.complete());
    const Index steps = reduction.steps();
    ASSERT_GE(steps, 1);
    const SymmetricReduction::Found found = reduction.found(every(steps));
    EXPECT_LE(test::orthogonality_ratio(found.vectors), kRatio);
    const Block residuals = a * found.vectors - found.vectors * reduction.values().asDiagonal();
    for (Index j = 0; j < steps; ++j)
      EXPECT_NEAR(residuals.col(j).norm(), found.residuals[j], kRatio * n * kUnit) << steps;
    if (steps >= 20) {
      EXPECT_NEAR(reduction.values()[steps - 1], 1, 1e-10);
    }
  }
}

TEST(Tridiagonal, OutOfTimeIsAnErrorWhereNothingIsToBeKeptOrKnown) {
  Block a = random_symmetric(100, 8);
  Context late;
  late.observer.out_of_time = [] { return true; };
  EXPECT_EQ(code_of([&] { reduce_to_tridiagonal(a, WhenLate::fail, late); }), "M303");
  EXPECT_EQ(code_of([&] { reduce_to_tridiagonal(a, WhenLate::keep, late); }), "M303");
  Context stopped;
  stopped.observer.cancelled = [] { return true; };
  EXPECT_EQ(code_of([&] { reduce_to_tridiagonal(a, WhenLate::keep, stopped); }), "M001");
}

TEST(Tridiagonal, AsksOftenWhetherToStop) {
  for (const Index n : {100, 700}) {
    Block a = random_symmetric(n, 9);
    Context context = with_threads(1);
    Index asked = 0;
    context.observer.cancelled = [&] { return ++asked, false; };
    const SymmetricReduction reduction(a, context);
    EXPECT_GE(asked, n);
    asked = 0;
    reduction.vectors(every(n));
    EXPECT_GE(asked, n / 25);
  }
}

void expect_vectors(const Vector& diagonal, const Vector& off_diagonal, const std::string& what) {
  const Index n = diagonal.size();
  Block t = Block::Zero(n, n);
  t.diagonal() = diagonal;
  for (Index i = 0; i + 1 < n; ++i) t(i + 1, i) = t(i, i + 1) = off_diagonal[i];
  const Block v = tridiagonal_vectors(diagonal, off_diagonal, every(n), with_threads(2));
  EXPECT_LE(test::orthogonality_ratio(v), kRatio) << what;
  t /= std::max(test::max_abs(t), std::numeric_limits<double>::min());  // squares stay in range
  Block copy = t;
  const Vector values = test::dense_eigen(t).values.reverse();
  EXPECT_LE(test::residual_ratio(t, v, values), kRatio) << what;
  EXPECT_LE(test::value_ratio(SymmetricReduction(copy).values(), values, n, 1), kRatio) << what;
}

TEST(DivideAndConquer, VectorsHaveSmallResidualsAndAreOrthogonal) {
  for (const Index n : {1, 2, 3, 25, 26, 27, 51, 101, 230}) {
    const std::string size = "n = " + std::to_string(n) + ", ";
    const Points random = test::random_points({.n = n, .dim = 2, .seed = 10});
    expect_vectors(random.col(0), random.col(1), size + "random");
    expect_vectors(Vector::Constant(n, 2), Vector::Constant(n, -1), size + "second differences");
    expect_vectors(Vector::Zero(n), Vector::Ones(n), size + "zero diagonal");
    expect_vectors(Vector::Ones(n), Vector::Zero(n), size + "one eigenvalue");
    expect_vectors(Vector::LinSpaced(n, -1, 1).array().round(), 1e-9 * random.col(1),
                   size + "clusters");
    // Wilkinson's matrix: pairs of eigenvalues that agree to many digits.
    expect_vectors(
        Vector::LinSpaced(n, -static_cast<double>(n / 2), static_cast<double>(n / 2)).cwiseAbs(),
        Vector::Ones(n), size + "Wilkinson");
    expect_vectors(1e300 * random.col(0), 1e300 * random.col(1), size + "large");
    expect_vectors(1e-300 * random.col(0), 1e-300 * random.col(1), size + "small");
  }
}

TEST(DivideAndConquer, GivesTheVectorsAskedForInTheirOrder) {
  const Index n = 120;
  const Points random = test::random_points({.n = n, .dim = 2, .seed = 11});
  const Vector d = random.col(0), e = random.col(1);
  const Block all = tridiagonal_vectors(d, e, every(n), {});
  const Block some = tridiagonal_vectors(d, e, {119, 0, 60}, {});
  EXPECT_TRUE(some.col(0) == all.col(119) && some.col(1) == all.col(0) &&
              some.col(2) == all.col(60));
}

TEST(SymmetricReduction, FindsRepeatedEigenvaluesAndTheirSpaces) {
  const Index n = 90;
  const Block q = test::random_orthonormal(n, n, 12);
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = static_cast<double>(i / 30);  // 0, 1, 2: thirty each
  const Block a = q * values.asDiagonal() * q.transpose();
  Block copy = a;
  const SymmetricReduction reduction(copy, with_threads(2));
  EXPECT_LE(test::value_ratio(reduction.values(), values, n, a.norm()), kRatio);
  const Block v = reduction.vectors(every(n));
  EXPECT_LE(test::orthogonality_ratio(v), kRatio);
  EXPECT_LE(test::residual_ratio(a, v, reduction.values()), kRatio);
}

}  // namespace tridiagonal_test
}  // namespace mercer
