// The truth about a fit: the matrix with its mean or its affine functions removed, in 113 bits,
// scaled by a power of two and rounded to 64 bits, and all its eigenpairs in 64 bits.
#pragma once

#include "tests/campaign/quad.h"

#include <Eigen/Core>

namespace mercer::campaign {

using Long = long double;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;

enum class Removed { nothing, mean, affine };

struct Truth {
  LongMatrix k;        // with functions removed, times 2^-power
  LongVector values;   // descending
  LongMatrix vectors;  // column i belongs to value i
  int power = 0;
  Long largest = 0;        // magnitude of an eigenvalue
  Long largest_entry = 0;  // of K before anything was removed
  Long error = 0;          // what an eigenvalue may be off by: rounding of these numbers
  Index removed = 0;       // functions
  bool zero = false;       // nothing is left of K
  /// A number of the report in the units of k.
  Long in_units(double x) const;
};

/// Columns that depend on others to this, relative to their own size about the mean, add nothing.
constexpr double kDependent = 1e-12;

/// Rows about their mean, where asked, times axes: scores of PCA that owe nothing to rounding.
Block exact_projection(const Points& rows, const Block& axes, bool center);

/// `rows` are those of the table, for affine functions.
Truth truth_of(QuadMatrix k, Removed removed, const Points& rows);

}  // namespace mercer::campaign
