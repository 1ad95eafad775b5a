// Kernel sums of new rows over the rows of a model: k_X A, one cross tile at a time.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"

namespace mercer::detail {

/// The rows that sums go over, and what they are multiplied by: one row of `coefficients` each.
struct SumTerms {
  const Kernel& kernel;
  const Frame& frame;
  DataView points;
  const Block& coefficients;
};

/// Always in the same order. Throws M221 where the kernel of a new row overflows.
Block cross_products(const SumTerms& terms, DataView rows, Precision precision,
                     const Context& context);

}  // namespace mercer::detail
