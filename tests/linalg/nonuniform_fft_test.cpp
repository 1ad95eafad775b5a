// Nonuniform transforms against the sums they stand for, in long double where it matters.
#include "mercer/linalg/nonuniform_fft.h"

#include "mercer/core/random.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <numbers>

namespace mercer {
namespace nonuniform_fft_test {

constexpr double kTurn = 2 * std::numbers::pi;

struct Case {
  Index n, dim;
  Extents modes;
  double spread;  // of the rows, in periods: 1 fills one
};

std::vector<Case> cases() {
  return {{300, 1, {40, 0, 0}, 1},   {200, 1, {1, 0, 0}, 0.3}, {1, 1, {7, 0, 0}, 1},
          {150, 2, {9, 4, 0}, 1},    {150, 2, {0, 6, 0}, 0.5}, {90, 3, {4, 3, 5}, 1},
          {120, 3, {3, 0, 6}, 1e-3}, {40, 3, {0, 0, 0}, 1},    {60, 2, {8, 8, 0}, 3},
          {2500, 2, {5, 6, 0}, 0.4}};
}

std::array<double, 3> periods() { return {2.0, 3.5, 1.25}; }

struct Sample {
  Case c;
  Points x;
  Context context;
  SortedRows rows;

  explicit Sample(const Case& given, Index threads = 2)
      : c(given), x(place(given)), context(with(threads)), rows(sorted()) {}

  static Context with(Index threads) {
    Context made;
    made.budget.threads = threads;
    return made;
  }
  // Evenly random, with a pair of equal rows and one on the very edge.
  static Points place(const Case& c) {
    Points x = test::random_points({.n = c.n, .dim = c.dim, .seed = 3});
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j)
        x(i, j) = c.spread * periods()[static_cast<std::size_t>(j)] * 0.5 * std::sin(7 * x(i, j));
    if (c.n < 3) return x;
    x.row(1) = x.row(0);
    for (Index j = 0; j < c.dim; ++j)
      x(2, j) = 0.5 * c.spread * periods()[static_cast<std::size_t>(j)];
    return x;
  }
  SortedRows sorted() const {
    Vector reach(c.dim);
    for (Index j = 0; j < c.dim; ++j)
      reach[j] = 0.5 * c.spread * periods()[static_cast<std::size_t>(j)];
    const auto source = [this](Range part, double* to) {
      Eigen::Map<Points>(to, part.size(), c.dim) = x.middleRows(part.begin, part.size());
    };
    return {c.n, reach, source, context};
  }
  NonuniformFft plan(double tolerance) const { return {c.dim, periods(), c.modes, tolerance}; }

  /// exp(i k.x) for every row and mode, row-major in k.
  ModeBlock waves() const {
    const Index count = (2 * c.modes[0] + 1) * (2 * c.modes[1] + 1) * (2 * c.modes[2] + 1);
    ModeBlock e(c.n, count);
    for (Index i = 0; i < c.n; ++i) {
      Index mode = 0;
      for (Index a = -c.modes[0]; a <= c.modes[0]; ++a)
        for (Index b = -c.modes[1]; b <= c.modes[1]; ++b)
          for (Index d = -c.modes[2]; d <= c.modes[2]; ++d) {
            double turns = 0;
            const Extents k = {a, b, d};
            for (std::size_t j = 0; j < static_cast<std::size_t>(c.dim); ++j)
              turns += static_cast<double>(k[j]) * x(i, static_cast<Index>(j)) / periods()[j];
            e(i, mode++) = std::polar(1.0, kTurn * turns);
          }
    }
    return e;
  }
};

/// Modes of two real columns in one: those of real columns are each other's conjugates at k and -k.
ModeBlock real_modes(Index count, Index pairs, std::uint64_t seed) {
  const Block parts = test::random_points({.n = count, .dim = 4 * pairs, .seed = seed});
  ModeBlock modes(count, pairs);
  for (Index p = 0; p < pairs; ++p) {
    Eigen::VectorXcd even(count), odd(count);
    for (Index k = 0; k < count; ++k) {
      even[k] = Complex(parts(k, 4 * p), parts(k, 4 * p + 1));
      odd[k] = Complex(parts(k, 4 * p + 2), parts(k, 4 * p + 3));
    }
    even = (even + even.reverse().conjugate()).eval();
    odd = (odd + odd.reverse().conjugate()).eval();
    modes.col(p) = even + Complex(0, 1) * odd;
  }
  return modes;
}

TEST(NonuniformFft, AnalysisIsTheDirectSumWithinItsStatedError) {
  for (const Case& c : cases())
    for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
      SCOPED_TRACE(std::to_string(c.dim) + "-D " + std::to_string(c.n) + " " +
                   std::to_string(tolerance));
      const Sample sample(c);
      const NonuniformFft plan = sample.plan(tolerance);
      EXPECT_LE(plan.error(), tolerance);
      const Block u = test::random_points({.n = c.n, .dim = 3, .seed = 4});
      const ModeBlock got = plan.analyse(sample.rows, u, sample.context);
      const ModeBlock wave = sample.waves().adjoint();
      for (Index p = 0; p < 2; ++p) {
        Eigen::VectorXcd expected = wave * u.col(2 * p).cast<Complex>();
        double weight = u.col(2 * p).cwiseAbs().sum();
        if (p == 0) expected += Complex(0, 1) * (wave * u.col(1).cast<Complex>());
        if (p == 0) weight += u.col(1).cwiseAbs().sum();
        const double error = (got.col(p) - expected).cwiseAbs().maxCoeff();
        EXPECT_LE(error, (1.05 * plan.error() + 1e-13) * weight);
      }
    }
}

TEST(NonuniformFft, SynthesisIsTheDirectSumWithinItsStatedError) {
  for (const Case& c : cases())
    for (const double tolerance : {1e-4, 1e-11}) {
      const Sample sample(c);
      const NonuniformFft plan = sample.plan(tolerance);
      const ModeBlock modes = real_modes(plan.count(), 2, 5);
      const Block got = plan.synthesise(sample.rows, modes, 3, sample.context);
      const ModeBlock expected = sample.waves() * modes;
      const double weight = modes.cwiseAbs().colwise().sum().maxCoeff();
      const double allowed = (1.05 * plan.error() + 1e-13) * weight;
      EXPECT_LE(test::max_abs(got.col(0) - expected.col(0).real()), allowed);
      EXPECT_LE(test::max_abs(got.col(1) - expected.col(0).imag()), allowed);
      EXPECT_LE(test::max_abs(got.col(2) - expected.col(1).real()), allowed);
    }
}

TEST(NonuniformFft, SynthesisIsTheTransposeOfAnalysisToRounding) {
  for (const Case& c : cases()) {
    const Sample sample(c);
    const NonuniformFft plan = sample.plan(1e-5);
    const Block u = test::random_points({.n = c.n, .dim = 2, .seed = 6});
    const ModeBlock modes = real_modes(plan.count(), 1, 7);
    const ModeBlock forward = plan.analyse(sample.rows, u, sample.context);
    const Block back = plan.synthesise(sample.rows, modes, 2, sample.context);
    const double left = modes.col(0).dot(forward.col(0)).real();
    const double right = back.col(0).dot(u.col(0)) + back.col(1).dot(u.col(1));
    EXPECT_LE(std::abs(left - right), 1e-13 * modes.cwiseAbs().sum() * u.cwiseAbs().sum());
  }
}

TEST(NonuniformFft, MoreColumnsThanAGridHoldsGoInParts) {
  const Sample sample({200, 2, {3, 4, 0}, 1});
  const NonuniformFft plan = sample.plan(1e-8);
  const Block u = test::random_points({.n = 200, .dim = 21, .seed = 8});
  const ModeBlock all = plan.analyse(sample.rows, u, sample.context);
  for (Index p = 0; p < 10; ++p) {
    const ModeBlock one = plan.analyse(sample.rows, u.middleCols(2 * p, 2), sample.context);
    EXPECT_LE((one - all.col(p)).cwiseAbs().maxCoeff(), 1e-12);
  }
  const Block back = plan.synthesise(sample.rows, all, 21, sample.context);
  const ModeBlock last = all.rightCols(1);
  EXPECT_LE(test::max_abs(back.col(20) - plan.synthesise(sample.rows, last, 1, sample.context)),
            1e-10);
}

TEST(NonuniformFft, ItsNumbersDoNotDependOnTheNumberOfThreads) {
  const Case c{9000, 3, {4, 5, 3}, 0.7};
  std::vector<ModeBlock> modes;
  std::vector<Block> values;
  for (const Index threads : {1, 2, 3, 7}) {
    const Sample sample(c, threads);
    const NonuniformFft plan = sample.plan(1e-6);
    const Block u = test::random_points({.n = c.n, .dim = 5, .seed = 9});
    modes.push_back(plan.analyse(sample.rows, u, sample.context));
    values.push_back(plan.synthesise(sample.rows, modes.back(), 5, sample.context));
  }
  for (std::size_t i = 1; i < modes.size(); ++i) {
    EXPECT_TRUE(modes[i] == modes[0]);
    EXPECT_TRUE(values[i] == values[0]);
  }
}

TEST(NonuniformFft, StopsWhenTheCallerCancels) {
  const Sample sample({3000, 2, {5, 5, 0}, 1});
  const NonuniformFft plan = sample.plan(1e-6);
  Context stopped;
  stopped.observer.cancelled = [] { return true; };
  const Block u = Block::Ones(3000, 1);
  EXPECT_EQ(test::code_of([&] { plan.analyse(sample.rows, u, stopped); }), "M001");
}

TEST(GridFft, PrunedTransformsAreTheDirectSums) {
  const GridShape shape{{6, 5, 8}, 2};
  const Extents modes = {1, 2, 3};
  ModeBlock given = ModeBlock::Zero(shape.cells(), 2);
  const Points random = test::random_points({.n = shape.cells(), .dim = 4, .seed = 10});
  const auto kept = [&](Index cell) {
    const Extents k = {cell / 40, cell / 8 % 5, cell % 8};
    bool inside = true;
    for (std::size_t a = 0; a < 3; ++a)
      inside = inside && std::min(k[a], shape.size[a] - k[a]) <= modes[a];
    return inside;
  };
  const auto wave = [](Index l, Index k) {
    const double turns = static_cast<double>((l / 40) * (k / 40)) / 6 +
                         static_cast<double>((l / 8 % 5) * (k / 8 % 5)) / 5 +
                         static_cast<double>((l % 8) * (k % 8)) / 8;
    return std::polar(1.0, kTurn * turns);
  };
  for (Index cell = 0; cell < shape.cells(); ++cell)
    for (Index lane = 0; lane < 2; ++lane)
      given(cell, lane) = Complex(random(cell, 2 * lane), random(cell, 2 * lane + 1));
  std::vector<Complex> up(static_cast<std::size_t>(shape.numbers())), down(up.size());
  for (Index cell = 0; cell < shape.cells(); ++cell)
    for (Index lane = 0; lane < 2; ++lane) {
      const auto at = static_cast<std::size_t>(cell * 2 + lane);
      up[at] = kept(cell) ? given(cell, lane) : 0;
      down[at] = given(cell, lane);
    }
  modes_to_grid(shape, modes, Sign::plus, up.data(), {});
  grid_to_modes(shape, modes, Sign::minus, down.data(), {});
  for (Index l = 0; l < shape.cells(); ++l) {
    Complex sum_up = 0, sum_down = 0;
    for (Index k = 0; k < shape.cells(); ++k) {
      if (kept(k)) sum_up += given(k, 1) * wave(l, k);
      sum_down += given(k, 1) * std::conj(wave(l, k));
    }
    EXPECT_LE(std::abs(up[static_cast<std::size_t>(2 * l + 1)] - sum_up), 1e-11);
    if (!kept(l)) continue;
    EXPECT_LE(std::abs(down[static_cast<std::size_t>(2 * l + 1)] - sum_down), 1e-11);
  }
}

TEST(GridFft, SmoothNumbersHaveNoOtherFactors) {
  EXPECT_EQ(next_smooth(1, false), 1);
  EXPECT_EQ(next_smooth(1, true), 2);
  EXPECT_EQ(next_smooth(7, false), 8);
  EXPECT_EQ(next_smooth(25, false), 25);
  EXPECT_EQ(next_smooth(25, true), 30);
  EXPECT_EQ(next_smooth(97, true), 100);
}

}  // namespace nonuniform_fft_test
}  // namespace mercer
