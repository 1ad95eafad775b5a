// Kernel sums of new rows over the rows of a model: k_X A, one cross tile at a time. The model's
// rows are brought into the form of tiles once for all blocks of a table where the memory that is
// left has room for that copy, else a few thousand at a time for each block.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/dataset.h"
#include "mercer/data/view.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/tile_points.h"

#include <memory>
#include <vector>

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
  /// `reach`: those that have no |k| of this size go to `missed`.
  Block of(DataView rows, const Context& context, double reach = 0,
           std::vector<Index>* missed = nullptr) const;

 private:
  /// The training rows in the form of tiles.
  template <class T>
  struct Known {
    MemoryAccount::Hold held;
    TilePoints<T> rows;
  };
  template <class T>
  struct Form {
    typename TilePoints<T>::Storage storage = TilePoints<T>::Storage::dense;
    std::shared_ptr<const Known<T>> all = {};  // null: brought into that form for each block
  };

  template <class T>
  Form<T> form_for(const DataView* all, const Context& context) const;
  template <class T>
  Block products_in(const Form<T>& form, DataView rows, const Context& context, double reach,
                    std::vector<Index>* missed) const;

  SumTerms terms_;
  bool single_;
  Form<float> floats_;
  Form<double> doubles_;
};

/// The least |k| that is within the kernel's reach, as kernel_reach.h says; 0 where there is no
/// such bound, or no room to find it.
double kernel_reach(const SumTerms& terms, const Dataset& points, const Context& context);

}  // namespace mercer::detail
