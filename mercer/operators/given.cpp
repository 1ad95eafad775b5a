#include "mercer/operators/given.h"

#include "mercer/core/text.h"
#include "mercer/operators/given_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace mercer {
namespace {

// How much (i, j) and (j, i) may differ, as a share of the largest entry. Up to the first, rounding
// explains it, and nothing is said. Up to the second, their mean is used, with a warning. Beyond,
// the two halves are different matrices, which is an error.
constexpr double kGivenRounding = 64 * 0x1p-53, kMistake = 1e-8;
// What the distance of a sample to itself may be, as a share of the largest distance.
constexpr double kOwnDistance = 1e-12;

std::string place_of(Index row, Index column) {
  return fmt::format("row {}, column {}", row + 1, column + 1);
}

void check_distance(double value, Index row, Index column, Given given) {
  if (given == Given::kernel || value >= 0) return;
  throw Error(ErrorCode::bad_distances, fmt::format("a distance is negative: {:.6g}", value),
              "for similarities or kernel values use --as kernel", place_of(row, column));
}

// Finite, not negative where it is a distance; the largest magnitude.
double check_entries(DataView matrix, Given given, bool missing) {
  double largest = 0;
  Vector row(matrix.dim());
  for (Index i = 0; i < matrix.n(); ++i) {
    matrix.copy_row(i, row.data());
    for (Index j = 0; j < matrix.dim(); ++j) {
      if (missing && std::isnan(row[j])) continue;
      if (!std::isfinite(row[j]))
        throw Error(ErrorCode::missing_values,
                    fmt::format("the matrix has {} here",
                                std::isnan(row[j]) ? "a missing value" : "an infinite value"),
                    "every pair of samples needs a finite value", place_of(i, j));
      check_distance(row[j], i, j, given);
      largest = std::max(largest, std::abs(row[j]));
    }
  }
  return largest;
}

struct Asymmetry {
  double most = 0;
  Index row = 0, column = 0;
};

// In squares that stay in the cache, both halves of them. Of equal ones the first is named.
Asymmetry asymmetry_of(DataView matrix) {
  constexpr Index kSquare = 64;
  Asymmetry worst;
  const auto look = [&](Index i, Index j) {
    const double difference = std::abs(matrix.at(i, j) - matrix.at(j, i));
    const bool earlier = i < worst.row || (i == worst.row && j < worst.column);
    if (difference > worst.most || (difference > 0 && difference == worst.most && earlier))
      worst = {difference, i, j};
  };
  for (Index top = 0; top < matrix.n(); top += kSquare)
    for (Index left = 0; left <= top; left += kSquare)
      for (Index i = top; i < std::min(top + kSquare, matrix.n()); ++i)
        for (Index j = left; j < std::min(left + kSquare, i); ++j) look(i, j);
  return worst;
}

}  // namespace

Warnings check_given(DataView matrix, Given given, bool missing) {
  if (matrix.n() != matrix.dim())
    throw Error(
        ErrorCode::not_square,
        fmt::format("a {} matrix has as many rows as columns; this one is {} x {}",
                    given == Given::kernel ? "kernel" : "distance", matrix.n(), matrix.dim()),
        "leave out columns that are no samples (--drop), or drop --as to fit the table");
  const double largest = check_entries(matrix, given, missing);
  const double limit = given == Given::distance ? 1e150 : 1e300;
  if (largest * static_cast<double>(matrix.n()) > limit)
    throw Error(ErrorCode::kernel_overflows,
                fmt::format("an entry is {:.3g}: too large to work with", largest),
                "divide the matrix by a constant");
  if (given != Given::kernel)
    for (Index i = 0; i < matrix.n(); ++i)
      if (matrix.at(i, i) > kOwnDistance * largest)
        throw Error(
            ErrorCode::bad_distances,
            fmt::format("the distance of sample {} to itself is {:.6g}", i + 1, matrix.at(i, i)),
            "for similarities or kernel values use --as kernel", place_of(i, i));
  const Asymmetry worst = asymmetry_of(matrix);
  if (worst.most > kMistake * largest)
    throw Error(ErrorCode::not_symmetric,
                fmt::format("entries ({0}, {1}) and ({1}, {0}) are {2:.6g} and {3:.6g}",
                            worst.row + 1, worst.column + 1, matrix.at(worst.row, worst.column),
                            matrix.at(worst.column, worst.row)),
                "average the matrix with its transpose if both halves mean the same",
                place_of(worst.row, worst.column));
  if (worst.most <= kGivenRounding * largest) return {};
  return {{WarningCode::symmetrised,
           fmt::format("the two halves of the matrix differ by up to {:.2g} of its largest entry; "
                       "their mean is used",
                       worst.most / largest)}};
}

Block cross_kernel(DataView rows, Given given) { return cross_kernel(rows, given, "linear"); }

void check_distances(std::span<const double> entries, Index row, Given given) {
  for (std::size_t j = 0; j < entries.size(); ++j)
    check_distance(entries[j], row, static_cast<Index>(j), given);
}

}  // namespace mercer
