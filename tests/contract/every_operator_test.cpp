// What every operator must satisfy, found through the catalogue. The oracle is the matrix written
// out by the scalar kernel: K, or H K H behind the centred wrapper; for factors K = F F' the small
// matrix F'F, and F F' against the kernel. Expansions have their own stated error on top.
#include "mercer/data/row_moments.h"
#include "mercer/operators/axes_rows.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"
#include "tests/contract/operator_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <limits>
#include <memory>

namespace mercer {
namespace every_operator_test {

using namespace operator_cases;

TEST(EveryOperator, FormsTheExplicitMatrixExactlySymmetric) {
  double worst = 0;
  const Index served = for_all([&](const Built& built, const OperatorRecipe& recipe) {
    const Index size = built.matrix().size();
    // Where the width is found on the way, the plan has a guess.
    EXPECT_TRUE(size == recipe.size(built.problem) || recipe.name == "cholesky_features");
    Block formed(size, size);
    built.matrix().form(formed, built.context);
    EXPECT_TRUE(formed == formed.transpose());
    const double ratio = test::max_abs(formed - built.expected()) / built.allowed();
    EXPECT_LE(ratio, 1);
    worst = std::max(worst, ratio);
  });
  EXPECT_GT(served, 80);
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST(EveryOperator, StandsForTheKernelMatrixWithinItsOwnError) {
  for_all([&](const Built& built, const OperatorRecipe&) {
    if (built.x.rows() > 100) return;  // singular values of large matrices take long
    const Block f = built.factored() ? built.written_factor() : Block();
    const Block stands = built.factored() ? Block(f * f.transpose()) : test::dense(built.matrix());
    EXPECT_LE(test::norm2(stands - built.kernel_matrix()),
              built.inner->error() + kRatio * built.rounding() * std::sqrt(built.x.rows()));
  });
}

TEST(EveryOperator, ItsProductEqualsTheExplicitProduct) {
  double worst = 0;
  for_all([&](const Built& built, const OperatorRecipe&) {
    const Index size = built.matrix().size();
    for (const Index columns : {1, 3}) {
      const Block u = test::random_points({.n = size, .dim = columns, .seed = 6});
      Block product(size, columns);
      product.setConstant(1e300);  // must be overwritten, not added to
      built.matrix().apply(u, product, nullptr, built.context);
      const double weight = u.cwiseAbs().colwise().sum().maxCoeff();
      const double error = test::max_abs(product - built.expected() * u);
      EXPECT_LE(error / (built.allowed() * weight), 1);
      worst = std::max(worst, error / (built.allowed() * weight));
    }
  });
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST(EveryOperator, TheFormedMatrixIsTheProductWithTheIdentity) {
  for_all([&](const Built& built, const OperatorRecipe&) {
    const Index size = built.matrix().size();
    if (size > 100) return;
    Block formed(size, size);
    built.matrix().form(formed, built.context);
    EXPECT_LE(test::max_abs(formed - test::dense(built.matrix())), built.allowed());
    EXPECT_LE(test::max_abs(built.matrix().diagonal(built.context) - formed.diagonal()),
              built.allowed());
  });
}

TEST(EveryOperator, APassGivesRowSumsAndTheNormOfItsOwnMatrix) {
  for_all([&](const Built& built, const OperatorRecipe& recipe) {
    const SymmetricOperator& a = *built.inner;
    // The product with the identity takes long of very many rows, and of expansions.
    if (a.size() > (a.error() > 0 ? 100 : 1000)) return;
    const Block matrix = test::dense(a);
    const auto size = static_cast<double>(a.size());
    PassSums sums;
    const Block u = test::random_points({.n = a.size(), .dim = 2, .seed = 7});
    Block product(a.size(), 2);
    a.apply(u, product, &sums, built.context);
    EXPECT_LE(test::max_abs(sums.row_sums - matrix.rowwise().sum()), built.allowed() * size);
    // What walks over rows knows no more than |A|_F <= tr A.
    if (recipe.streams == Streams::every_pass) {
      EXPECT_GE(sums.frobenius_squared, matrix.squaredNorm() * (1 - 1e-12));
      EXPECT_LE(sums.frobenius_squared, matrix.trace() * matrix.trace() * (1 + 1e-12));
      return;
    }
    EXPECT_NEAR(
        sums.frobenius_squared, matrix.squaredNorm(),
        (kRatio * size * kUnit + sums.frobenius_error) * std::max(1e-300, matrix.squaredNorm()));
  });
}

/// A problem that the operator serves.
struct Home {
  Points x = test::random_points({.n = 700, .dim = 3, .seed = 8}), line = x.leftCols(1),
         matrix = x * x.transpose();
  Context context;
  GramProblem problem{x, Kernel("linear"), true, 1};

  explicit Home(const OperatorRecipe& recipe) {
    context.budget.operator_name = recipe.name;
    for (const DataView& rows : {DataView(x), DataView(line)})
      for (const char* spec : {"linear", "gaussian:sigma=2", "gaussian:sigma=8",
                               "gaussian:sigma=0.05", "polynomial:degree=3"}) {
        problem.points = rows;
        problem.kernel = Kernel(spec);
        problem.facts.geometry = geometry_of(problem, context);
        if (!recipe.refuse(problem, context.budget)) return;
      }
    problem.points = x;
    problem.kernel = Kernel("linear");
    problem.facts.geometry = nullptr;
    if (recipe.streams != Streams::no) {
      ask_by_axes(problem);
      return;
    }
    problem.points = matrix;  // it serves matrices, not tables
    problem.given = Given::kernel;
    EXPECT_FALSE(recipe.refuse(problem, context.budget)) << recipe.name;
  }
};

TEST(EveryOperator, ItsNumbersDoNotDependOnTheNumberOfThreads) {
  for (const OperatorRecipe* recipe : operator_recipes()) {
    const Home home(*recipe);
    std::vector<Block> products;
    for (const Index threads : {1, 2, 3, 7}) {
      Context context = home.context;
      context.budget.threads = threads;
      const auto built = recipe->build(home.problem, context);
      Block y(built->size(), 2);
      built->apply(test::random_points({.n = built->size(), .dim = 2, .seed = 9}), y, nullptr,
                   context);
      products.push_back(y);
    }
    for (const Block& product : products) EXPECT_TRUE(product == products[0]) << recipe->name;
  }
}

/// All that an operator computes, from the same columns: one number after the other.
std::vector<double> everything(const SymmetricOperator& a, const Context& context) {
  const Block x = test::random_points({.n = a.size(), .dim = 3, .seed = 12});
  std::vector<double> all;
  const auto add = [&](const Block& part) {
    all.insert(all.end(), part.data(), part.data() + part.size());
  };
  Block y(a.size(), 3), columns(a.size(), 2), formed(a.size(), a.size());
  PassSums sums;
  a.apply(x, y, &sums, context);
  add(y);
  add(sums.row_sums);
  add(Vector{{sums.trace, sums.frobenius_squared}});
  a.form(formed, context);
  add(formed);
  add(a.diagonal(context));
  const std::vector<Index> which = {a.size() - 1, 0};
  if (a.columns(which, columns, context)) add(columns);
  if (const FactoredOperator* factor = a.factored()) {
    const Block lifted = factor->lift(x, context);
    add(lifted);
    add(factor->restrict(lifted, context));
  }
  return all;
}

TEST(EveryOperator, IsUsedAgainUnderOtherContextsWhenItsOwnIsGone) {
  for (const OperatorRecipe* recipe : operator_recipes()) {
    SCOPED_TRACE(recipe->name);
    const Home home(*recipe);
    bool stop = false;
    auto building = std::make_unique<Context>(home.context);
    building->budget.threads = 1;
    building->observer.cancelled = [&] { return stop; };
    const auto a = recipe->build(home.problem, *building);
    const std::vector<double> first = everything(*a, *building);
    stop = true;  // what the context of the construction says does not matter any more
    Context other;
    other.budget.threads = 3;
    EXPECT_TRUE(everything(*a, other) == first);
    building.reset();
    EXPECT_TRUE(everything(*a, other) == first);
    Context cancelled;
    cancelled.observer.cancelled = [] { return true; };
    Block y(a->size(), 1);
    EXPECT_EQ(test::code_of([&] { a->apply(Block::Ones(a->size(), 1), y, nullptr, cancelled); }),
              "M001");
    EXPECT_TRUE(everything(*a, other) == first) << "after a call that was cancelled";
  }
}

TEST(EveryOperator, CallsTheObserverFromOneThreadAtATimeAndOutsideOfLocks) {
  for (const OperatorRecipe* recipe : operator_recipes()) {
    SCOPED_TRACE(recipe->name);
    const Home home(*recipe);
    const auto a = recipe->build(home.problem, home.context);
    const Centered centered(*a);
    std::atomic<int> inside = 0, most = 0;
    Context plain, context;
    context.budget.threads = 4;
    context.observer.progress = [&](const Progress&) {
      most = std::max<int>(most, ++inside);
      // An observer may ask the operator that it watches: under a lock that would never end.
      PassSums sums;
      Block y(a->size(), 1);
      if (inside == 1) a->apply(Block::Ones(a->size(), 1), y, &sums, plain);
      if (inside == 1 && a->factored() == nullptr) centered.means(plain);
      --inside;
    };
    PassSums sums;
    Block y(a->size(), 2);
    a->apply(Block::Ones(a->size(), 2), y, &sums, context);
    if (a->factored() == nullptr) centered.means(context);
    EXPECT_LE(most, 1);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryCounts = false;  // sanitizers have allocators of their own
#else
constexpr bool kMemoryCounts = true;
#endif

/// Bytes that are allocated now: parts of the heap, and what is mapped beside it.
std::size_t bytes_in_use() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const struct mallinfo2 heap = mallinfo2();
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) - heap.arena + heap.uordblks;
}

TEST(EveryOperator, ClaimsAtLeastTheBytesItStores) {
  // Objects, small vectors, headers of allocations and the rest of a page, which no price names.
  constexpr std::size_t kSmall = 16 << 10;
  for_all([&](const Built& built, const OperatorRecipe& recipe) {
    const Cost cost = recipe.cost(built.problem, {}, Precision::double_, 2);
    EXPECT_GT(cost.error, 0);
    EXPECT_GT(cost.setup_seconds + cost.pass_seconds + cost.form_seconds, 0);
    if (!kMemoryCounts) return;
    Context alone = built.context;
    alone.budget.threads = 1;
    alone.budget.precision = Precision::double_;
    // The least of three: threads of the pool, which are there already, may map memory meanwhile.
    std::size_t stored = std::numeric_limits<std::size_t>::max();
    for (int i = 0; i < 3; ++i) {
      const std::size_t before = bytes_in_use();
      const auto again = recipe.build(built.problem, alone);
      const std::size_t after = bytes_in_use();
      stored = std::min(stored, after > before ? after - before : 0);
    }
    EXPECT_GE(cost.bytes + kSmall, stored);
  });
}

TEST(EveryOperator, StopsWhenTheCallerCancels) {
  for (const OperatorRecipe* recipe : operator_recipes()) {
    const Home home(*recipe);
    Context context = home.context;
    context.observer.cancelled = [] { return true; };
    EXPECT_EQ(test::code_of([&] { recipe->build(home.problem, context); }), "M001") << recipe->name;
  }
}

TEST(EveryOperator, IsFoundByItsNameAndNoOtherIs) {
  for (const OperatorRecipe* recipe : operator_recipes()) {
    EXPECT_EQ(&operator_recipe(recipe->name), recipe);
    EXPECT_FALSE(recipe->summary.empty());
  }
  EXPECT_EQ(test::code_of([] { operator_recipe("dense_gran"); }), "M112");
}

TEST(FactoredOperators, LiftAndRestrictAreTheFactorAndItsTranspose) {
  for (const bool center : {false, true}) {
    const Built built(operator_recipe("covariance"), {"linear", 41, 3, center, 0});
    const FactoredOperator& factor = built.factor();
    const Points rows = center ? test::centred_rows(built.x) : built.x;
    const Block w = test::random_points({.n = 3, .dim = 2, .seed = 10});
    const Block u = test::random_points({.n = 41, .dim = 2, .seed = 11});
    EXPECT_EQ(factor.gram_factor(), 41);
    EXPECT_LE(test::max_abs(factor.lift(w, {}) - rows * w), 100 * kUnit);
    EXPECT_LE(test::max_abs(factor.restrict(u, {}) - rows.transpose() * u), 41 * kRatio * kUnit);
  }
}

TEST(DenseGram, TileSizesAgreeToRounding) {
  const Case base{"gaussian:sigma=1.5", 65, 3, false, 0};
  const Built reference(operator_recipe("dense_gram"), base);
  for (const Index tile : {1, 2, 7, 32, 64, 65, 4096}) {
    Case c = base;
    c.tile = tile;
    const Built built(operator_recipe("dense_gram"), c);
    EXPECT_LE(test::max_abs(test::dense(*built.inner) - test::dense(*reference.inner)),
              10 * 65 * kUnit);
  }
}

TEST(DenseGram, FloatTilesAgreeWithDoubleOnesToFloatRounding) {
  const Points x = test::random_points({.n = 90, .dim = 20, .seed = 12});
  Context single;
  single.budget.precision = Precision::single_;
  for (const char* spec : {"gaussian:sigma=4", "polynomial:degree=2,scale=0.05", "linear"}) {
    const GramProblem problem{x, Kernel(spec), true, 1};
    const auto built = operator_recipe("dense_gram").build(problem, single);
    const Block expected = test::double_centred(test::dense_kernel(problem.kernel, x));
    const Block got = test::dense(Centered(*built));
    const double scale = test::max_abs(test::dense_kernel(problem.kernel, x));
    EXPECT_LE(test::max_abs(got - expected), kRatio * 20 * test::kUnitSingle * scale) << spec;
    EXPECT_TRUE(test::dense(*built) == test::dense(*built).transpose());
  }
}

}  // namespace every_operator_test
}  // namespace mercer
