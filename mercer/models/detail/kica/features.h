// The features of all sources by their landmarks, and one look at the rows through them. With y = z
// w' (z: n x K), G_i the features of source i (landmarks.h) and G = [G_1 ... G_K], a pass gives
//   G'G and 1'G,
// and a second one the slopes of a function of H = G'(I - 11'/n)G, whose derivative by it is D:
//   dC/dG = 2 (G - 1 mean(G)) D,   dC/dy_a = sum over the landmarks p of dC/dK(a, p) k'(y_a - p)
// with the landmarks held where they are. Rows are worked through in tiles that stay in the cache,
// G is never stored; groups of tiles are summed apart and added in order, so that the bytes do not
// depend on the number of threads.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/models/detail/kica/landmarks.h"

#include <cstdint>
#include <vector>

namespace mercer::detail {

struct Features {
  std::vector<Landmarks> of_source;
  std::vector<Range> columns;  // of G, one for each source
  double sigma = 1;
  Index width() const { return columns.empty() ? 0 : columns.back().end; }
};

/// Landmarks for the sources z w', each of which leaves at most share n of its trace.
Features features_of(ConstBlockRef z, const Block& w, double sigma, double share,
                     const Context& context);

struct FeatureSums {
  Block second;  // G'G
  Vector first;  // G'1
  /// H = G'G - n mean(G) mean(G)'.
  Block centred(Index n) const;
  /// The largest share of a trace that the landmarks leave.
  double left(const Features& features, Index n) const;
};
FeatureSums feature_sums(ConstBlockRef z, const Block& w, const Features& features,
                         const Context& context);

/// sum_a dC/dy_a y_a' (K x K): the derivative of C by the entries of T where y turns into T y.
Block turning_slopes(ConstBlockRef z, const Block& w, const Features& features,
                     const FeatureSums& sums, const Block& derivative, const Context& context);

/// Bytes of a pass, and of what is done with its sums, for so many columns of G.
std::uint64_t feature_bytes(Index n, Index width);

}  // namespace mercer::detail
