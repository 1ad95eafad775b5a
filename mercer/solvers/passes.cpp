#include "mercer/solvers/passes.h"

#include "mercer/core/error.h"
#include "mercer/solvers/krylov_search.h"

#include <algorithm>
#include <cmath>

namespace mercer {

Passes::Passes(const SymmetricOperator& a, const EigenRequest& request, Index most,
               const Context& context)
    : a_(a),
      request_(request),
      context_(context),
      most_(request.search.passes > 0 ? request.search.passes : most) {
  context_.search = SearchProgress{.wanted = std::min(request.count, a.size())};
}

bool Passes::apply(ConstBlockRef x, BlockRef y) {
  if (ended()) return false;
  if (passes_ >= most_) {
    stop_ = {StopReason::passes_used_up, passes_};
    return false;
  }
  try {
    context_.check_cancelled();
    context_.search->pass = passes_ + 1;
    a_.apply(x, y, passes_ == 0 ? &sums_ : nullptr, context_);
  } catch (const Error& error) {
    // Residuals as large as the values themselves are no answer.
    const bool nothing = history_.empty() || history_.back().residual >= 1;
    if (error.code() != ErrorCode::out_of_time || nothing) throw;
    stop_ = {StopReason::out_of_time};
    return false;
  }
  ++passes_;
  columns_ += x.cols();
  return true;
}

void Passes::note(double residual, Index converged) {
  history_.push_back({columns_, residual});
  context_.search->converged = converged;
  context_.search->worst_residual = residual;
  report_progress(history_, request_.tolerance, context_);
}

double Passes::enough() const {
  return request_.eigenvalues_only ? 0.5 * std::sqrt(request_.tolerance) : 0.7 * request_.tolerance;
}

EigenResult Passes::search_on(Block vectors, Block images) {
  Found found{std::move(vectors), std::move(images), sums_, passes_, columns_, history_, stop_};
  return KrylovSearch(a_, request_, context_).run_from(std::move(found));
}

void report_progress(const std::vector<PassPoint>& history, double tolerance,
                     const Context& context) {
  const double first = std::log(std::max(history.front().residual, 1e-300));
  const double last = std::log(std::max(tolerance, 1e-300));
  const double now = std::log(std::max(history.back().residual, 1e-300));
  context.report("solve", first > last ? std::clamp((first - now) / (first - last), 0.0, 1.0) : 1);
}

}  // namespace mercer
