// Ways out of a local minimum of the contrast: sources are turned by angles up to 90 degrees, after
// which the contrast of two repeats, in the plane of each pair. The pair's own contrast is looked
// at on a grid, its deepest other valley followed to the bottom, and the turn is taken where it
// makes the contrast of all sources smaller. Of two sources this is a scan of all there is.
#pragma once

#include "mercer/models/detail/kica/objective.h"

namespace mercer::detail {

/// More sources are not scanned: pairs would be many.
constexpr Index kMostScanned = 24;

/// w after such turns; gives back whether there were any. `value`: the contrast at w.
bool turn_in_planes(ConstBlockRef z, const KicaSettings& settings, Block& w, double value,
                    const Context& context);

}  // namespace mercer::detail
