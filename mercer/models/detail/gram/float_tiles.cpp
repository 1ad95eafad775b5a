// What float tiles may have done to a search: measured by rows in double (row_sample.h) before it,
// so that it knows what it may rely on, and after it.
#include "mercer/core/error.h"
#include "mercer/models/detail/gram/leading.h"
#include "mercer/models/detail/gram/solver.h"
#include "mercer/operators/row_sample.h"
#include "mercer/solvers/inertia.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mercer::detail {
namespace {

// Probability that a figure from sampled rows is too small.
constexpr double kFailure = 1e-7;

}  // namespace

// What float tiles do to the operator, by a sample. Where values do not fit a float, tiles are
// made in double.
double GramSolver::measured_before() {
  const double error =
      RowSample(problem_, gram_->diagonal(inner_), kFailure, request_.search.seed, inner_)
          .operator_error();
  if (std::isfinite(error)) return error;
  if (only_single())
    throw Error(ErrorCode::kernel_overflows,
                fmt::format("values of {}, or what they are made from, do not fit a float",
                            problem_.kernel.formula()),
                "drop --precision single");
  fit_.report.plan.precision = Precision::double_;
  rebuild_in_double();
  return 0;
}

// Row sums of K as the passes had them.
Vector GramSolver::row_sums() const {
  if (problem_.affine) return {};
  if (problem_.center) return fit_.means * static_cast<double>(fit_.means.size());
  return fit_.eigen.row_sums;
}

// What the search relied on and what other rows show are both known now: bounds are stated by the
// latter. False where that is more.
bool GramSolver::restate(double before, double after) {
  Certificate& proof = fit_.eigen.certificate;
  proof.operator_error += (after - before) / largest_of(fit_.eigen);
  proof.eigenvalue_upper.array() += after - before;
  if (after <= before) return true;
  proof.complete = false;
  proof.angle = std::numeric_limits<double>::infinity();
  fit_.eigen.stop = {StopReason::float_tiles};
  proof.reason = fit_.eigen.stop.words();
  return false;
}

// Adds the measured rounding of float passes to the residuals; false where they then miss the
// tolerance that the search itself had reached. `before`: what it knew of them.
bool GramSolver::supported(double before) {
  EigenResult& eigen = fit_.eigen;
  if (time_is_over()) return true;
  // Components that float tiles cannot tell from rounding may be there.
  if (eigen.values.size() < eigen.wanted && !only_single()) return false;
  if (eigen.values.size() == 0) return true;
  // A search that began at random has a share of what centring takes out, as small as its
  // residuals, which K itself would blow up.
  Block inside = eigen.vectors;
  take_out(inside);
  const Block functions = removed();
  const RowSample sample(problem_, gram_->diagonal(inner_),
                         {inside, eigen.images, functions, row_sums()}, kFailure,
                         request_.search.seed, inner_);
  const double largest = largest_of(eigen);
  // What the rows cannot tell of a vector, the whole matrix does: products of float passes are off
  // by its rounding alone.
  const Vector off = sample.product_error().array().isInf().select(sample.operator_error(),
                                                                   sample.product_error());
  eigen.certificate.residuals += off / largest;
  // What float passes do to the vectors found, sums of their products included, they do to the
  // operator.
  const Vector seen = sample.product_error();
  const double of_these = seen.array().isFinite().select(seen, 0.0).norm();
  const bool foreseen = restate(before, std::max(sample.operator_error(), of_these));
  if (eigen.certificate.kind == ProofKind::deterministic)
    eigen.certificate.kind = ProofKind::probabilistic;
  if (eigen.certificate.kind == ProofKind::probabilistic) eigen.certificate.failure += 2 * kFailure;
  const bool reached =
      eigen.certificate.residuals.maxCoeff() + rounding_ / largest <= problem_.tolerance;
  // Where what lies outside is as large as the last component itself, double helps only where
  // eigenvalues can be counted.
  const bool flat =
      eigen.certificate.complement >= std::abs(eigen.values[eigen.values.size() - 1]) &&
      !Inertia::fits(gram_->size(), eigen.values.size(), spare_bytes());
  const bool proven = eigen.certificate.complete || request_.certify == Certify::none || flat;
  return (reached && proven && foreseen) || only_single();
}

}  // namespace mercer::detail
