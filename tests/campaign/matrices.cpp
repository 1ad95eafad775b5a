// Matrices that are given instead of a table: definite, indefinite, with multiple eigenvalues;
// distances of points, and some that no points have.
#include "tests/campaign/draw.h"
#include "tests/campaign/tables.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <map>

namespace mercer::campaign {
namespace {

using Make = Points (*)(Index n, Draw& draw);

Points normal(Index n, Index dim, Draw& draw) {
  Points x(n, dim);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < dim; ++j) x(i, j) = draw.normal();
  return x;
}

Points mirrored(Points a) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
  return a;
}

Points gram(Index n, Draw& draw) {
  const Points x = normal(n, draw.between(1, n + 3), draw);
  return draw.pick<double>({1, 1e-30, 1e30}) * mirrored(x * x.transpose());
}

// Eigenvalues of few different sizes, some negative.
Points spectrum(Index n, Draw& draw) {
  const Eigen::HouseholderQR<Block> qr(Block(normal(n, n, draw)));
  const Block q = qr.householderQ();
  const double lowest = draw.chance(0.5) ? 0 : -0.8;
  Vector values(n);
  for (Index i = 0; i < n; ++i)
    values[i] = draw.pick<double>({1, 1, 0.9, 0.5, 0.5, 0.1, 0.01, lowest, lowest / 3});
  return mirrored(q * values.asDiagonal() * q.transpose());
}

Points indefinite(Index n, Draw& draw) { return mirrored(normal(n, n, draw)); }

Points hypercube(Index n, Draw&) {
  Index d = 2;
  while ((Index{2} << d) <= n && d < 7) ++d;
  Points a = Points::Zero(Index{1} << d, Index{1} << d);
  for (Index i = 0; i < a.rows(); ++i)
    for (Index b = 0; b < d; ++b) a(i, i ^ (Index{1} << b)) = 1;
  return a;
}

Points ring(Index n, Draw&) {
  Points a = Points::Zero(n, n);
  for (Index i = 0; i < n; ++i) a(i, (i + 1) % n) = a((i + 1) % n, i) = 1;
  return a;
}

Points graph(Index n, Draw& draw) {
  Points a = Points::Zero(n, n);
  const double density = draw.uniform(0.05, 0.6);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (draw.chance(density)) a(i, j) = a(j, i) = 1;
  return a;
}

// The identity, all whose eigenvalues are equal, and a multiple of the matrix of ones.
Points identity(Index n, Draw& draw) {
  return Points::Identity(n, n).array() + draw.pick<double>({0, 0, 0.5, -0.3});
}

Points squares_of(const Points& x) {
  Points d(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.rows(); ++j) d(i, j) = (x.row(i) - x.row(j)).squaredNorm();
  return d;
}

Points euclidean(Index n, Draw& draw) {
  const double far = draw.pick<double>({1, 1e-50, 1e50});
  return far * squares_of(normal(n, draw.between(1, 5), draw)).cwiseSqrt();
}

// Steps along a ring: distances that no points have.
Points steps(Index n, Draw&) {
  Points d(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index way = std::abs(i - j);
      d(i, j) = static_cast<double>(std::min(way, n - way));
    }
  return d;
}

Points noisy(Index n, Draw& draw) {
  Points d = squares_of(normal(n, 2, draw)).cwiseSqrt();
  const double noise = draw.magnitude(-6, 0);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) d(i, j) *= 1 + noise * draw.uniform();
  return mirrored(d);
}

// Of points with whole coordinates: exact.
Points squared(Index n, Draw& draw) {
  Points x = (20 * normal(n, draw.between(1, 4), draw)).array().round();
  return squares_of(x);
}

Points squared_noisy(Index n, Draw& draw) { return noisy(n, draw).cwiseAbs2(); }

const std::map<std::string, Make>& kinds() {
  static const std::map<std::string, Make> all = {{"kernel_gram", gram},
                                                  {"kernel_spectrum", spectrum},
                                                  {"kernel_indefinite", indefinite},
                                                  {"kernel_hypercube", hypercube},
                                                  {"kernel_ring", ring},
                                                  {"kernel_graph", graph},
                                                  {"kernel_identity", identity},
                                                  {"distance_euclidean", euclidean},
                                                  {"distance_steps", steps},
                                                  {"distance_noisy", noisy},
                                                  {"squared-distance_whole", squared},
                                                  {"squared-distance_noisy", squared_noisy}};
  return all;
}

}  // namespace

std::vector<std::string> matrix_kinds(const std::string& as) {
  std::vector<std::string> names;
  for (const auto& [name, make] : kinds())
    if (name.starts_with(as + "_")) names.push_back(name);
  return names;
}

bool detail::make_matrix(const TableWish& wish, Points& out) {
  const auto found = kinds().find(wish.kind);
  if (found == kinds().end()) return false;
  Draw draw(wish.seed, 12);
  out = found->second(wish.n, draw);
  return true;
}

}  // namespace mercer::campaign
