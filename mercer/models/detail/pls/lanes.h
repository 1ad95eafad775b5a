// Partial least squares, several fits at a time: the one of all rows and those of a
// cross-validation, each of which leaves some rows out. They walk through the table together, so
// that a pass over it serves all of them. Of one lane, with X and Y centred by its own rows:
//   w = X_j'Y c / |X_j'Y c|      c: the leading right singular vector of X_j'Y
//   t = X_j w                    made orthogonal to the scores before it, twice, and of length 1
//   q = Y't,  Y <- Y - t q'
// and X_j'Y from what the method takes out: nipals and kernel take t out of X (X_j = (I - tt')X),
// simpls the direction X't out of X'Y. Scores go on into the rows that were left out, which shows
// their errors for every number of components. Of one target c = 1, and all methods are one.
// Wold (1975); de Jong: SIMPLS (1993); Rosipal, Trejo: kernel PLS (2001).
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <vector>

namespace mercer::detail {

/// Below this share of |X| |Y| there is nothing in X_j'Y but rounding.
constexpr double kNothingLeft = 1e-12;

/// What a lane has found so far.
struct LaneAnswer {
  Index count = 0;            // components
  bool done = false;          // there are no more
  Block residual;             // n x q: Y - T Q'
  Block scores;               // n x most, T: unit columns over the lane's own rows
  Block target_loadings;      // q x most, Q
  Vector lengths;             // |t| before it was made a unit
  Vector explained;           // |X't|^2 of each component
  Block errors;               // q x (most + 1): squares of what is left of the rows left out
  Block directions, weights;  // width x most: t = X r, and w; where they are kept
  Block loadings;             // X't, where the source has them
};

/// Of the step that a lane is making.
struct LaneStep {
  Vector weight, raw;  // w and X_j w
  Vector own;          // t, 0 in the rows left out
  Vector before;       // what X_j already lacks of the scores before: T'X w
  double target_norm = 0;
};

struct PlsLane : LaneAnswer, LaneStep {
  std::vector<Index> left_out;  // rows it does not learn from, rising; none: the fit itself
  bool keeps_directions = false;
  Block state, basis;  // of the source

  Index n() const { return residual.rows(); }
  Index targets() const { return residual.cols(); }
};

/// Where weights and raw scores come from.
class PlsSource {
 public:
  virtual ~PlsSource() = default;
  /// Length of a weight.
  virtual Index width() const = 0;
  virtual void begin(std::vector<PlsLane*>& lanes, const Context& context) = 0;
  /// Finds the lane's weight; false where there is nothing left.
  virtual bool weigh(PlsLane& lane) const = 0;
  /// Raw scores of all lanes, rows left out included.
  virtual void score(std::vector<PlsLane*>& lanes, const Context& context) = 0;
  /// After t and q: takes the component out, and notes how much of X it explains.
  virtual void deflate(std::vector<PlsLane*>& lanes, const Context& context) = 0;
};

/// A lane of centred targets y that leaves these rows out.
PlsLane make_lane(const Block& y, std::vector<Index> left_out, Index most);

/// Bytes of such a lane.
std::uint64_t lane_bytes(Index n, Index width, Index targets, Index most, bool keeps_directions);

/// At most `most` components of every lane, no more than explain `enough` of its |X|^2.
void run_lanes(PlsSource& source, std::vector<PlsLane>& lanes, Index most, double enough,
               const Context& context);

/// The residual of its own rows: 0 in the others.
Block own_rows(const PlsLane& lane, Block block);

}  // namespace mercer::detail
