// Counting by definiteness: lines above and below eigenvalues that are known, at both ends, and the
// search that is built on it: flat spectra are proven, what was missed is found, cut clusters are
// seen.
#include "mercer/solvers/inertia.h"

#include "mercer/solvers/krylov_search.h"
#include "tests/support/errors.h"
#include "tests/support/inertia.h"
#include "tests/support/solver_promises.h"

namespace mercer {
namespace inertia_test {

using test::request_of;
using End = Inertia::End;

// Flat: hundreds of values close to the last wanted one, whose sum of squares says nothing.
Vector flat(Index n) { return Vector::LinSpaced(n, 1.0, 0.9); }

struct Known {
  Block matrix, vectors;
  Vector values;
};

Known with_vectors(const Vector& values, std::uint64_t seed) {
  const Index n = values.size();
  const Block q = test::random_orthonormal(n, n, seed);
  const Block a = q * values.asDiagonal() * q.transpose();
  return {(a + a.transpose()) / 2, q, values};
}

// A test of inertia keeps the context it is made with.
const Context kContext;

TEST(Inertia, TellsOnWhichSideOfALineTheRestLies) {
  for (const double scale : {1.0, 1e150, 1e-150})
    for (const Index n : {3, 50, 300}) {
      const Known e = with_vectors(scale * flat(n), 1);
      Inertia inertia(test::MatrixOperator(e.matrix), e.values[0], kContext);
      for (const Index k : {Index{1}, Index{2}, n / 2}) {
        const double below = (e.values[k - 1] + e.values[k]) / 2;
        const Inertia::Answer yes =
            inertia.test(e.vectors.leftCols(k), e.values.head(k), below, End::upper);
        EXPECT_TRUE(yes.within) << n << " " << k;
        EXPECT_GE(yes.bound, e.values[k]);
        // Row sums of |L||L'| are at most n times the largest entry of the diagonal, and every
        // entry of M is a sum of k + 2 terms.
        const auto rows = static_cast<double>(n), columns = static_cast<double>(k);
        const double units = 3 * (rows + 16) * rows + 8 * (columns + 8) * (rows + columns);
        EXPECT_LE(yes.bound, below + units * test::kUnit * e.values[0]);
        // One vector fewer: what is not taken out is seen, in its direction.
        const Inertia::Answer no =
            inertia.test(e.vectors.leftCols(k - 1), e.values.head(k - 1), below, End::upper);
        ASSERT_FALSE(no.within) << n << " " << k;
        ASSERT_GE(no.directions.cols(), 1);
        const Vector x = no.directions.col(0);
        EXPECT_GE(x.dot(e.matrix * x), below * (1 - 1e-12));
      }
    }
}

TEST(Inertia, LooksAtTheLowerEndToo) {
  Vector values = flat(80);
  values.tail(3) << -0.5, -0.7, -2;
  const Known e = with_vectors(values, 2);
  Inertia inertia(test::MatrixOperator(e.matrix), 2, kContext);
  EXPECT_TRUE(inertia.test(e.vectors.rightCols(1), values.tail(1), 0.8, End::lower).within);
  EXPECT_FALSE(inertia.test(e.vectors.rightCols(1), values.tail(1), 0.6, End::lower).within);
  EXPECT_TRUE(inertia.test(e.vectors.rightCols(2), values.tail(2), 0.6, End::lower).within);
  EXPECT_FALSE(inertia.test(e.vectors.rightCols(2), values.tail(2), 0.6, End::upper).within);
}

TEST(Inertia, AgreesWithACountByPivots) {
  // However bad the vectors are, what is within the line is so for all but as many eigenvalues.
  Index within = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Index n = 12, k = 1 + static_cast<Index>(seed % 4);
    const Random random(seed, 1);
    Vector values(n);
    for (Index i = 0; i < n; ++i) values[i] = random.normal(static_cast<std::uint64_t>(i));
    std::sort(values.begin(), values.end(), std::greater<>());
    const Known e = with_vectors(values, seed);
    const Block near = e.vectors.leftCols(k) + 0.2 * test::random_orthonormal(n, k, seed + 9);
    const double line = values[static_cast<Index>(seed % 7)] - 0.05;
    Inertia inertia(test::MatrixOperator(e.matrix), values.cwiseAbs().maxCoeff(), kContext);
    if (!inertia.test(near, values.head(k), line, End::upper).within) continue;
    ++within;
    EXPECT_LE(test::count_above(e.matrix, line + 1e-12), k) << seed;
  }
  EXPECT_GT(within, 20);
}

TEST(Inertia, FitsOnlyWhereTheMatrixDoes) {
  EXPECT_TRUE(Inertia::fits(10'000, 50, std::uint64_t{1'000'000'000}));
  EXPECT_FALSE(Inertia::fits(10'000, 50, std::uint64_t{790'000'000}));
  EXPECT_FALSE(Inertia::fits(30'000, 50, std::uint64_t{1} << 40));
}

const SolverRecipe& krylov() { return solver_recipe("block_krylov"); }

TEST(Counting, ProvesFlatSpectraWithoutChance) {
  const Vector truth = flat(400);
  const test::MatrixOperator a(test::matrix_with(truth, 3));
  for (const Certify certify : {Certify::automatic, Certify::deterministic}) {
    EigenRequest request = request_of(4, 1e-8);
    request.certify = certify;
    const EigenResult result = krylov().run(a, request, {});
    test::expect_answer(result, truth, 4, 1e-8, "flat");
    EXPECT_TRUE(result.certificate.complete) << result.stop.words();
    EXPECT_EQ(result.certificate.kind, ProofKind::deterministic);
    EXPECT_EQ(result.certificate.failure, 0);
    EXPECT_LT(result.certificate.angle, 1e-2);
    EXPECT_GE(result.certificate.complement, truth[4]);
    EXPECT_LT(result.certificate.complement, truth[3]);
  }
}

TEST(Counting, NeedsTheMemoryForTheMatrix) {
  const Vector truth = flat(400);
  EigenRequest request = request_of(4, 1e-8);
  request.search.proof_bytes = 1'000'000;
  const EigenResult result =
      krylov().run(test::MatrixOperator(test::matrix_with(truth, 3)), request, {});
  EXPECT_TRUE(result.converged);
  EXPECT_FALSE(result.certificate.complete);
  EXPECT_FALSE(result.stop.words().empty());
}

// Hands over eigenvectors with some left out, as a search does that is orthogonal to them.
EigenResult proven_from(const Known& e, const std::vector<Index>& known, EigenRequest request) {
  const test::MatrixOperator a(e.matrix);
  Found found;
  found.vectors = e.vectors(Eigen::all, known);
  found.images = Block(a.size(), found.vectors.cols());
  a.apply(found.vectors, found.images, &found.sums, {});
  found.passes = 1;
  found.columns = found.vectors.cols();
  found.history = {{found.columns, 1e-15}};
  return KrylovSearch(a, request, {}).run_from(std::move(found));
}

TEST(Counting, FindsWhatASearchMissed) {
  Vector values = flat(300);
  values[0] = 1.3;
  const Known e = with_vectors(values, 4);
  for (const Index missing : {0, 2, 5}) {
    std::vector<Index> known;
    for (Index i = 0; i < 12; ++i)
      if (i != missing) known.push_back(i);
    const EigenResult result = proven_from(e, known, request_of(6, 1e-8));
    EXPECT_TRUE(result.certificate.complete) << missing << " " << result.stop.words();
    test::expect_answer(result, values, 6, 1e-8, "missing " + std::to_string(missing));
  }
}

TEST(Counting, SaysThatAClusterIsCutWhereTheSearchHasNotSeenIt) {
  // The sixth and seventh are equal, and the vectors handed over know one of them only.
  Vector values = flat(300);
  values[6] = values[5];
  const Known e = with_vectors(values, 5);
  const EigenResult cut = proven_from(e, {0, 1, 2, 3, 4, 5, 7, 8, 9}, request_of(6, 1e-6));
  EXPECT_TRUE(cut.certificate.complete) << cut.stop.words();
  EXPECT_NEAR(cut.spectrum.next_value, values[6], 1e-10);
  EXPECT_FALSE(std::isfinite(cut.certificate.angle));
  // With a gap, however small, the next value is not claimed to be equal.
  values[6] = values[5] - 1e-8;
  const Known f = with_vectors(values, 5);
  const EigenResult gap = proven_from(f, {0, 1, 2, 3, 4, 5, 7, 8, 9}, request_of(6, 1e-6));
  EXPECT_TRUE(gap.certificate.complete) << gap.stop.words();
  EXPECT_LT(gap.spectrum.next_value, values[5] - 5e-9);
}

TEST(Counting, CountsBothEndsByMagnitude) {
  Vector values = flat(200);
  values.head(2) << 1.3, 1.2;
  for (Index i = 1; i < values.size(); i += 2) values[i] = -values[i];
  const Known e = with_vectors(values, 6);
  EigenRequest request = request_of(4, 1e-8);
  request.order = Order::magnitude;
  for (const std::vector<Index>& known :
       {std::vector<Index>{0, 1, 2, 3, 5, 6}, std::vector<Index>{0, 2, 3, 4, 5, 6, 7},
        std::vector<Index>{1, 2, 3, 4, 5, 6, 7}}) {
    const EigenResult result = proven_from(e, known, request);
    EXPECT_TRUE(result.certificate.complete) << result.stop.words();
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(result.values[i], values[i], 1e-7) << i;
      EXPECT_GE(result.certificate.eigenvalue_upper[i], std::abs(values[i]) - 1e-14);
    }
  }
}

TEST(Counting, AMissedValueIsNoLackOfRank) {
  // Two eigenvalues and vectors of the null space are known, two more eigenvalues are not: a line
  // below the second would hold, and the rank would be called two.
  Vector values = Vector::Zero(200);
  values.head(4) << 1, 0.9, 0.5, 1e-3;
  const Known e = with_vectors(values, 10);
  for (const Certify certify : {Certify::automatic, Certify::deterministic})
    for (const Order order : {Order::value, Order::magnitude}) {
      EigenRequest request = request_of(6, 1e-6);
      request.matrix.rank_tolerance = 1e-10;
      request.certify = certify;
      request.order = order;
      const EigenResult result = proven_from(e, {0, 1, 10, 11, 12, 13, 14}, request);
      EXPECT_TRUE(result.certificate.complete) << result.stop.words();
      ASSERT_EQ(result.values.size(), 4);
      EXPECT_NEAR(result.values[3], 1e-3, 1e-8);
    }
}

TEST(Counting, MakesEnclosuresAsNarrowAsAsked) {
  const Vector truth = flat(300);
  EigenRequest request = request_of(3, 1e-7);
  request.eigenvalues_only = true;
  request.tolerance = 1e-7;
  const EigenResult result =
      krylov().run(test::MatrixOperator(test::matrix_with(truth, 7)), request, {});
  EXPECT_TRUE(result.certificate.complete) << result.stop.words();
  for (Index i = 0; i < 3; ++i) {
    EXPECT_LE(result.certificate.eigenvalue_upper[i] - result.values[i], 1e-7 * result.values[i]);
    EXPECT_GE(result.certificate.eigenvalue_upper[i], truth[i]);
  }
}

TEST(Counting, IsStoppedByTheTimeAndByTheCaller) {
  const Vector truth = flat(400);
  const test::CountingOperator a(test::matrix_with(truth, 8));
  Context context;
  context.budget.threads = 1;
  // The count begins after the last pass: the time runs out some questions later.
  const Index passes = krylov().run(a, request_of(4, 1e-6), context).applications;
  a.passes = 0;
  Index asked = 0;
  context.observer.out_of_time = [&] { return a.passes >= passes && ++asked > 4; };
  const EigenResult result = krylov().run(a, request_of(4, 1e-6), context);
  EXPECT_TRUE(result.converged);
  EXPECT_FALSE(result.certificate.complete);
  EXPECT_EQ(result.stop.words(), "the time allowed ran out");
  a.passes = asked = 0;
  context.observer.out_of_time = nullptr;
  context.observer.cancelled = [&] { return a.passes >= passes && ++asked > 4; };
  EXPECT_EQ(test::code_of([&] { krylov().run(a, request_of(4, 1e-6), context); }), "M001");
}

TEST(Counting, GivesTheSameBytesForAnyNumberOfThreads) {
  test::expect_same_bytes(krylov(), test::MatrixOperator(test::matrix_with(flat(400), 9)),
                          request_of(4, 1e-7));
}

}  // namespace inertia_test
}  // namespace mercer
