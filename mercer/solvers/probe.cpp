#include "mercer/solvers/probe.h"

#include "mercer/linalg/tall.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mercer {

Probe::Probe(Index n, Index columns, double failure, std::uint64_t seed, const Context& context)
    : n_(n),
      count_(columns),
      quantile_(chi_square_quantile(failure, columns)),
      seed_(seed),
      context_(context) {}

Block Probe::next_columns(const KrylovBasis& basis) const {
  if (power_ == 0) return gaussian_block(n_, count_, seed_, stream_, context_);
  return basis.complement_image(columns_, images_);
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
  columns_ = std::move(columns);
  images_ = std::move(images);
}

double Probe::bound(const KrylovBasis& basis) const {
  if (power_ == 0) return std::numeric_limits<double>::infinity();
  const Block outside = basis.complement_image(columns_, images_);
  return probe_complement(inner_products(outside, outside, context_), power_, quantile_);
}

Block Probe::directions(const KrylovBasis& basis) const {
  return basis.complement_image(columns_, images_);
}

void Probe::draw_again() {
  ++stream_;
  power_ = older_ = 0;
  columns_.resize(0, 0);
  images_.resize(0, 0);
}

}  // namespace mercer
