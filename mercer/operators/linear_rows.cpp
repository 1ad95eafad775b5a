#include "mercer/operators/linear_rows.h"

#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"

#include <vector>

namespace mercer {

LinearRows::LinearRows(const GramProblem& problem, const Context& context)
    : rows(problem.points.n(), problem.points.dim()),
      frame(make_frame(problem.kernel, problem.points, problem.center, context)),
      factor(1 / frame.scale / frame.scale) {
  const std::vector<Range> chunks = tiles_of(problem.points.n(), kTileRows);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    for (Index i = chunks[static_cast<std::size_t>(t)].begin;
         i < chunks[static_cast<std::size_t>(t)].end; ++i) {
      problem.points.copy_row(i, rows.row(i).data());
      rows.row(i) *= frame.scale;
      if (problem.center) rows.row(i) -= frame.centre.transpose();
    }
  });
  if (!problem.center) return;
  // The frame's mean is rounded; once more removes what is left, so that the rows sum to 0 to the
  // last digit.
  const Eigen::RowVectorXd rest = rows.colwise().mean();
  rows.rowwise() -= rest;
  frame.centre += rest.transpose();
  check_diagonal(rows.rowwise().squaredNorm() * factor);
}

std::optional<std::string> refuse_unless_linear(const GramProblem& problem) {
  const Linear* linear = problem.kernel.only<Linear>();
  if (linear == nullptr) return "the kernel is not linear";
  if (linear->offset != 0 && !problem.center)
    return "an offset without centring is not a linear map";
  return std::nullopt;
}

}  // namespace mercer
