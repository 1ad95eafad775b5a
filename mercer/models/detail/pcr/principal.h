// Principal components of centred rows X = U S V' and what each says of the targets, u_i'Y, from
// the smaller side: X'X (columns) or X X' (rows). A cross-validation takes what the rows that are
// left out add to that matrix away again, and decomposes the rest: every number of components comes
// from one decomposition for each fold.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/models/detail/regress/centred_rows.h"

#include <memory>
#include <span>
#include <vector>

namespace mercer::detail {

struct Principal {
  Vector lengths;  // s_i, descending: those that are more than rounding
  Block along;     // u_i'Y, a row for each component
  Block vectors;   // V or U, by the side; of folds empty
};

/// Of rows that were left out: their unit scores, and their targets less the mean of the others.
struct LeftOut {
  Principal components;
  Block scores;  // (x - m)'v_i / s_i
  Block targets;
  Vector target_squares;  // |y|^2 of the rows learnt from
};

class PrincipalRows {
 public:
  virtual ~PrincipalRows() = default;
  virtual Principal all(const Context& context) const = 0;
  /// The axes v_i of some of them, the entry of largest magnitude positive; u_i'Y gets its sign.
  virtual Block axes(Principal& components, const std::vector<Index>& which,
                     const Context& context) const = 0;
  virtual LeftOut without(std::span<const Index> rows, const Context& context) const = 0;
};

/// Of rows and centred targets, both of which must outlive it. Throws M301.
std::unique_ptr<PrincipalRows> principal_rows(DataView table, const CentredRows& rows,
                                              const Block& y, const Context& context);

/// Components by falling variance, or by what they explain of the targets, each by its own
/// |y|^2.
std::vector<Index> order_of(const Principal& components, bool by_response,
                            const Vector& target_squares);

/// Sums of squares of what is left of the rows left out after 0, 1, ... `most` components: a row
/// for each target.
Block errors_of(const LeftOut& fold, const std::vector<Index>& order, Index most);

}  // namespace mercer::detail
