// Centred rows X~ that are walked over and never kept: what operators by axes multiply with. Rows
// of any type are made doubles a panel at a time; sparse ones keep their zeros, with their mean
// taken out of the products:
//   X~ w = X w - 1 (m'w),   X~'u = X'u - m (1'u)
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/row_moments.h"
#include "mercer/linalg/cost.h"
#include "mercer/operators/problem.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mercer {

class AxesRows {
 public:
  /// Of a problem with moments. Throws M221 where their squares are no numbers to work with.
  explicit AxesRows(const GramProblem& problem);

  Index n() const { return moments_->n; }
  Index dim() const { return moments_->dim(); }
  /// Entries of the Gram matrix are divided by this.
  double unit() const { return unit_; }
  /// Eigenvalues of X~'X~ of the scaled rows times this are those of the problem in its unit.
  double factor() const { return factor_; }
  /// X~'X~ / n in the unit; needs the scatter.
  Block covariance() const;
  /// Of that.
  Vector variances() const;

  /// |x~|^2 of each of sparse rows, in the unit.
  Vector sparse_squares() const;

  /// All in the unit, as FactoredOperator has them.
  Block lift(ConstBlockRef w, const Context& context) const;
  Block restrict(ConstBlockRef u, const Context& context) const;
  Block image(ConstBlockRef w, const Context& context) const;

 private:
  void walk(const std::function<void(BlockRef panel, Index first)>& use,
            const Context& context) const;
  Block sparse_lift(ConstBlockRef w, const Context& context) const;
  Block sparse_restrict(ConstBlockRef u, const Context& context) const;

  DataView points_;
  const RowSource* source_;
  std::shared_ptr<const RowMoments> moments_;
  bool center_;
  double factor_ = 1, unit_ = 1;
};

/// The frame of rows whose moments are known, as far as operators by axes have one.
Frame frame_by_axes(const RowMoments& moments, bool center);

/// Seconds of one thread for a walk over the rows, from their file where they come from one; bytes
/// of a chunk of them.
double walk_seconds(const GramProblem& problem, const Machine& machine);
std::uint64_t chunk_bytes(const GramProblem& problem);

/// Why operators by axes cannot serve a problem, or nothing.
std::optional<std::string> refuse_unless_by_axes(const GramProblem& problem);

}  // namespace mercer
