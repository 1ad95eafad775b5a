// The part of a search that proves its answer complete: bounds of what lies outside the basis, put
// into the bordered-matrix certificate of bounds.h.
#include "mercer/solvers/krylov_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

// Tries to prove the answer by bordered_bound (bounds.h): from the Ritz values, their residuals and
// `complement`, a bound of all eigenvalues of the matrix restricted to what is orthogonal to the
// basis, follow upper bounds of all wanted eigenvalues. The certificate keeps the best so far.
// `probabilistic`: the complement comes from random probes, and may be wrong with a stated chance.
bool KrylovSearch::try_bound(double complement, bool probabilistic) {
  if (!std::isfinite(complement)) return false;
  if (request_.order == Order::magnitude) return try_magnitude(complement, probabilistic);
  const double largest = std::abs(facts_.theta[0]);
  const BorderedBound bound = bordered_bound(facts_, complement, count_, slack());
  const bool better = certificate_.eigenvalue_upper.size() == 0 ||
                      bound.upper[count_ - 1] < certificate_.eigenvalue_upper[count_ - 1];
  const double within = std::max(request_.tolerance, request_.search.complete_within);
  const double width = request_.eigenvalues_only ? 0 : within * largest;
  const bool complete = bound.complete || enclosed(bound, facts_.theta, count_, width);
  if (!better && !complete) return false;
  certificate_.kind = probabilistic ? ProofKind::probabilistic : ProofKind::deterministic;
  certificate_.eigenvalue_upper = bound.upper.head(count_);
  certificate_.angle = bound.angle;
  certificate_.complement = complement;
  certificate_.complete = complete;
  return complete && narrow_enough();
}

// Both ends of the spectrum: the norm of what is left is at most that of [theta_rest R'; R E].
bool KrylovSearch::try_magnitude(double complement, bool probabilistic) {
  const Index m = facts_.theta.size();
  const double rest = count_ < m ? std::abs(facts_.theta[count_]) : 0;
  const double cross =
      std::sqrt(std::max(0.0, facts_.residual_gram.diagonal().tail(m - count_).sum()));
  const double mine = std::sqrt(std::max(0.0, facts_.residual_gram.diagonal().head(count_).sum()));
  const double half = (rest - complement) / 2;
  const double norm = (rest + complement) / 2 + std::sqrt(half * half + cross * cross);
  const double gap = std::abs(facts_.theta[count_ - 1]) - norm - 2 * slack();
  const BorderedBound bound = magnitude_bound(facts_, complement, count_, slack());
  const double within = std::max(request_.tolerance, request_.search.complete_within);
  const double width = request_.eigenvalues_only ? 0 : within * facts_.theta.cwiseAbs().maxCoeff();
  certificate_.kind = probabilistic ? ProofKind::probabilistic : ProofKind::deterministic;
  certificate_.complete = bound.complete || enclosed(bound, facts_.theta.cwiseAbs(), count_, width);
  certificate_.complement = complement;
  certificate_.eigenvalue_upper = bound.upper.head(count_);
  certificate_.angle = bound.complete && gap > 0 ? std::min(1.0, (mine + slack()) / gap)
                                                 : std::numeric_limits<double>::infinity();
  return certificate_.complete && narrow_enough();
}

bool KrylovSearch::narrow_enough() const {
  if (!request_.eigenvalues_only) return true;
  for (Index i = 0; i < count_; ++i) {
    const double theta = std::abs(facts_.theta[i]);
    if (theta <= request_.noise(std::abs(facts_.theta[0]))) continue;
    if (certificate_.eigenvalue_upper[i] - theta > request_.tolerance * theta) return false;
  }
  return true;
}

// Whether the answer is known to be complete, or nobody asks.
bool KrylovSearch::certify() {
  if (request_.certify == Certify::none) return true;
  facts_ = basis_.facts();
  certificate_.complete = false;
  certificate_.eigenvalue_upper.resize(0);
  double complement = std::numeric_limits<double>::infinity();
  if (basis_.size() == n_) complement = 0;
  if (sums_.frobenius_squared > 0)
    complement = std::min(
        complement, frobenius_complement(sums_.frobenius_squared, facts_, sums_.frobenius_error));
  if (request_.matrix.positive && request_.order == Order::value)
    complement = std::min(complement, trace_complement(sums_.trace, facts_));
  if (try_bound(complement, false)) return true;
  if (request_.certify == Certify::deterministic || probe_.power() == 0) return false;
  ++tests_;
  return try_bound(std::min(complement, probe_.bound(basis_)), true);
}

}  // namespace mercer
