// How far a kernel value that tiles compute can be from the value in exact arithmetic, for any two
// rows of a table: a bound, from what the families are computed from and from the extent of the
// rows. Certificates rest on it; frame.h has the typical figure, which is smaller.
#pragma once

#include "mercer/core/types.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct EntryBound {
  double largest =
      0;             // |value| at most, as tiles compute it: less its diagonal where frames say so
  double error = 0;  // |computed - exact| at most
};

/// `exact_products`: small whole numbers, whose products are made without rounding.
EntryBound entry_bound(const Kernel& kernel, const Frame& frame, Precision precision,
                       bool exact_products = false);

}  // namespace mercer
