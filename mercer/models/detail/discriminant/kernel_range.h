// The space in which discriminants of a kernel are sought: orthonormal functions of the rows,
// z = sqrt(mu) u, with u'u = 1 over the training rows and mu the squares of their scores. Either
//   components   the kernel principal components: all there are, or the leading ones
//   landmarks    K ~ F F' from a few columns of K, randomly pivoted Cholesky, then the components
//                of F: exact among functions of the landmark rows, and what is left of the trace
//                is known
// Centred, so that the total scatter of z is diag(mu), and every ridge costs sums with mu / (mu +
// ridge) alone.
#pragma once

#include "mercer/models/detail/gram/fit.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/prepare.h"
#include "mercer/models/range_options.h"

#include <string>
#include <vector>

namespace mercer::detail {

struct RangeAsked {
  Kernel kernel;
  Components rank;
  Span span = Span::automatic;
  Index seed = 0;
};

/// The plan, with the problem it is for and the warnings on the way; without an operator where
/// landmarks take the place of an eigenproblem. Throws M102, M233, M301.
Plan plan_range(const Prepared& prepared, const RangeAsked& asked, const Context& context);

struct KernelRange {
  Vector mu;                     // descending, all positive
  Block basis, turn;             // U = basis turn; U = basis where turn is empty
  std::vector<Index> landmarks;  // their rows, or none
  Block at_landmarks;            // F at them, lower triangular
  Vector mean;                   // of F
  GramFit fit;                   // of components: means and scorer
  double share = 1;              // of the trace that the range holds, at least
  double trace = 0;              // of the centred matrix, as far as the range holds it
  bool whole = true;             // nothing was left out but rounding

  Index n() const { return basis.rows(); }
  Index rank() const { return mu.size(); }
  /// Rows of U.
  Block units_of(const std::vector<Index>& rows) const;
  /// U v over all rows.
  Block values(const Block& v, const Context& context) const;
  /// U' y for sums over groups of rows: a column for each group; `group_of` may be negative.
  Block group_sums(const std::vector<Index>& group_of, Index groups, const Context& context) const;
};

/// Runs the plan. Warnings, sizes and the plan go into the report.
KernelRange kernel_range(const Plan& plan, const Prepared& prepared, const RangeAsked& asked,
                         Report& report, const Context& context);

/// The functions whose values at the training rows are U v.
KernelExpansion range_expansion(const KernelRange& range, const Plan& plan,
                                const Prepared& prepared, const Block& v);

/// What save() of such an expansion wrote; throws M703.
KernelExpansion load_range_expansion(State& state, const Report& report, Index functions);

/// What people should know of a range that holds less than all, or nothing.
std::string range_remark(const KernelRange& range);
/// Adds kernel_rank, kernel_share and landmarks.
void add_range_figures(const KernelRange& range, Report& report);

}  // namespace mercer::detail
