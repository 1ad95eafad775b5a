#include "mercer/solvers/lanczos_process.h"

#include "mercer/core/check.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/krylov_basis.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

// A next vector shorter than this many roundings of the matrix is made of rounding.
double vanishing(Index n) { return std::max(10.0, std::sqrt(static_cast<double>(n))) * 0x1p-53; }

// Below this rounding has a say in where a sequence goes on, as much as if a new one began.
constexpr double kSteered = 1e-13;

// A basis further than this from orthonormal is no longer straightened by one Cholesky step.
constexpr double kCrooked = 1e-6;

}  // namespace

ProjectedPairs ordered_pairs(ConstBlockRef symmetric, Order order) {
  Block copy = symmetric;
  const SymmetricReduction reduction(copy);
  const Vector& ascending = reduction.values();
  std::vector<Index> every(static_cast<std::size_t>(ascending.size()));
  std::iota(every.begin(), every.end(), Index{0});
  const Block all = reduction.vectors(every);
  std::reverse(every.begin(), every.end());
  if (order == Order::magnitude)
    std::ranges::stable_sort(
        every, [&](Index a, Index b) { return std::abs(ascending[a]) > std::abs(ascending[b]); });
  ProjectedPairs pairs{Vector(ascending.size()), Block(all.rows(), all.cols())};
  for (Index i = 0; i < ascending.size(); ++i) {
    pairs.values[i] = ascending[every[static_cast<std::size_t>(i)]];
    pairs.turns.col(i) = all.col(every[static_cast<std::size_t>(i)]);
  }
  return pairs;
}

LanczosProcess::LanczosProcess(const Block& start, Index capacity, Reorthogonalise kind,
                               const EigenRequest& request, const Context& context)
    : context_(context),
      order_(request.order),
      seed_(request.search.seed),
      n_(start.rows()),
      capacity_(capacity),
      vectors_(n_, capacity + 1),
      projected_(Block::Zero(capacity, capacity)),
      tail_(n_, 1),
      orthogonality_(kind, n_, capacity, context) {
  vectors_.col(0) = start.col(0) / column_norms(start)[0];
}

bool LanczosProcess::step(Passes& passes) {
  MERCER_ASSERT(!full() && !exhausted_);
  if (!passes.apply(vectors_.col(size_), tail_)) return false;
  subtract_neighbours();
  ++size_;
  if (orthogonality_.wants_pairs(size_))
    orthogonality_.give_pairs(pairs(), column_norms(tail_)[0], view());
  orthogonality_.apply(tail_, view());
  next_vector();
  return true;
}

// What the relation says of A v_j: its part along the columns it is coupled to.
void LanczosProcess::subtract_neighbours() {
  const Index first = size_ == kept_ ? 0 : size_ - 1;
  const Block coupling = projected_.block(first, size_, size_ - first, 1);
  add_product(tail_, -1.0, vectors_.middleCols(first, size_ - first), coupling, context_);
  const Block alpha = inner_products(vectors_.col(size_), tail_, context_);
  add_product(tail_, -1.0, vectors_.col(size_), alpha, context_);
  projected_(size_, size_) = alpha(0, 0);
  scale_ = std::max(scale_, std::abs(alpha(0, 0)));
}

void LanczosProcess::next_vector() {
  beta_ = column_norms(tail_)[0];
  scale_ = std::max(scale_, beta_);
  if (beta_ <= kSteered * scale_) part_ = size_;
  if (beta_ <= vanishing(n_) * scale_) {
    break_down();
  } else if (size_ == n_ && orthogonality_.kind() != Reorthogonalise::none) {
    exhausted_ = true;  // what is left is rounding, amplified
  } else {
    vectors_.col(size_) = tail_ / beta_;
  }
  if (exhausted_) {
    beta_ = 0;
    tail_.setZero();
  }
  if (!full()) projected_(size_, size_ - 1) = projected_(size_ - 1, size_) = beta_;
}

// The space is invariant: a random vector orthogonal to it begins the next part.
void LanczosProcess::break_down() {
  beta_ = 0;
  tail_.setZero();
  // Ghosts make a basis dependent, and only an orthonormal one can be projected out.
  const bool ghosts = orthogonality_.kind() == Reorthogonalise::none;
  const Block space = ghosts ? orthonormal(vectors(), Block(n_, 0), 0, context_) : Block(vectors());
  exhausted_ = space.cols() >= n_;
  if (exhausted_) return;
  Block fresh = gaussian_block(n_, 1, seed_, ++streams_, context_);
  fresh /= column_norms(fresh)[0];
  project_out(fresh, space, context_);
  vectors_.col(size_) = fresh / column_norms(fresh)[0];
  orthogonality_.replaced();
  if (!ghosts) orthogonality_.count(2 * size_, 2 * size_);
}

const ProjectedPairs& LanczosProcess::pairs() {
  if (pairs_at_ != size_) pairs_ = ordered_pairs(projected(), order_);
  pairs_at_ = size_;
  return pairs_;
}

// After a restart it is not the last column alone that is coupled to the next vector.
Block LanczosProcess::outside(ConstBlockRef turns) const {
  if (exhausted_) return Block::Zero(n_, turns.cols());
  Vector coupling = Vector::Zero(size_);
  if (size_ == kept_)
    coupling = projected_.col(size_).head(size_);
  else
    coupling[size_ - 1] = beta_;
  return vectors_.col(size_) * (coupling.transpose() * turns);
}

// With V'V = R'R the columns of V R^-1 are orthonormal, and H is their projected matrix to rounding
// as long as |V'V - I| <= sqrt(u) (Simon). R^-1 is triangular: f keeps its place.
bool LanczosProcess::straighten() {
  const Block gram = inner_products(vectors(), vectors(), context_);
  orthogonality_.count(size_ * (size_ + 1) / 2, size_ * (size_ + 1) / 2);
  if ((gram - Block::Identity(size_, size_)).cwiseAbs().maxCoeff() > kCrooked) return false;
  const Eigen::LLT<Block> factor(gram);
  const Block inverse = factor.matrixU().solve(Block::Identity(size_, size_));
  rotate(vectors_.leftCols(size_), inverse, context_);
  if (exhausted_) return true;
  Block next = vectors_.col(size_);
  project_out(next, vectors(), context_);
  vectors_.col(size_) = next / column_norms(next)[0];
  tail_ = beta_ * vectors_.col(size_);
  return true;
}

void LanczosProcess::restart(Index count) {
  MERCER_ASSERT(count < size_);
  const ProjectedPairs kept = pairs();
  const Vector next = vectors_.col(size_);
  rotate(vectors_.leftCols(size_), kept.turns.leftCols(count), context_);
  vectors_.col(count) = next;
  const Vector coupling = beta_ * kept.turns.row(size_ - 1).head(count).transpose();
  projected_.setZero();
  projected_.diagonal().head(count) = kept.values.head(count);
  projected_.col(count).head(count) = coupling;
  projected_.row(count).head(count) = coupling.transpose();
  size_ = kept_ = count;
  part_ = 0;
  pairs_at_ = -1;
  ++restarts_;
  orthogonality_.restart();
}

}  // namespace mercer
