#include "mercer/models/indefinite.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer {

double negative_share(const Vector& all_values, double rank_tolerance) {
  if (all_values.size() == 0) return 0;
  const double least = rank_tolerance * all_values.cwiseAbs().maxCoeff();
  double negative = 0;
  for (const double value : all_values)
    if (value < -least) negative -= value;
  const double total = all_values.cwiseAbs().sum();
  return total > 0 ? negative / total : 0;
}

void check_share(const EigenResult& eigen, double share) {
  const double most = eigen.spectrum.reachable;
  if (most >= 1) return;
  const double digit = std::pow(10, std::floor(std::log10(most)) - 3);
  throw Error(
      ErrorCode::share_out_of_reach,
      fmt::format("a share of {} was asked for; the positive eigenvalues together are {} of "
                  "the spectrum, the others are negative",
                  brief(share, 6), brief(most, 6)),
      fmt::format("ask for at most {}, for all, or let negative ones count: --indefinite "
                  "flip or krein",
                  brief(digit * std::floor(most / digit), 4)));
}

}  // namespace mercer
