// Kernel sums of new rows over the rows of a model: k_X A, one cross tile at a time. The model's
// rows are brought into the form of tiles a few thousand at a time, so that no second copy of all
// of them is needed.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/tile_points.h"

namespace mercer::detail {

/// The rows that sums go over, and what they are multiplied by: one row of `coefficients` each.
struct SumTerms {
  const Kernel& kernel;
  const Frame& frame;
  DataView points;
  const Block& coefficients;
};

/// Sums for the blocks of one table.
class CrossProducts {
 public:
  /// `all`: the rows of the table. Whether they are small whole numbers decides how they are kept,
  /// for every block alike; null: they are not.
  CrossProducts(const SumTerms& terms, const DataView* all, Precision precision,
                const Context& context);

  /// Of some rows, always in the same order. Throws M221 where the kernel of a new row overflows.
  Block of(DataView rows, const Context& context) const;

 private:
  template <class T>
  Block products_in(typename TilePoints<T>::Storage storage, DataView rows,
                    const Context& context) const;

  SumTerms terms_;
  bool single_;
  TilePoints<float>::Storage float_storage_ = TilePoints<float>::Storage::dense;
  TilePoints<double>::Storage double_storage_ = TilePoints<double>::Storage::dense;
};

}  // namespace mercer::detail
