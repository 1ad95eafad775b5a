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

void Probe::carried(Block columns, Block images) {
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
  power_ = 0;
  columns_.resize(0, 0);
  images_.resize(0, 0);
}

}  // namespace mercer
