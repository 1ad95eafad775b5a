// Feature maps whose numbers are written down, and the two matrices that come of them. F has one
// row for every row of the table and is made panel by panel, used, and forgotten:
//   PanelCovariance   F'F, D x D, features centred where the problem says so: one pass, n D^2
//   PanelGram         F (F'u), n x n: two passes of n D per column, where D is too large for F'F
#pragma once

#include "mercer/linalg/cost.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/problem.h"

namespace mercer {

class PanelFeatures : public FeatureMap {
 public:
  /// f of some rows: part.size() x width().
  virtual void fill(DataView rows, Range part, BlockRef out) const = 0;
  Block times(DataView rows, ConstBlockRef w, const Context& context) const final;
};

/// Features above this number have no covariance matrix made of them.
constexpr double kCovarianceWidth = 3000;

/// `entry_error`: |k - f.f| at most for the problem's rows; where it is not 0, k(x, x) = 1.
std::unique_ptr<SymmetricOperator> panel_operator(std::shared_ptr<const PanelFeatures> features,
                                                  double entry_error, const GramProblem& problem,
                                                  const Context& context);

/// Rows of that operator for a map of this width.
Index panel_size(double width, const GramProblem& problem);

/// Its price; a number of a feature takes `each` seconds.
Cost panel_cost(double width, double each, double entry_error, const GramProblem& problem,
                const Machine& machine, Index columns);

}  // namespace mercer
