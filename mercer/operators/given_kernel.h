// What the entries of a given matrix stand for: kernel values as they are, -d^2/2 of distances, or
// a kernel of the distances, whose families are functions of a distance alone.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/kernels/kernel.h"
#include "mercer/operators/given.h"

#include <span>

namespace mercer {

/// Whether every family of the kernel is a function of a distance: the radial ones, and laplacian,
/// whose distance is the sum of the coordinates'.
bool takes_distances(const Kernel& kernel);

/// Whether a kernel of given distances is meant. Where there is none, `linear` stands in its place.
inline bool is_of_distances(Given given, const Kernel& kernel) {
  return holds_distances(given) && kernel.only<Linear>() == nullptr;
}

/// The kernel with the widths that are found from the distances put in: their median, or the mean
/// of those to the nearest sample. Throws M231 where all are 0.
Kernel resolve_of_distances(const Kernel& kernel, DataView matrix, Given given,
                            const Context& context, Warnings* warnings = nullptr);

/// Puts the kernel's values in the place of entries.
void kernel_of_entries(Given given, const Kernel& kernel, std::span<double> entries);

/// Kernel values of new rows against the training samples; M245 for negative distances.
Block cross_kernel(DataView rows, Given given, const Kernel& kernel);

/// The entries of a row (counted from 0) where they are distances: M245 for a negative one.
void check_distances(std::span<const double> entries, Index row, Given given);

}  // namespace mercer
