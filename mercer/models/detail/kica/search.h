// The search of kernel ICA for the directions of independent sources in whitened rows: starts by
// FastICA and at random are followed downhill at the width sigma, the best of them is freed from
// local minima in planes (planes.h), and followed to its end at sigma / 2, as Bach and Jordan do:
// the wide kernel's contrast has fewer valleys, the bottom of the narrow one's is nearer the truth.
// Of many rows, a sample does all but the last: the minimum of the contrast of a sample is near
// that of all rows.
#pragma once

#include "mercer/models/detail/ica/unmixing.h"
#include "mercer/models/detail/kica/objective.h"

#include <cstdint>

namespace mercer::detail {

struct KicaPlan {
  Dependence kind = Dependence::kgv;
  double sigma = 1, kappa = 2e-2;  // sigma: of the first stage
  bool narrow = true;              // a second one at sigma / 2
  Index restarts = 0;
  std::uint64_t seed = 0;
  UnmixingStop stop = {};
  double last_sigma() const { return narrow ? sigma / 2 : sigma; }
};

struct KicaFound {
  Unmixing unmixing;          // the objective is the contrast of all rows at the last width
  double contrast_start = 0;  // the same at the start that was kept
  Index start = 0;            // its number: 0 is FastICA's
  Index landmarks = 0;        // of all sources together
};

KicaFound kica_search(ConstBlockRef z, const KicaPlan& plan, const Context& context);

}  // namespace mercer::detail
