// What fast sums must know of the rows before they can be priced: how far they extend, how large
// the leading eigenvalue is, how fast the spectrum falls. Found from the rows and from a sample of
// them; made once per fit, where rows are many and their columns few.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/operators/gauss_clusters.h"
#include "mercer/operators/near_leaves.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct GramProblem;

/// How far rows extend, scaled and moved as the frame says.
struct RowExtent {
  Vector low, high;  // of every column
  Vector middle;     // of these
  double ball = 0;   // largest distance of a row from the middle
};

/// Evenly spaced rows, and what their kernel matrix shows.
struct SpacedRows {
  Points rows;                // scaled and moved; at most kSampleRows
  double leading = 0;         // about the leading eigenvalue of the (centred) matrix, per row
  std::vector<Index> pivots;  // rows of the table that stand for the sample, best first
  Index rank = 0;             // of the sample's matrix, to the error allowed; 0: too large to tell
};

struct Geometry {
  double scale = 1;  // rows are multiplied by it (the frame's) and moved by its centre
  Vector centre;     // of the frame
  RowExtent extent;
  double placing = 0;     // error of an entry by rounding rows to the frame, at most
  bool constant = false;  // nearly all of every entry is the same: tiles hold the rest alone
  double width = 0;       // of a Gaussian, Matern or exponential kernel, scaled; 0 for others
  SpacedRows sample;
  double allowed = 0;      // error of an entry that the tolerance leaves room for
  bool every_way = false;  // an operator was asked for: nothing is left out for being slow
  ClusterShape clusters;   // what a clustered expansion would take; Gaussian kernels
  NearShape near;          // what sums over near rows would take; kernels that fall off

  /// Whether rows are so far apart, in widths, that their places are not exact enough for
  /// expansions; sums of differences still are.
  bool coarse() const { return placing > allowed / 4; }
  /// Sets the error allowed, and what follows from it.
  void allow(double eps, const GramProblem& problem);
};

/// Rows of the sample at most: a few at first, more where the spectrum falls, but not so fast.
constexpr Index kFewSampleRows = 512, kSampleRows = 1024;
/// Columns at most: in more dimensions no expansion is short.
constexpr Index kFewColumns = 16;
/// Below this many rows direct tiles take no time.
constexpr Index kManyRows = 2000;

/// The geometry of a problem whose frame is known, or nothing where fast sums have no place: few
/// rows (unless an operator is named), many columns, sparse rows, a given matrix, an indefinite
/// kernel.
std::shared_ptr<const Geometry> geometry_of(const GramProblem& problem, const Context& context);

/// Why no expansion can take the place of the matrix of a problem, or nothing.
std::optional<std::string> refuse_expansion(const GramProblem& problem, const Budget& budget);

}  // namespace mercer
