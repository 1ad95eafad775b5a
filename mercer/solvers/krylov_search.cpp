#include "mercer/solvers/krylov_search.h"

#include "mercer/core/error.h"
#include "mercer/core/untimed.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/precondition.h"
#include "mercer/solvers/signs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr Index kMostKrylovPasses = 100;
// Rounds of "add what the probe saw, probe again" before completeness is given up.
constexpr Index kRounds = 4;
// Powers of the probe: each takes a pass and a root of what chance adds to the bound.
constexpr Index kCheapPowers = 8, kCostlyPowers = 3;
// A complement that reaches this share of the last wanted value cannot be separated from it.
constexpr double kInseparable = 0.98;
// Each test may fail with this probability; a run makes fewer than a hundred.
constexpr double kFailure = 1e-8;

// Columns that the basis has room for.
Index capacity_of(const SymmetricOperator& a, const EigenRequest& request,
                  const KrylovWidths& widths) {
  const Index least = widths.first + request.count + widths.block + widths.probes;
  const Index asked = request.search.basis > 0 ? std::max(request.search.basis, least)
                                               : std::max(least, 12 * widths.block + widths.first);
  return std::min(a.size(), asked);
}

}  // namespace

KrylovSearch::KrylovSearch(const SymmetricOperator& a, const EigenRequest& request,
                           const Context& context)
    : a_(a),
      request_(request),
      timed_(context),
      context_(untimed(context)),
      n_(a.size()),
      count_(std::min(request.count, n_)),
      widths_(krylov_widths(a.size(), request)),
      basis_(n_, capacity_of(a, request, widths_), request.order, context_),
      probe_(n_, widths_.probes, kFailure, request.search.seed, context_) {
  timed_.search = SearchProgress{.wanted = count_};
}

Block KrylovSearch::random_block(Index count) {
  return gaussian_block(n_, count, request_.search.seed, ++streams_, context_);
}

Block KrylovSearch::first_block() const {
  const Block* given = request_.start != nullptr         ? request_.start
                       : request_.search.near != nullptr ? &request_.search.near->vectors
                                                         : nullptr;
  const Index from_elsewhere =
      given == nullptr ? 0
      : request_.start != nullptr
          ? std::min(given->cols(), n_)
          : std::min(given->cols(), std::max<Index>(0, widths_.first - widths_.random));
  const Index width =
      std::min(n_, given == nullptr ? widths_.first : from_elsewhere + widths_.random);
  Block block(n_, width);
  if (from_elsewhere > 0) block.leftCols(from_elsewhere) = given->leftCols(from_elsewhere);
  block.rightCols(width - from_elsewhere) =
      gaussian_block(n_, width - from_elsewhere, request_.search.seed, 999, context_);
  return orthonormal(std::move(block), Block(n_, 0), 0, context_);
}

// Residuals of the wanted pairs that have not converged, preconditioned where a matrix nearby is
// known.
Block KrylovSearch::residual_block() {
  const Index count = std::min(count_, basis_.size());
  const Block all = basis_.residuals(count);
  std::vector<Index> open;
  const double enough = 0.1 * request_.tolerance * basis_.values().cwiseAbs().maxCoeff();
  for (Index i = 0; i < count; ++i)
    if (residual_norms_.size() <= i || residual_norms_[i] > enough) open.push_back(i);
  Block block = all(Eigen::all, open);
  const Vector values = basis_.values()(open);
  if (request_.search.near != nullptr) precondition(block, values, *request_.search.near, context_);
  return block;
}

Block KrylovSearch::next_block() {
  const double scale = basis_.values().cwiseAbs().maxCoeff();
  Block block =
      request_.matrix.costly_passes || before_ > 0 ? residual_block() : Block(basis_.last_images());
  block = orthonormal(std::move(block), basis_.vectors(), scale, context_);
  if (block.cols() == 0 && basis_.size() < n_)  // an invariant subspace: look elsewhere
    block = orthonormal(random_block(std::min(widths_.block, n_ - basis_.size())), basis_.vectors(),
                        0, context_);
  return block;
}

// Thick restart: the best Ritz vectors stay. Probe columns were tested against a basis that held
// more, so they begin anew.
void KrylovSearch::make_room(Index columns) {
  if (basis_.size() + columns <= basis_.capacity()) return;
  const Index most = std::max<Index>(0, basis_.capacity() - columns);
  basis_.keep(std::min(most, count_ + std::max<Index>(0, (most - count_) / 2)));
  probe_.draw_again();
}

// One product with the block and, where they ride along, the probe columns. False where time ran
// out before it was done.
bool KrylovSearch::pass(const Block& block, bool probing) {
  if (probing && probe_.stale(basis_)) probe_.draw_again();
  const Index known = basis_.size();
  Block columns(n_, block.cols() + (probing ? widths_.probes : 0));
  columns.leftCols(block.cols()) = block;
  if (probing) columns.rightCols(widths_.probes) = probe_.next_columns(basis_);
  Block images(n_, columns.cols());
  try {
    timed_.check_cancelled();
    timed_.search->pass = passes_ + 1;
    a_.apply(columns, images, passes_ == 0 ? &sums_ : nullptr, timed_);
  } catch (const Error& error) {
    // Residuals as large as the values themselves are no answer.
    if (error.code() != ErrorCode::out_of_time || passes_ == 0 || history_.back().residual >= 1)
      throw;
    stop_ = {StopReason::out_of_time};
    stopped_ = true;
    return false;
  }
  ++passes_;
  columns_ += columns.cols();
  if (probing)
    probe_.carried(columns.rightCols(widths_.probes), images.rightCols(widths_.probes), known);
  if (block.cols() > 0) basis_.append(block, images.leftCols(block.cols()));
  measure();
  return true;
}

void KrylovSearch::measure() {
  const double largest = basis_.values().cwiseAbs().maxCoeff();
  const Index count = std::min(count_, basis_.size());
  residual_norms_ = column_norms(basis_.residuals(count));
  history_.push_back({columns_, largest > 0 ? residual_norms_.maxCoeff() / largest : 0});
  const double asked = asked_of_residuals() * largest;
  timed_.search->pass = passes_;
  timed_.search->converged = (residual_norms_.array() <= asked).count();
  timed_.search->worst_residual = history_.back().residual;
  report_progress(history_, request_.tolerance, timed_);
}

// What the tolerance leaves after what rounding of the operator adds to every residual.
double KrylovSearch::residual_asked() const {
  const double largest = basis_.values().cwiseAbs().maxCoeff();
  const double rounding = largest > 0 ? request_.matrix.rounding / largest : 0;
  return std::max(request_.tolerance - rounding, 0.1 * request_.tolerance);
}

// Enclosures are narrow long before residuals are small: |error| is about residual^2 / gap.
double KrylovSearch::asked_of_residuals() const {
  return request_.eigenvalues_only ? 0.5 * std::sqrt(request_.tolerance) : 0.7 * residual_asked();
}

bool KrylovSearch::converged() const {
  if (basis_.size() < count_) return false;
  return basis_.size() == n_ || history_.back().residual <= asked_of_residuals();
}

// Reasons to stop without an answer that is all that was asked.
bool KrylovSearch::hopeless() {
  const Index most = request_.search.passes > 0 ? request_.search.passes : kMostKrylovPasses;
  const double largest = basis_.values().cwiseAbs().maxCoeff();
  // The operator's error is bounded in the Frobenius norm; what independent roundings do to one
  // vector is smaller by sqrt(n).
  const double root = std::sqrt(static_cast<double>(n_));
  const double floor = std::max(
      largest > 0
          ? 10 * (request_.matrix.operator_error + request_.matrix.rounding) / (largest * root)
          : 0,
      0x1p-52 * root);
  const std::size_t at = history_.size();
  if (at > 3 && history_.back().residual < 30 * floor &&
      history_.back().residual > 0.5 * history_[at - 4].residual) {
    stop_ = {StopReason::rounding};
    return true;
  }
  if (passes_ - before_ < most) return false;
  stop_ = {StopReason::too_flat, passes_};
  return true;
}

// Whether what lies outside is as large as the last wanted value, so that no sharper bound helps.
bool KrylovSearch::inseparable() const {
  return probe_.power() >= 3 &&
         probe_.stretch(basis_) > kInseparable * std::abs(basis_.values()[count_ - 1]);
}

// What the next pass multiplies; false where none is needed or none would help.
bool KrylovSearch::next_step(Block& block, bool& probing) {
  const Index powers = request_.matrix.costly_passes ? kCostlyPowers : kCheapPowers;
  block.resize(n_, 0);
  probing = widths_.ride && probe_.power() > 0 && probe_.power() < 2;
  if (!converged()) {
    if (hopeless()) return false;
    block = next_block();
    make_room(block.cols());
    return true;
  }
  proven_ = certify();
  if (proven_) return false;
  const bool spent = passes_ - before_ >=
                     (request_.search.passes > 0 ? request_.search.passes : kMostKrylovPasses);
  const bool sharper = !counting_ && !spent && ++waiting_ <= (kRounds + 1) * powers;
  if (!(sharper && next_probe(powers, block, probing))) {
    // Flat: no bound of everything outside helps, but eigenvalues can be counted.
    probing = false;
    if (!can_count() || !count(block) || spent) return false;
  }
  make_room(block.cols());
  return true;
}

// What makes the bound of the complement sharper; false where nothing is expected to.
bool KrylovSearch::next_probe(Index powers, Block& block, bool& probing) {
  const bool chance = request_.certify != Certify::deterministic;
  if (chance && probe_.power() < powers && !inseparable()) {
    probing = true;  // one more power makes the bound sharper
    if (request_.eigenvalues_only) block = next_block();
    return true;
  }
  if (rounds_ >= kRounds || (rounds_ >= 2 && inseparable())) return false;
  ++rounds_;
  // What the probe sees outside joins the basis; the next probe is independent of it.
  block = chance ? orthonormal(probe_.directions(basis_), basis_.vectors(),
                               basis_.values().cwiseAbs().maxCoeff(), context_)
                 : next_block();
  if (block.cols() > n_ - basis_.size()) block = block.leftCols(n_ - basis_.size()).eval();
  probing = chance;
  probe_.draw_again();
  return block.cols() > 0 || probing;
}

EigenResult KrylovSearch::run() {
  Block block = first_block();
  bool probing = widths_.ride;
  while (pass(block, probing) && next_step(block, probing)) {
  }
  return finish();
}

EigenResult KrylovSearch::run_from(Found found) {
  sums_ = found.sums;
  passes_ = before_ = found.passes;
  columns_ = found.columns;
  history_ = found.history;
  const Index most = std::min(found.vectors.cols(), basis_.capacity());
  basis_.append(found.vectors.leftCols(most), found.images.leftCols(most));
  found.vectors = found.images = Block();
  measure();
  Block block;
  bool probing = false;
  if (!found.stop.early()) {
    while (next_step(block, probing) && pass(block, probing)) {
    }
  } else {  // nothing more may be multiplied
    stop_ = found.stop;
    proven_ = converged() && certify();
    if (!proven_ && !stop_.out_of_time() && can_count()) count(block);
  }
  return finish();
}

// How many of the wanted pairs are not nothing.
Index KrylovSearch::significant() const {
  const double largest = basis_.values().cwiseAbs().maxCoeff();
  const Index have = std::min(count_, basis_.size());
  Index kept = 0;
  while (kept < have && size_of(kept) > request_.noise(largest)) ++kept;
  return kept;
}

EigenResult KrylovSearch::finish() {
  if (proven_ && !std::isfinite(certificate_.angle)) look_beside();
  EigenResult result;
  const double largest = basis_.values().cwiseAbs().maxCoeff();
  const bool close = converged();
  result.wanted = std::min(count_, basis_.size());
  const Index kept = significant();
  result.values = basis_.values().head(kept);
  result.vectors = basis_.ritz_vectors(kept);
  result.images = basis_.ritz_images(kept);
  const Block before = result.vectors;
  fix_signs(result.vectors);
  for (Index j = 0; j < kept; ++j)
    if (before.col(j).dot(result.vectors.col(j)) < 0) result.images.col(j) *= -1;
  result.spectrum.trace = sums_.trace;
  result.row_sums = sums_.row_sums;
  result.spectrum.next_value = kept > 0 && cut_cluster(kept) ? basis_.values()[kept - 1]
                               : kept < basis_.size()        ? basis_.values()[kept]
                                                             : 0;
  result.spectrum.lowest_value = basis_.values().minCoeff();
  result.applications = passes_;
  result.columns = columns_;
  result.history = history_;
  result.converged = close;
  certificate_.residuals =
      largest > 0 ? Vector(residual_norms_.head(kept) / largest) : Vector(Vector::Zero(kept));
  certificate_.operator_error =
      largest > 0 ? (request_.matrix.operator_error + request_.matrix.rounding) / largest : 0;
  certificate_.failure = certificate_.kind == ProofKind::probabilistic
                             ? static_cast<double>(std::max<Index>(1, tests_)) * kFailure
                             : 0;
  if (!proven_ || request_.certify == Certify::none) certificate_.complete = false;
  if (request_.certify == Certify::none) {
    certificate_.kind = ProofKind::none;
    certificate_.angle = std::numeric_limits<double>::infinity();
  }
  if (certificate_.eigenvalue_upper.size() == 0) {
    certificate_.eigenvalue_upper = Vector::Constant(kept, std::numeric_limits<double>::infinity());
    certificate_.angle = std::numeric_limits<double>::infinity();
  } else {
    certificate_.eigenvalue_upper = certificate_.eigenvalue_upper.head(kept).eval();
  }
  if (!proven_ && !stop_.early())
    stop_ = {close ? StopReason::inseparable : StopReason::not_converged};
  if (!proven_) {
    result.stop = stop_;
    certificate_.reason = stop_.words();
  }
  result.certificate = std::move(certificate_);
  return result;
}

}  // namespace mercer
