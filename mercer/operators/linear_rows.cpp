#include "mercer/operators/linear_rows.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/kernels/value_unit.h"

#include <fmt/format.h>

#include <vector>

namespace mercer {
namespace {

// Eigenvalues are squares. Below this the smaller ones would not be numbers with all their digits.
constexpr double kLeastSquares = 1e-300;

// Gives back the largest one of a row.
double check_squares(const Points& rows, double factor) {
  const Vector norms = rows.rowwise().squaredNorm() * factor;
  check_diagonal(norms);
  const double squares = rows.squaredNorm();
  if (squares == 0 || squares * factor >= kLeastSquares) return norms.maxCoeff();
  throw Error(ErrorCode::kernel_overflows,
              fmt::format("the squares of the rows add up to {:.3g}: too small to work with",
                          squares * factor),
              "multiply the columns by a constant (--scale standard does)");
}

}  // namespace

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
  if (problem.center) {
    // The frame's mean is rounded; once more removes what is left, so that the rows sum to 0 to the
    // last digit.
    const Eigen::RowVectorXd rest = rows.colwise().mean();
    rows.rowwise() -= rest;
    frame.centre += rest.transpose();
  }
  const double largest = check_squares(rows, factor);
  unit = unit_for(largest);
  factor /= unit;
}

std::optional<std::string> refuse_unless_linear(const GramProblem& problem) {
  if (problem.given != Given::table) return "the matrix is given";
  if (problem.points.sparse()) return "sparse rows would have to be spread out";
  const Linear* linear = problem.kernel.only<Linear>();
  if (linear == nullptr) return "the kernel is not linear";
  if (linear->offset != 0 && !problem.center)
    return "an offset without centring is not a linear map";
  return std::nullopt;
}

}  // namespace mercer
