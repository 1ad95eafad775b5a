#include "mercer/solvers/shares.h"

namespace mercer {

Shares shares_of(const Vector& all_values, double trace, const ShareRule& rule) {
  Shares shares{.total = trace};
  if (rule.positive || all_values.size() == 0) return shares;
  const double lowest = all_values.minCoeff();
  shares.indefinite = lowest < -rule.rank_tolerance * all_values.cwiseAbs().maxCoeff();
  if (!shares.indefinite) return shares;
  if (rule.raised) {
    shares.shift = -lowest;
    shares.total = trace + shares.shift * static_cast<double>(all_values.size() - rule.fixed);
  } else {
    shares.total = all_values.cwiseAbs().sum();
  }
  return shares;
}

double share_rounding(Index n) { return 8 * static_cast<double>(n) * 0x1p-53; }

}  // namespace mercer
