#include "mercer/models/detail/cross_products.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/skinny.h"

#include <algorithm>
#include <vector>

namespace mercer::detail {
namespace {

// Rows of new points per task, and training rows per tile.
constexpr Index kNewRows = 256;

template <class T>
std::uint64_t spread_bytes(Index rows, Index dim) {
  const double bytes = 2.0 * sizeof(T) * static_cast<double>(rows) * static_cast<double>(dim);
  return static_cast<std::uint64_t>(std::min(bytes, 1e19));
}

template <class T>
Block products_in(const SumTerms& terms, DataView rows, const Context& context) {
  const auto& [kernel, frame, training, a] = terms;
  const auto storage = TilePoints<T>::common_storage(kernel, frame, training, rows, context);
  // Of sparse rows that must be written out, the width is all that says how much that takes.
  const bool spread = training.sparse() && storage == TilePoints<T>::Storage::dense;
  const MemoryAccount::Hold held =
      context.hold(spread ? spread_bytes<T>(training.n() + rows.n(), rows.dim()) : 0,
                   "rows written out in full");
  const TilePoints<T> known(kernel, frame, training, context, storage);
  const TilePoints<T> fresh(kernel, frame, rows, context, storage);
  const TileKernel<T> tiles(kernel, frame);
  const SkinnyProduct<T> product(a, kTileRows, context);
  Block out = Block::Zero(rows.n(), a.cols());
  const std::vector<Range> tasks = tiles_of(rows.n(), kNewRows),
                           columns = tiles_of(training.n(), kTileRows);
  parallel_for(context, static_cast<Index>(tasks.size()), [&](Index t) {
    const Range part = tasks[static_cast<std::size_t>(t)];
    typename TileKernel<T>::Scratch scratch;
    std::vector<T> tile(static_cast<std::size_t>(part.size() * kTileRows));
    typename SkinnyProduct<T>::Scratch packing;
    for (const Range cols : columns) {
      tiles.fill(fresh, part, known, cols, tile.data(), cols.size(), scratch);
      product.add_rows(tile.data(), cols.size(), part, cols, out, packing);
      context.check_cancelled();
    }
    if (!out.middleRows(part.begin, part.size()).allFinite())
      throw Error(ErrorCode::kernel_overflows, "the kernel of a new row overflows",
                  "its values are far outside those of the training rows");
  });
  return out;
}

}  // namespace

Block cross_products(const SumTerms& terms, DataView rows, Precision precision,
                     const Context& context) {
  return precision == Precision::single_ ? products_in<float>(terms, rows, context)
                                         : products_in<double>(terms, rows, context);
}

}  // namespace mercer::detail
