#include "mercer/models/factor_gaussian.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/data/observed.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"

#include <Eigen/Cholesky>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

constexpr Index kGaussianTile = 256;  // rows of a task; divides the blocks that new rows come in

const double kLogTwoPi = std::log(2 * std::numbers::pi);

// The factors given all columns: A, the Cholesky factor of M, and the sum of ln psi and ln |M|.
struct Conditional {
  Block a;
  Eigen::LLT<Block> root;
  double log_determinant = 0;

  Conditional(Block a_in, double log_noise) : a(std::move(a_in)) {
    Block m = Block::Identity(a.cols(), a.cols());
    m.noalias() += a.transpose() * a;
    root.compute(m);
    log_determinant = log_noise + 2 * root.matrixLLT().diagonal().array().log().sum();
  }
};

Conditional all_columns(const FactorGaussian& model) {
  return {model.noise.cwiseSqrt().cwiseInverse().asDiagonal() * model.loadings,
          model.noise.array().log().sum()};
}

// z of some rows, one column each; 0 where there is a gap.
Block standardised(const FactorGaussian& model, const Vector& deviation, DataView rows) {
  Block z(rows.dim(), rows.n());
  for (Index i = 0; i < rows.n(); ++i) rows.copy_row(i, z.col(i).data());
  z = deviation.cwiseInverse().asDiagonal() * (z.colwise() - model.mean);
  return z.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : value; });
}

double density_of(const Conditional& given, Index values, const Vector& rest, const Vector& mean) {
  return -0.5 * (static_cast<double>(values) * kLogTwoPi + given.log_determinant +
                 rest.squaredNorm() + mean.squaredNorm());
}

// What is asked of rows, tile by tile: E always, the density where there is room for it.
struct Wanted {
  Block& means;
  Vector* density = nullptr;
};

void whole_tile(const FactorGaussian& model, const Conditional& given, const Vector& deviation,
                DataView rows, Range part, const Wanted& wanted) {
  Block z = standardised(model, deviation, rows.rows(part));
  Block e(given.a.cols(), part.size());
  gemm(Transpose::yes, Transpose::no, 1.0, given.a, z, 0.0, e);
  given.root.solveInPlace(e);
  wanted.means.middleRows(part.begin, part.size()) = e.transpose();
  if (wanted.density == nullptr) return;
  gemm(Transpose::no, Transpose::no, -1.0, given.a, e, 1.0, z);
  for (Index i = 0; i < part.size(); ++i)
    (*wanted.density)[part.begin + i] = density_of(given, model.dim(), z.col(i), e.col(i));
}

// The columns that are there in a row.
std::vector<Index> columns_there(DataView rows, Index row) {
  std::vector<Index> there;
  for (Index j = 0; j < rows.dim(); ++j)
    if (!std::isnan(rows.at(row, j))) there.push_back(j);
  return there;
}

// Rows with the same gaps share M; the rest is done row by row, so that no row notices another.
void pattern_rows(const FactorGaussian& model, const Vector& deviation, DataView rows,
                  const Pattern& pattern, const Wanted& wanted) {
  const std::vector<Index> there = columns_there(rows, pattern.first_row);
  const auto count = static_cast<Index>(there.size());
  Block a(count, model.factors());
  double log_noise = 0;
  for (Index k = 0; k < count; ++k) {
    const Index j = there[static_cast<std::size_t>(k)];
    a.row(k) = model.loadings.row(j) / deviation[j];
    log_noise += std::log(model.noise[j]);
  }
  const Conditional given(std::move(a), log_noise);
  Vector z(count);
  for (const Index i : pattern.rows) {
    for (Index k = 0; k < count; ++k) {
      const Index j = there[static_cast<std::size_t>(k)];
      z[k] = (rows.at(i, j) - model.mean[j]) / deviation[j];
    }
    const Vector e = given.root.solve(given.a.transpose() * z);
    wanted.means.row(i) = e.transpose();
    if (wanted.density != nullptr)
      (*wanted.density)[i] = density_of(given, count, z - given.a * e, e);
  }
}

void look_at_rows(const FactorGaussian& model, DataView rows, const Wanted& wanted,
                  const Context& context) {
  const Conditional given = all_columns(model);
  const Vector deviation = model.noise.cwiseSqrt();
  const std::vector<Range> parts = tiles_of(rows.n(), kGaussianTile);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    whole_tile(model, given, deviation, rows, parts[static_cast<std::size_t>(t)], wanted);
  });
  if (!has_gaps(rows, context)) return;
  const std::vector<Pattern> patterns = patterns_of(rows, context);
  parallel_for(context, static_cast<Index>(patterns.size()), [&](Index p) {
    const Pattern& pattern = patterns[static_cast<std::size_t>(p)];
    if (!pattern.whole) pattern_rows(model, deviation, rows, pattern, wanted);
  });
}

}  // namespace

Block FactorGaussian::posterior_means(DataView rows, const Context& context) const {
  Block means(rows.n(), factors());
  look_at_rows(*this, rows, {means}, context);
  return means;
}

Vector FactorGaussian::log_density(DataView rows, const Context& context) const {
  Block means(rows.n(), factors());
  Vector density(rows.n());
  look_at_rows(*this, rows, {means, &density}, context);
  return density;
}

Points FactorGaussian::filled(DataView rows, const Context& context) const {
  const Block means = posterior_means(rows, context);
  Points whole = rows.to_points();
  for (Index i = 0; i < whole.rows(); ++i)
    for (Index j = 0; j < whole.cols(); ++j)
      if (std::isnan(whole(i, j))) whole(i, j) = mean[j] + loadings.row(j).dot(means.row(i));
  return whole;
}

Points FactorGaussian::drawn(Index n, std::uint64_t seed, const Context& context) const {
  const Random hidden(seed, 0), noisy(seed, 1);
  const Vector deviation = noise.cwiseSqrt();
  Points rows(n, dim());
  const std::vector<Range> parts = tiles_of(n, kGaussianTile);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    Vector u(factors());
    for (Index i = part.begin; i < part.end; ++i) {
      for (Index k = 0; k < factors(); ++k)
        u[k] = hidden.normal(static_cast<std::uint64_t>(i * factors() + k));
      rows.row(i) = (mean + loadings * u).transpose();
      for (Index j = 0; j < dim(); ++j)
        rows(i, j) += deviation[j] * noisy.normal(static_cast<std::uint64_t>(i * dim() + j));
    }
  });
  return rows;
}

// A'A and M have the same eigenvectors. A factor that explains less than this share of what the
// largest does has a score of 0, and is taken back as such.
Block FactorGaussian::unshrunk() const {
  constexpr double kLeast = 1e-14;
  const Conditional given = all_columns(*this);
  Block products = given.a.transpose() * given.a;
  std::vector<Index> all(static_cast<std::size_t>(factors()));
  std::iota(all.begin(), all.end(), Index{0});
  const SymmetricReduction reduction(products);
  const Vector& d = reduction.values();
  const double floor = kLeast * d[d.size() - 1];
  const Block u = reduction.vectors(all);
  const Vector back = d.unaryExpr([&](double x) { return x > floor ? (1 + x) / x : 0.0; });
  return u * back.asDiagonal() * u.transpose();
}

}  // namespace mercer
