// One sign convention: the entry of largest magnitude of each vector is positive. Entries within 64
// units of rounding count as equal, and the first of them decides, so that rounding cannot flip a
// vector.
#pragma once

#include "mercer/core/types.h"

namespace mercer {

void fix_signs(BlockRef vectors);

}  // namespace mercer
