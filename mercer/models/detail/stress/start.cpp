#include "mercer/models/detail/stress/start.h"

#include "mercer/core/random.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Classical scaling gives the start: more digits than these are found by the search itself.
constexpr double kStartTolerance = 1e-4;
// Columns that classical scaling leaves empty begin with this part of the others' size: a column of
// zeros would stay one for ever.
constexpr double kSmallColumn = 1e-3;

// Missing distances are as long as the mean of the others, until the search leaves them free.
Points without_gaps(DataView matrix) {
  Points filled = matrix.to_points();
  double sum = 0;
  Index known = 0;
  for (Index i = 0; i < filled.size(); ++i)
    if (!std::isnan(filled.data()[i])) {
      sum += filled.data()[i];
      ++known;
    }
  const double mean = sum / static_cast<double>(std::max<Index>(known, 1));
  for (Index i = 0; i < filled.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      double &one = filled(i, j), &other = filled(j, i);
      if (std::isnan(one)) one = other;
      if (std::isnan(one)) one = i == j ? 0 : mean;
      other = one;
    }
  return filled;
}

Block classical_scores(const Prepared& prepared, const StartRequest& asked,
                       const Context& context) {
  const Index most = std::min(asked.columns, std::min(prepared.rows.n() - 1, prepared.rows.dim()));
  const auto seed = static_cast<Index>(asked.seed);
  if (asked.as == Given::table) {
    const PcaOptions options{
        .components = most, .tolerance = kStartTolerance, .certify = Certify::none, .seed = seed};
    const Plan plan = Pca::plan_for(prepared, options, context);
    return Pca::train(prepared, options, plan, context).transform(prepared.rows, context);
  }
  const KernelPcaOptions options{.components = most,
                                 .tolerance = kStartTolerance,
                                 .as = asked.as,
                                 .certify = Certify::none,
                                 .seed = seed};
  const Plan plan = KernelPca::plan_for(prepared, options, context);
  return KernelPca::train(prepared, options, plan, context).scores();
}

// What was asked of the plan and the checkpoint of a fit is not meant for its start.
Context of_start(Context context) {
  context.journal = nullptr;
  context.budget.operator_name = context.budget.solver_name = {};
  return context;
}

}  // namespace

Block random_start(Index n, Index k, std::uint64_t seed, std::uint64_t stream) {
  const Random random(seed, stream);
  Block z(n, k);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < k; ++j) z(i, j) = random.normal(static_cast<std::uint64_t>(i * k + j));
  return z;
}

Block classical_start(const Prepared& prepared, const StartRequest& asked, const PairTable& pairs,
                      const Stress& stress, const Context& context) {
  Prepared used = prepared;
  used.start = nullptr;
  Points filled;
  if (pairs.gaps()) {
    filled = without_gaps(prepared.rows);
    used.rows = filled;
  }
  Block scores;
  try {
    scores = classical_scores(used, asked, of_start(context));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::no_positive_eigenvalue) throw;
    return random_start(pairs.n(), asked.columns, asked.seed, 0);
  }
  Block start = Block::Zero(pairs.n(), asked.columns);
  start.leftCols(scores.cols()) = scores * pairs.scale();
  if (scores.cols() == asked.columns ||
      stress.at(start, context).stress <= kNoStress * pairs.total())
    return start;
  const Index left = asked.columns - scores.cols();
  const double size =
      kSmallColumn * std::sqrt(start.squaredNorm() / static_cast<double>(start.size()));
  start.rightCols(left) = size * random_start(pairs.n(), left, asked.seed, 0);
  return start;
}

}  // namespace mercer::detail
