#include "mercer/models/detail/indefinite.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace mercer::detail {

Indefinite parse_indefinite(std::string_view text) {
  static const std::array<std::string, 5> names = {"clip", "flip", "shift", "krein", "error"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Indefinite>(i);
  throw Error(ErrorCode::bad_option_value,
              "unknown policy \"" + std::string(text) + "\" for indefinite kernels",
              suggest(text, names, "policies"));
}

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

}  // namespace mercer::detail
