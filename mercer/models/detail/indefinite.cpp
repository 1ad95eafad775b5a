#include "mercer/models/detail/indefinite.h"

#include "mercer/core/error.h"

#include <array>
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

}  // namespace mercer::detail
