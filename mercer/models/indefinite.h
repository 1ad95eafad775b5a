// What to do with negative eigenvalues of a kernel that is not positive semidefinite.
#pragma once

#include "mercer/core/choice.h"
#include "mercer/core/types.h"
#include "mercer/solvers/eigen.h"

#include <array>
#include <string_view>

namespace mercer {

/// clip: negative ones are treated as 0 (nearest semidefinite matrix). flip: their magnitude
/// counts. shift: all are raised by the most negative one. krein: magnitude, and the sign is kept.
/// error: refuse.
enum class Indefinite { clip, flip, shift, krein, error };

inline constexpr std::array<std::string_view, 5> kIndefiniteWords = {"clip", "flip", "shift",
                                                                     "krein", "error"};
constexpr ChoiceWords choice_words(Indefinite) {
  return {"policy for indefinite kernels", "policies", kIndefiniteWords};
}

constexpr Order order_of(Indefinite policy) {
  return policy == Indefinite::flip || policy == Indefinite::krein ? Order::magnitude
                                                                   : Order::value;
}

/// sum of |negative| / sum of |all|; values within rounding of 0 do not count as negative.
double negative_share(const Vector& all_values, double rank_tolerance);

/// Throws M248 for a share that the positive eigenvalues together do not reach.
void check_share(const EigenResult& eigen, double share);

}  // namespace mercer
