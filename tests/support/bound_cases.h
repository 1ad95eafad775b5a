// Matrices with spectra that were put in, and what a product of them with a basis tells: the ground
// on which tests of bounds stand.
#pragma once

#include "mercer/core/random.h"
#include "mercer/solvers/bounds.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"
#include "tests/support/spectra.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test {

inline std::uint64_t seed_of(Index number) { return static_cast<std::uint64_t>(number); }

inline Block gaussian(Index rows, Index columns, std::uint64_t seed) {
  return random_points({.n = rows, .dim = columns, .seed = seed});
}

// A product with a basis, by plain matrix products.
struct Rotated {
  BasisFacts facts;
  Block basis;
  Block complement;  // E
};

inline Rotated rotated(const Block& a, const Block& q) {
  const Index n = a.rows(), m = q.cols();
  const Block w = a * q, t = q.transpose() * w;
  const DenseEigen eigen = dense_eigen((t + t.transpose()) / 2);
  const Block basis = q * eigen.vectors;
  const Block r = w * eigen.vectors - basis * eigen.values.asDiagonal();
  const Block outside = Block::Identity(n, n) - q * q.transpose();
  EXPECT_EQ(eigen.values.size(), m);
  return {{eigen.values, r.transpose() * r}, basis, outside * a * outside};
}

inline double largest_magnitude(const Block& symmetric) {
  return max_abs(dense_eigen(symmetric).values);
}

enum class Spectrum { geometric, algebraic, clustered, multiple, flat };

inline Vector spectrum(Spectrum kind, Index n, const Random& random) {
  const double rate = 0.3 + 0.6 * random.uniform(0), power = 0.5 + 2.5 * random.uniform(1);
  Vector values(n);
  for (Index i = 0; i < n; ++i) {
    const double x = static_cast<double>(i), group = std::floor(x / 3);
    switch (kind) {
      case Spectrum::geometric:
        values[i] = std::pow(rate, x);
        break;
      case Spectrum::algebraic:
        values[i] = std::pow(x + 1, -power);
        break;
      case Spectrum::clustered:
        values[i] = std::pow(rate, group) * (1 - 1e-5 * x);
        break;
      case Spectrum::multiple:
        values[i] = std::pow(rate, group);
        break;
      case Spectrum::flat:
        values[i] = 1 - 0.5 * x / static_cast<double>(n);
        break;
    }
  }
  return values;
}

}  // namespace mercer::test
