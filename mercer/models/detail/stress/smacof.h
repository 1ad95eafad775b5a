// The configuration Z of least stress, by majorisation (SMACOF; de Leeuw 1977):
//   stress(Z) = sum_{i<j} w_ij (delta_ij - d_ij(Z))^2,    Z+ = V^+ B(Z) Z,
//   B_ij = -w_ij delta_ij / d_ij (0 where d_ij = 0),  V_ij = -w_ij,  diagonals: rows sum to 0
// Z+ never has more stress than Z. With all weights 1 it is B(Z) Z / n. The steps are accelerated:
// the last few of them are combined so that what they change is smallest (Anderson 1965), and the
// combination is taken only if the stress falls by half of what Z+ promises; else Z+ is.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/models/detail/stress/pair_table.h"

#include <memory>
#include <vector>

namespace mercer::detail {

/// A stress below this share of sum w wanted^2 is what rounding leaves of 0.
constexpr double kNoStress = 1e-26;

/// What a walk over all pairs tells of a configuration; in the units of the table.
struct StressPoint {
  double stress = 0;
  double squares = 0;   // sum w d^2
  double products = 0;  // sum w wanted d
  Block pulled;         // B(Z) Z
};

/// One table with what does not change from step to step. Memory for weights: n x n numbers, M301.
class Stress {
 public:
  Stress(const PairTable& pairs, const Context& context);

  StressPoint at(const Block& z, const Context& context) const;
  /// Z+ from B(Z) Z.
  Block majorised(const StressPoint& point) const;
  /// How much more stress Z has than Z+ at least: tr (Z - Z+)'V(Z - Z+).
  double guaranteed(const Block& z, const StressPoint& point, const Block& next) const;

 private:
  const PairTable& pairs_;
  MemoryAccount::Hold held_;
  Block factor_;  // of V + t 11', lower triangle; empty where all weights are 1
};

struct SmacofLimits {
  double tolerance = 1e-9;  // least relative fall of the stress by a step
  Index iterations = 1000;
};

struct SmacofResult {
  Block z;
  double stress = 0, squares = 0;  // of z, in the units of the table
  Index iterations = 0;
  bool converged = false, late = false;  // late: the time was over
  double fall = 0;                       // of the last step, relative
  std::vector<double> history;           // the stress of every configuration, the start first
};

/// From a start of as many columns as the answer has.
SmacofResult smacof(const PairTable& pairs, const Stress& stress, Block start,
                    const SmacofLimits& limits, const Context& context);

}  // namespace mercer::detail
