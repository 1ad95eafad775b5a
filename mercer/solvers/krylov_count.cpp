// Completeness by counting, where the spectrum is so flat that no bound of everything outside the
// basis separates it from the last wanted value: inertia.h tests a line beside that value, the
// wanted vectors taken out. With b >= x'A x / x'x (by magnitude: its size) for all x outside V, and
// R the residuals of V, the block form [theta R'; R E], E <= b, and Schur's complement give
//
//   mu_i <= (theta_i + b) / 2 + sqrt(((theta_i - b) / 2)^2 + |R|_2^2)       for every i.
//
// Lines are tried in this order: between the last wanted value and the next Ritz value, which shows
// a gap; just below the wanted value, closer than values that count as equal; and as far above it
// as the tolerance allows, where a cluster is cut. What exceeds the last line was missed: the
// directions that show it join the basis, and the search goes on.
#include "mercer/core/error.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/equal_values.h"
#include "mercer/solvers/inertia.h"
#include "mercer/solvers/krylov_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {
namespace {

// How often lines are tried before the search is given up: what was missed joins the basis, or
// residuals become smaller, in between.
constexpr Index kMostCounts = 8;
// Of the way from the last wanted value to the next Ritz value, which may still rise.
constexpr double kIntoGap = 0.25;
// So many rows are counted for the sake of a warning alone.
constexpr Index kMostBeside = 5000;
// Of what the tolerance allows beside residuals and rounding, where the line is drawn: the rounding
// of the test comes on top.
constexpr double kAbove = 0.5;
// Residuals up to this share of what the tolerance allows leave room for a line.
constexpr double kRoom = 0.7;

}  // namespace

bool KrylovSearch::can_count() const {
  if (request_.certify == Certify::none || counts_ >= kMostCounts) return false;
  if (stopped_ || basis_.size() < count_ || !converged()) return false;
  // Where the operator itself may be off by as much as the tolerance, no line helps.
  if (request_.matrix.operator_error + request_.matrix.rounding > 0.25 * width_at(0)) return false;
  return Inertia::fits(n_, count_, std::min(request_.search.proof_bytes, context_.budget.memory));
}

double KrylovSearch::size_of(Index i) const {
  return request_.order == Order::magnitude ? std::abs(basis_.values()[i]) : basis_.values()[i];
}

// What the value found at this rank may be below the true one. Beyond the rank of the matrix no
// value is asked for, only that nothing is there which the tolerance could tell from zero.
double KrylovSearch::width_at(Index i) const {
  if (request_.eigenvalues_only && i < significant()) return request_.tolerance * size_of(i);
  return std::max(request_.tolerance, request_.search.complete_within) *
         basis_.values().cwiseAbs().maxCoeff();
}

// What products and entries are likely to be off, and what A leaves out of the matrix it stands
// for.
double KrylovSearch::likely_error() const {
  return request_.matrix.operator_error +
         8 * std::sqrt(static_cast<double>(n_)) * 0x1p-53 * basis_.values().cwiseAbs().maxCoeff();
}

// The same in the worst case, which bounds contain.
double KrylovSearch::slack() const { return likely_error() + request_.matrix.rounding; }

// |R|_2 of the wanted pairs, from the Gram matrix of R in units of the largest value: squares of
// matrices near the ends of the range would not be numbers.
double KrylovSearch::residual_norm() const {
  const double largest = basis_.values().cwiseAbs().maxCoeff();
  if (!(largest > 0)) return 0;
  const Block r = basis_.residuals(count_) / largest;
  Block gram = inner_products(r, r, context_);
  const double trace = gram.trace();
  const double square = SymmetricReduction(gram).values().maxCoeff() + 0x1p-40 * trace;
  return largest * std::sqrt(std::max(square, 0.0));
}

// The certificate from b, which nothing outside the wanted Ritz vectors exceeds.
bool KrylovSearch::judge(double b, double rho) {
  const double rounding = slack();
  const Index kept = significant();
  Vector upper(count_);
  bool enclosed = true;
  for (Index i = 0; i < count_; ++i) {
    const double theta = size_of(i), stated = i < kept ? theta : std::max(0.0, theta);
    upper[i] = (theta + b) / 2 + std::hypot((theta - b) / 2, rho) + rounding;
    enclosed = enclosed && upper[i] <= stated + width_at(i);
  }
  const double next = kept < count_ ? upper[kept] : b + rounding;
  const double gap = size_of(kept - 1) - next - rounding;
  if (!enclosed && !(kept == count_ && gap > 0)) return false;
  certificate_.kind = ProofKind::deterministic;
  certificate_.complete = true;
  certificate_.eigenvalue_upper = upper;
  certificate_.complement = b;
  certificate_.angle =
      gap > 0 ? std::min(1.0, (rho + rounding) / gap) : std::numeric_limits<double>::infinity();
  return enclosed || !request_.eigenvalues_only;
}

std::vector<KrylovSearch::Line> KrylovSearch::lines(double rho) const {
  const bool all = significant() == count_;
  const double largest = basis_.values().cwiseAbs().maxCoeff(), found = size_of(count_ - 1);
  const double last = all ? found : std::max(0.0, found);
  const double next = count_ < basis_.size() ? size_of(count_) : last - largest;
  const double equal = kSameValue * largest, rounding = slack();
  std::vector<Line> tried;
  const bool gap = all && !gap_denied_;
  if (gap && kIntoGap * (last - next) > std::max(equal, 4 * rounding))
    tried.push_back({last - kIntoGap * (last - next), Beyond::unknown});
  if (gap && last - next > equal && equal / 2 > 4 * likely_error())
    tried.push_back({last - equal / 2, Beyond::neighbour});
  const double room = width_at(count_ - 1) - 2 * rounding;
  if (rho < kRoom * room)
    tried.push_back({last + kAbove * (room * room - rho * rho) / room, Beyond::missed});
  return tried;
}

// Tests one line at the ends that matter; the directions of both where it is exceeded.
Block KrylovSearch::beyond(Inertia& inertia, const Block& vectors, double line, double& bound) {
  using End = Inertia::End;
  const Vector values = basis_.values().head(vectors.cols());
  Inertia::Answer upper = inertia.test(vectors, values, line, End::upper);
  if (request_.order == Order::value) {
    bound = upper.bound;
    return std::move(upper.directions);
  }
  Inertia::Answer lower = inertia.test(vectors, values, line, End::lower);
  bound = std::max(upper.bound, lower.bound);
  const Index above = upper.directions.cols(), below = lower.directions.cols();
  Block both(n_, above + below);
  if (above > 0) both.leftCols(above) = upper.directions;
  if (below > 0) both.rightCols(below) = lower.directions;
  return both;
}

// Smaller residuals leave room for a line, or make enclosures narrow.
bool KrylovSearch::refine(Block& block) {
  block = orthonormal(residual_block(), basis_.vectors(), 0, context_);
  return block.cols() > 0;
}

// Whether the search has to go on, with what this leaves in `block`.
bool KrylovSearch::count(Block& block) {
  counting_ = true;
  if (significant() == 0) return false;
  const double rho = residual_norm(), last = size_of(count_ - 1);
  // A line that no more than so many eigenvalues exceed holds for all vectors: Schur's complement
  // again.
  if (counted_ && last > line_) {
    proven_ = judge(line_ + rho * (rho / (last - line_)), rho);
    return !proven_ && refine(block);
  }
  const std::vector<Line> tried = lines(rho);
  if (tried.empty()) return refine(block);
  ++counts_;
  try {
    Inertia inertia(a_, basis_.values().cwiseAbs().maxCoeff(), timed_);
    const Block vectors = basis_.ritz_vectors(count_);
    for (const Line& line : tried) {
      double bound = 0;
      Block directions = beyond(inertia, vectors, line.at, bound);
      if (directions.cols() == 0 && accept(bound, rho)) return false;
      if (counted_) break;  // the line stands, enclosures are too wide
      gap_denied_ = true;
      if (directions.cols() == 0) continue;  // rounding took what the line was to show
      if (line.means == Beyond::missed) return refuted(std::move(directions), block);
      // What is known well of a small value tells it from neighbours that this line does not.
      const bool as_equal = last - line.at <= equal_to_last();
      if (line.means == Beyond::neighbour && as_equal) beside_ = last;
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_memory) return false;
    if (error.code() != ErrorCode::out_of_time) throw;
    stop_ = {StopReason::out_of_time};
    stopped_ = true;
    return false;
  }
  return refine(block);
}

// How near the last wanted value another one counts as equal to it, as far as lines can tell.
double KrylovSearch::equal_to_last() const {
  const double unknown = 2 * residual_norms_[count_ - 1] + 8 * likely_error();
  return counts_as_equal(size_of(count_ - 1), unknown, basis_.values().cwiseAbs().maxCoeff());
}

// Whether the value after the first so many is known to equal the last of them. What was seen
// beside another value that has risen since means nothing.
bool KrylovSearch::cut_cluster(Index kept) const {
  if (!beside_ || kept != count_) return false;
  return std::abs(*beside_ - size_of(kept - 1)) <= equal_to_last();
}

// An answer that is complete within the tolerance although no gap was seen: whether the value after
// the last wanted one is equal to it.
void KrylovSearch::look_beside() {
  const Index kept = count_;
  const bool looked = counting_ && (beside_ || !gap_denied_);
  if (n_ > kMostBeside || significant() < kept || kept == n_ || looked || !can_count()) return;
  const double equal = equal_to_last();
  const bool seen = kept < basis_.size() && size_of(kept - 1) - size_of(kept) <= equal;
  if (seen || equal < 8 * likely_error()) return;
  try {
    Inertia inertia(a_, basis_.values().cwiseAbs().maxCoeff(), timed_);
    double bound = 0;
    const double line = size_of(kept - 1) - equal / 2;
    if (beyond(inertia, basis_.ritz_vectors(kept), line, bound).cols() > 0)
      beside_ = size_of(kept - 1);
  } catch (const Error& error) {  // it is not worth an error
    if (error.code() != ErrorCode::out_of_memory && error.code() != ErrorCode::out_of_time) throw;
  }
}

// Nothing outside exceeds b. False where that is not enough.
bool KrylovSearch::accept(double b, double rho) {
  proven_ = judge(b, rho);
  if (!proven_ && b + 2 * slack() < size_of(count_ - 1) && request_.order == Order::value) {
    counted_ = true;
    line_ = b;
  }
  return proven_;
}

bool KrylovSearch::refuted(Block directions, Block& block) {
  gap_denied_ = false;
  beside_.reset();
  stop_ = {StopReason::missed};
  block = orthonormal(std::move(directions), basis_.vectors(), 0, context_);
  return block.cols() > 0;
}

}  // namespace mercer
