#include "mercer/solvers/probe.h"

#include "mercer/linalg/tall.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer {

Probe::Probe(Index n, Index columns, double failure, std::uint64_t seed, const Context& context)
    : n_(n),
      count_(columns),
      quantile_(chi_square_quantile(failure, columns)),
      seed_(seed),
      context_(context) {}

Block Probe::next_columns(const KrylovBasis& basis) {
  next_exponent_ = exponent_;
  if (power_ == 0) return gaussian_block(n_, count_, seed_, stream_, context_);
  Block columns = basis.complement_image(columns_, images_);
  const double largest = columns.size() > 0 ? columns.cwiseAbs().maxCoeff() : 0;
  if (!(largest > 0) || !std::isfinite(largest)) return columns;
  const int exponent = std::ilogb(largest);
  columns *= std::ldexp(1.0, -exponent);
  next_exponent_ += exponent;
  return columns;
}

bool Probe::stale(const KrylovBasis& basis) const {
  return older_ >= 2 && basis.size() != basis_size_;
}

double Probe::stretch(const KrylovBasis& basis) const {
  const double before = columns_.norm();
  return before > 0 ? basis.complement_image(columns_, images_).norm() / before : 0;
}

void Probe::carried(Block columns, Block images, Index basis_size) {
  if (power_ > 0 && basis_size != basis_size_) ++older_;
  basis_size_ = basis_size;
  ++power_;
  exponent_ = next_exponent_;
  columns_ = std::move(columns);
  images_ = std::move(images);
}

double Probe::bound(const KrylovBasis& basis) const {
  if (power_ == 0) return std::numeric_limits<double>::infinity();
  const Block outside = basis.complement_image(columns_, images_);
  const double bound =
      probe_complement(inner_products(outside, outside, context_), power_, quantile_);
  // The root of two to the exponent: whole powers of two are kept apart, which rounds nothing.
  const int power = static_cast<int>(power_);
  const int whole = (exponent_ >= 0 ? exponent_ : exponent_ - power + 1) / power;
  return std::ldexp(bound * std::exp2(static_cast<double>(exponent_ - whole * power) / power),
                    whole);
}

Block Probe::directions(const KrylovBasis& basis) const {
  Block outside = basis.complement_image(columns_, images_);
  // A column that was carried p times is as long as a p-th power of an eigenvalue; what tells
  // directions from rounding compares them with the first.
  const Vector before = column_norms(columns_);
  for (Index j = 0; j < outside.cols(); ++j)
    if (before[j] > 0) outside.col(j) /= before[j];
  return outside;
}

void Probe::draw_again() {
  ++stream_;
  power_ = older_ = 0;
  exponent_ = 0;
  columns_.resize(0, 0);
  images_.resize(0, 0);
}

}  // namespace mercer
