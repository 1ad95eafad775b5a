// Where the search for the least stress begins.
#pragma once

#include "mercer/models/detail/stress/smacof.h"
#include "mercer/models/prepare.h"

#include <cstdint>

namespace mercer::detail {

/// Independent normal numbers; streams of a seed are independent starts.
Block random_start(Index n, Index columns, std::uint64_t seed, std::uint64_t stream);

struct StartRequest {
  Given as = Given::table;
  Index columns = 2;
  std::uint64_t seed = 0;
};

/// The configuration of classical scaling, scaled as the pairs are; missing distances stand as the
/// mean of the others. Columns that it leaves empty are small random ones, unless nothing is left
/// to be done. Random where the distances have no direction of positive variance.
Block classical_start(const Prepared& prepared, const StartRequest& asked, const PairTable& pairs,
                      const Stress& stress, const Context& context);

}  // namespace mercer::detail
