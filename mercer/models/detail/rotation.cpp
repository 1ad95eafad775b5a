#include "mercer/models/detail/rotation.h"

#include "mercer/linalg/householder.h"
#include "mercer/linalg/lapack.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer::detail {
namespace {

constexpr Index kTurns = 10'000;    // at most
constexpr double kStalls = 1e-13;   // relative growth of the criterion that ends it
constexpr double kPromaxPower = 4;  // as R's default

// The orthogonal matrix nearest to b: b (b'b)^-1/2; the sum of b's singular values into `sum`.
Block nearest_rotation(const Block& b, double& sum) {
  Block gram = b.transpose() * b;
  std::vector<Index> all(static_cast<std::size_t>(b.cols()));
  std::iota(all.begin(), all.end(), Index{0});
  const SymmetricReduction reduction(gram);
  const Vector s = reduction.values().cwiseMax(0).cwiseSqrt();
  sum = s.sum();
  const double least = 1e-12 * s[s.size() - 1];
  const Block v = reduction.vectors(all);
  const Vector inverse = s.unaryExpr([&](double x) { return x > least ? 1 / x : 0.0; });
  Block near = b * (v * inverse.asDiagonal() * v.transpose());
  // Squares lost half of the digits of small singular values; directions that b lacks are made up.
  if ((inverse.array() == 0).any()) near = orthonormal_in_order(near + 1e-8 * v);
  for (int polish = 0; polish < 3; ++polish) polish_orthonormal(near);
  return near;
}

}  // namespace

Rotation varimax(const Block& loadings) {
  const Index k = loadings.cols();
  Rotation rotation{loadings, Block::Identity(k, k), Block::Identity(k, k)};
  if (k < 2) return rotation;
  const Vector lengths =
      loadings.rowwise().norm().unaryExpr([](double x) { return x > 0 ? x : 1.0; });
  const Block whole = lengths.cwiseInverse().asDiagonal() * loadings;
  Block turned = whole;
  double last = 0;
  for (Index turn = 0; turn < kTurns; ++turn) {
    const Vector squares = turned.colwise().squaredNorm() / static_cast<double>(whole.rows());
    const Block b =
        whole.transpose() * (turned.array().cube().matrix() - turned * squares.asDiagonal());
    double sum = 0;
    rotation.turn = nearest_rotation(b, sum);
    turned = whole * rotation.turn;
    if (sum <= last * (1 + kStalls)) break;
    last = sum;
  }
  rotation.loadings = loadings * rotation.turn;
  return rotation;
}

Rotation promax(const Block& loadings) {
  const Index k = loadings.cols();
  Rotation rotation = varimax(loadings);
  if (k < 2) return rotation;
  const Block& l = rotation.loadings;
  const Block target = l.array() * l.array().abs().pow(kPromaxPower - 1);
  const Block map = least_squares(l, target);
  const Eigen::LLT<Block> root(Block(map.transpose() * map));
  if (root.info() != Eigen::Success) return rotation;  // a factor without loadings
  const Block inverse = root.solve(Block::Identity(k, k));
  const Block scaled = map * inverse.diagonal().cwiseSqrt().asDiagonal();
  const Vector sizes = inverse.diagonal().cwiseSqrt().cwiseInverse();
  rotation.turn = (rotation.turn * scaled).eval();
  rotation.loadings = loadings * rotation.turn;
  rotation.correlations = sizes.asDiagonal() * inverse * sizes.asDiagonal();
  return rotation;
}

void put_in_order(Rotation& rotation) {
  const Index k = rotation.loadings.cols();
  const Vector squares = rotation.loadings.colwise().squaredNorm();
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return squares[a] > squares[b]; });
  Block change = Block::Zero(k, k);
  for (Index j = 0; j < k; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    Index largest = 0;
    rotation.loadings.col(from).cwiseAbs().maxCoeff(&largest);
    change(from, j) = rotation.loadings(largest, from) < 0 ? -1 : 1;
  }
  rotation.loadings = (rotation.loadings * change).eval();
  rotation.turn = (rotation.turn * change).eval();
  rotation.correlations = (change.transpose() * rotation.correlations * change).eval();
}

}  // namespace mercer::detail
