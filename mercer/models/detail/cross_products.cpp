#include "mercer/models/detail/cross_products.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/kernels/value_unit.h"
#include "mercer/linalg/skinny.h"
#include "mercer/models/detail/kernel_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace mercer::detail {
namespace {

// Rows of new points per task, and training rows per tile.
constexpr Index kNewRows = 256;

template <class T>
typename TilePoints<T>::Storage storage_for(const SumTerms& terms, const DataView* all,
                                            const Context& context) {
  // A number that is not whole, as many as there are columns.
  static constexpr double kBroken = 0.5;
  const DataView broken(&kBroken, Scalar::f64, 1, terms.points.dim(), 0, 0);
  return TilePoints<T>::common_storage(terms.kernel, terms.frame, terms.points,
                                       all != nullptr ? *all : broken, context);
}

// Bytes of a training row in the form of tiles.
template <class T>
std::uint64_t row_bytes(const SumTerms& terms, typename TilePoints<T>::Storage storage) {
  using Storage = typename TilePoints<T>::Storage;
  const auto dim = static_cast<std::uint64_t>(terms.points.dim());
  if (storage == Storage::integer) return dim + 16;
  const Kernel& kernel = terms.kernel;
  const std::uint64_t copies =
      (kernel.uses(Form::radial) || kernel.uses(Form::differences) ? 1 : 0) +
      (kernel.uses(Form::dot) || kernel.uses(Form::sums) ? 1 : 0) +
      (kernel.uses(Form::angle) ? 1 : 0);
  if (storage == Storage::dense) return copies * (dim * sizeof(T) + 8);
  const auto stored = static_cast<std::uint64_t>(terms.points.stored() / terms.points.n() + 1);
  return stored * (4 + 2 * sizeof(T)) + 32;
}

// Training rows that are brought into that form at once. Sums go over them tile by tile in the same
// order whatever their number.
Index rows_at_once(std::uint64_t each, Index n, const Context& context) {
  constexpr std::uint64_t kMost = std::uint64_t{256} << 20;
  const std::uint64_t room = std::min(kMost, context.memory_left() / 2);
  const auto tiles = static_cast<Index>(room / (each * kTileRows));
  return std::min(n, std::max<Index>(tiles, 1) * kTileRows);
}

}  // namespace

template <class T>
CrossProducts::Form<T> CrossProducts::form_for(const DataView* all, const Context& context) const {
  Form<T> form{storage_for<T>(terms_, all, context)};
  const DataView training = terms_.points;
  const std::uint64_t each = row_bytes<T>(terms_, form.storage);
  if (training.n() == 0 || rows_at_once(each, training.n(), context) < training.n()) return form;
  const std::uint64_t bytes = each * static_cast<std::uint64_t>(training.n());
  if (bytes > context.memory_left() / 2) return form;  // one group, but hardly any room for it
  form.all = std::make_shared<const Known<T>>(
      Known<T>{context.hold(bytes, "rows in the form of tiles"),
               TilePoints<T>(terms_.kernel, terms_.frame, training, context, form.storage)});
  return form;
}

CrossProducts::CrossProducts(const SumTerms& terms, const DataView* all, Precision precision,
                             const Context& context)
    : terms_(terms), single_(precision == Precision::single_) {
  if (single_)
    floats_ = form_for<float>(all, context);
  else
    doubles_ = form_for<double>(all, context);
}

namespace {

// Tiles of the kernel of some rows with the terms' points, in the order of these for each row.
template <class T>
struct TileWalk {
  const SumTerms& terms;
  const TileKernel<T>& tiles;
  typename TilePoints<T>::Storage storage;
  const TilePoints<T>* known;  // of all points; null: `step` are brought into that form at a time
  Index step;

  // use(tile, some rows, some points, scratch of a thread), rows in tasks of `together`.
  template <class Use>
  void each(DataView rows, Index together, const Context& context, const Use& use) const {
    const TilePoints<T> fresh(terms.kernel, terms.frame, rows, context, storage);
    const std::vector<Range> tasks = tiles_of(rows.n(), together);
    for (const Range group : tiles_of(terms.points.n(), step)) {
      std::optional<TilePoints<T>> of_group;
      if (known == nullptr)
        of_group.emplace(terms.kernel, terms.frame, terms.points.rows(group), context, storage);
      const TilePoints<T>& points = known != nullptr ? *known : *of_group;
      const std::vector<Range> columns = tiles_of(group.size(), kTileRows);
      parallel_for(context, static_cast<Index>(tasks.size()), [&](Index t) {
        const Range part = tasks[static_cast<std::size_t>(t)];
        typename TileKernel<T>::Scratch scratch;
        std::vector<T> tile(static_cast<std::size_t>(part.size() * kTileRows));
        typename SkinnyProduct<T>::Scratch packing;
        for (const Range cols : columns) {
          tiles.fill(fresh, part, points, cols, tile.data(), cols.size(), scratch);
          use(tile.data(), part, Range{group.begin + cols.begin, group.begin + cols.end}, packing);
          context.check_cancelled();
        }
      });
    }
  }
};

}  // namespace

template <class T>
Block CrossProducts::products_in(const Form<T>& form, DataView rows, const Context& context,
                                 double reach, std::vector<Index>* missed) const {
  const auto& [kernel, frame, training, a] = terms_;
  const std::uint64_t each = row_bytes<T>(terms_, form.storage);
  const Index step = form.all != nullptr ? training.n() : rows_at_once(each, training.n(), context);
  // Of sparse rows that must be written out, the width is all that says how much that takes.
  const bool spread = rows.sparse() && form.storage == TilePoints<T>::Storage::dense;
  const auto count =
      static_cast<std::uint64_t>((form.all != nullptr ? 0 : step) + (spread ? rows.n() : 0));
  const MemoryAccount::Hold held = context.hold(count * each, "rows in the form of tiles");
  // Coefficients are as large as the kernel's values are small, and neither need fit a float.
  const TileKernel<T> tiles(kernel, frame, Values::in_units);
  const Vector units = column_units(a);
  const SkinnyProduct<T> product(a, kTileRows, context, &units);
  Block out = Block::Zero(rows.n(), a.cols());
  ReachMarks<T> marks(rows.n(), reach, tiles.unit(), left_out_of_tiles(kernel, frame));
  const TileWalk<T> walk{terms_, tiles, form.storage, form.all ? &form.all->rows : nullptr, step};
  walk.each(
      rows, kNewRows, context,
      [&](const T* tile, Range part, Range cols, typename SkinnyProduct<T>::Scratch& packing) {
        product.add_rows(tile, cols.size(), part, cols, out, packing);
        marks.look(tile, part, cols.size());
      });
  if (missed != nullptr) *missed = marks.missed();
  out *= units.asDiagonal();
  out *= tiles.unit();
  for (Index i = 0; i < rows.n(); ++i)
    if (!out.row(i).allFinite())
      throw Error(ErrorCode::kernel_overflows,
                  fmt::format("row {}: its kernel overflows", rows.number_of(i)),
                  "its values are far outside those of the training rows");
  return out;
}

Block CrossProducts::of(DataView rows, const Context& context, double reach,
                        std::vector<Index>* missed) const {
  if (rows.n() == 0) return Block(0, terms_.coefficients.cols());
  return single_ ? products_in(floats_, rows, context, reach, missed)
                 : products_in(doubles_, rows, context, reach, missed);
}

double kernel_reach(const SumTerms& terms, const Dataset& points, const Context& context) {
  constexpr Index kTogether = 16;  // asked rows of a task
  constexpr Index kAtOnce = 4096;  // rows in the form of tiles
  if (!is_bounded(terms.kernel) || points.n() < 2) return 0;
  const std::vector<Index> asked = rows_asked_for_reach(points.n());
  const auto storage = storage_for<double>(terms, nullptr, context);
  const Index step = std::min(points.n(), kAtOnce);
  const std::uint64_t bytes = row_bytes<double>(terms, storage) *
                              static_cast<std::uint64_t>(step + static_cast<Index>(asked.size()));
  if (bytes > context.memory_left() / 2) return 0;
  const MemoryAccount::Hold held = context.hold(bytes, "rows in the form of tiles");
  const Dataset own = points.rows(asked);
  const TileKernel<double> tiles(terms.kernel, terms.frame, Values::in_units);
  const double offset = left_out_of_tiles(terms.kernel, terms.frame);
  Vector largest = Vector::Zero(own.n());
  const TileWalk<double> walk{terms, tiles, storage, nullptr, step};
  walk.each(own.view(), kTogether, context,
            [&](const double* tile, Range part, Range cols, SkinnyProduct<double>::Scratch&) {
              for (Index i = part.begin; i < part.end; ++i)
                for (Index j = cols.begin; j < cols.end; ++j, ++tile)
                  if (j != asked[static_cast<std::size_t>(i)])
                    largest[i] = std::max(largest[i], std::abs(*tile * tiles.unit() + offset));
            });
  return reach_from(std::move(largest));
}

}  // namespace mercer::detail
