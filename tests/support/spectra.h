// Matrices for tests of eigensolvers: spectra that were put in, and point sets whose symmetry makes
// eigenvalues of their kernel matrix repeat.
#pragma once

#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <cmath>
#include <string>
#include <vector>

namespace mercer::test {

/// A symmetric matrix as an operator that counts its products and their columns.
class CountingOperator final : public SymmetricOperator {
 public:
  explicit CountingOperator(Block matrix) : inner_(std::move(matrix)) {}
  Index size() const override { return inner_.size(); }
  Vector diagonal(const Context& context) const override { return inner_.diagonal(context); }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    ++passes;
    columns += x.cols();
    widest = std::max(widest, x.cols());
    inner_.apply(x, y, sums, context);
  }
  void form(BlockRef out, const Context& context) const override {
    inner_.form(out, context);
  }  // no pass
  mutable Index passes = 0, columns = 0, widest = 0;

 private:
  MatrixOperator inner_;
};

/// Q diag(values) Q' with a random orthogonal Q.
inline Block matrix_with(const Vector& values, std::uint64_t seed) {
  const Block q = random_orthonormal(values.size(), values.size(), seed);
  const Block a = q * values.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

/// Descending: geometric, algebraic, clustered, multiple, flat.
inline Vector spectrum_of(const std::string& kind, Index n) {
  Vector values(n);
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(i);
    if (kind == "geometric") values[i] = std::pow(0.7, x);
    if (kind == "algebraic") values[i] = 1 / (1 + x);
    if (kind == "clustered") values[i] = std::pow(0.5, std::floor(x / 5)) * (1 - 1e-9 * x);
    if (kind == "multiple") values[i] = std::pow(0.4, std::floor(x / 4));
    if (kind == "flat") values[i] = 1 + 1e-2 * (1 - x / static_cast<double>(n));
  }
  return values;
}

inline std::vector<std::string> spectrum_kinds() {
  return {"geometric", "algebraic", "clustered", "multiple", "flat"};
}

/// A centred kernel matrix with repeated eigenvalues, its spectrum, and numbers of pairs that cut
/// through them.
struct SymmetricCase {
  std::string name;
  Block matrix;
  Vector truth;
  std::vector<Index> counts;
};

inline SymmetricCase symmetric_case(std::string name, const Points& points, const char* kernel,
                                    std::vector<Index> counts) {
  Block matrix = double_centred(dense_kernel(Kernel(kernel), points));
  Vector truth = dense_eigen(matrix).values;
  return {std::move(name), std::move(matrix), std::move(truth), std::move(counts)};
}

/// The corners of a cube in 8 dimensions, of a 60-gon, of a simplex.
inline std::vector<SymmetricCase> symmetric_cases() {
  Points cube(256, 8), polygon(60, 2);
  for (Index i = 0; i < 256; ++i)
    for (Index j = 0; j < 8; ++j) cube(i, j) = static_cast<double>((i >> j) & 1);
  for (Index i = 0; i < 60; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / 60;
    polygon.row(i) << std::cos(angle), std::sin(angle);
  }
  return {symmetric_case("8-cube", cube, "gaussian:gamma=0.3", {8, 9, 12}),
          symmetric_case("60-gon", polygon, "gaussian:sigma=0.7", {2, 3, 10}),
          symmetric_case("30-simplex", Points::Identity(30, 30), "gaussian:sigma=1", {5, 14})};
}

}  // namespace mercer::test
