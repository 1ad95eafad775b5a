// Matrices that users bring instead of a table: kernel values, distances or squared distances. A
// distance matrix becomes the kernel -d^2/2, which centring turns into the Gram matrix of the
// points (classical scaling).
#pragma once

#include "mercer/core/choice.h"
#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <array>
#include <string_view>

namespace mercer {

/// What the rows of a problem are.
enum class Given { table, kernel, distance, squared_distance };

inline constexpr std::array<std::string_view, 4> kGivenWords = {"table", "kernel", "distance",
                                                                "squared-distance"};
constexpr ChoiceWords choice_words(Given) {
  return {"kind of input", "kinds of input", kGivenWords};
}

constexpr bool holds_distances(Given given) {
  return given == Given::distance || given == Given::squared_distance;
}

/// The kernel value that an entry stands for.
inline double kernel_of_entry(Given given, double entry) {
  if (given == Given::distance) return -0.5 * entry * entry;
  if (given == Given::squared_distance) return -0.5 * entry;
  return entry;
}

/// Refuses what cannot be such a matrix: M240 not square, M212 not finite, M241 not symmetric, M245
/// no distances, M221 too large. Entries that differ by little more than rounding are a warning,
/// W241. `missing`: entries that are not a number are allowed, and none is compared with them.
Warnings check_given(DataView matrix, Given given, bool missing = false);

/// Kernel values of new rows against the training rows; M245 for negative distances.
Block cross_kernel(DataView rows, Given given);

}  // namespace mercer
