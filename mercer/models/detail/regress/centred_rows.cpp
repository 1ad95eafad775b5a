#include "mercer/models/detail/regress/centred_rows.h"

#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/data/summary.h"
#include "mercer/linalg/blas.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace mercer::detail {
namespace {

constexpr Index kCentredTileNumbers = Index{1}
                                      << 15;  // of a tile: 256 KB stay in a core's own cache
constexpr Index kMostCentredRows = 512;       // = kBlockRows
// Sums over rows are made in so many parts, each by one task; fewer where a sum is large itself.
constexpr Index kParts = 32, kSumNumbers = Index{1} << 25;

// A divisor of the rows of a block, so that a row lies in the same tile whatever the block.
Index tile_rows_of(Index dim) {
  Index rows = kMostCentredRows;
  while (rows > 8 && rows * dim > kCentredTileNumbers) rows /= 2;
  return rows;
}

Index parts_for(Index n, Index numbers) {
  const Index most = std::clamp<Index>(kSumNumbers / std::max<Index>(numbers, 1), 1, kParts);
  return std::clamp<Index>(n, 1, most);
}

// Kept by each thread from pass to pass.
struct TileOfRows {
  Block numbers;
};

template <class Sum>
Sum added_up(const std::vector<Sum>& parts) {
  Sum total = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) total += parts[i];
  return total;
}

}  // namespace

CentredRows::CentredRows(DataView rows, const Context& context)
    : rows_(rows), mean_(Vector::Zero(rows.dim())), scaled_mean_(Vector::Zero(rows.dim())) {
  scale_ = power_of_two_scale(rows, context);
  // About the first row, so that an offset of the columns costs no digits.
  Vector first(dim());
  rows.copy_row(0, first.data());
  scaled_mean_ = first * scale_;
  const Index parts = parts_for(n(), dim());
  std::vector<Vector> sums(static_cast<std::size_t>(parts), Vector::Zero(dim()));
  over_tiles(parts, context, [&](Index part, Range, Block& tile) {
    sums[static_cast<std::size_t>(part)] += tile.rowwise().sum();
  });
  scaled_mean_ += added_up(sums) / static_cast<double>(n());
  mean_ = scaled_mean_ / scale_;
}

CentredRows::CentredRows(DataView rows, Vector mean)
    : rows_(rows), mean_(std::move(mean)), scaled_mean_(mean_) {}

void CentredRows::place(Index row, Block& tile, Index column) const {
  auto out = tile.col(column);
  if (rows_.contiguous_rows())  // converted, scaled and moved in one go
    return rows_.visit([&](const auto* numbers) {
      using Scalar = std::remove_cvref_t<decltype(*numbers)>;
      const Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> own(numbers + row * dim(),
                                                                           dim());
      out = own.template cast<double>() * scale_ - scaled_mean_;
    });
  rows_.copy_row(row, out.data());
  out = out * scale_ - scaled_mean_;
}

// Calls use(part, rows, tile) with the rows as the columns of a tile; tiles of a part come in their
// order, from one thread.
void CentredRows::over_tiles(Index parts, const Context& context, const UseTile& use) const {
  const Index most = tile_rows_of(dim()), tiles = (n() + most - 1) / most;
  const std::vector<Range> ranges = tiles_of(n(), most * ((tiles + parts - 1) / parts));
  parallel_for(context, static_cast<Index>(ranges.size()), [&](Index p) {
    const Range all = ranges[static_cast<std::size_t>(p)];
    Block& tile = per_thread<TileOfRows>().numbers;
    for (Index begin = all.begin; begin < all.end; begin += most) {
      context.check_cancelled();
      const Range here{begin, std::min(all.end, begin + most)};
      tile.resize(dim(), here.size());
      for (Index i = 0; i < here.size(); ++i) place(here.begin + i, tile, i);
      use(p, here, tile);
    }
  });
}

CentredRows::Look CentredRows::look(ConstBlockRef v, const Context& context) const {
  const Index parts = parts_for(n(), dim() * (v.cols() + 1));
  std::vector<Block> sums(static_cast<std::size_t>(parts), Block::Zero(dim(), v.cols() + 1));
  over_tiles(parts, context, [&](Index part, Range rows, Block& tile) {
    Block& sum = sums[static_cast<std::size_t>(part)];
    gemm(Transpose::no, Transpose::no, 1.0, tile, v.middleRows(rows.begin, rows.size()), 1.0,
         sum.leftCols(v.cols()));
    sum.rightCols(1) += tile.rowwise().squaredNorm();
  });
  const Block all = added_up(sums);
  return {all.rightCols(1), all.leftCols(v.cols())};
}

Block CentredRows::times(ConstBlockRef map, const Context& context) const {
  Block out(n(), map.cols());
  if (out.size() == 0) return out;
  const Index tiles = (n() + tile_rows_of(dim()) - 1) / tile_rows_of(dim());
  over_tiles(tiles, context, [&](Index, Range rows, Block& tile) {
    if (map.cols() == 1)
      return gemv(Transpose::yes, 1.0, tile, map.data(), 0.0, out.data() + rows.begin);
    gemm(Transpose::yes, Transpose::no, 1.0, tile, map, 0.0,
         out.middleRows(rows.begin, rows.size()));
  });
  return out;
}

Block CentredRows::transposed_times(ConstBlockRef v, const Context& context) const {
  const Index parts = parts_for(n(), dim() * v.cols());
  std::vector<Block> sums(static_cast<std::size_t>(parts), Block::Zero(dim(), v.cols()));
  if (v.cols() == 0) return sums.front();
  over_tiles(parts, context, [&](Index part, Range rows, Block& tile) {
    Block& sum = sums[static_cast<std::size_t>(part)];
    if (v.cols() == 1)
      return gemv(Transpose::no, 1.0, tile, v.data() + rows.begin, 1.0, sum.data());
    gemm(Transpose::no, Transpose::no, 1.0, tile, v.middleRows(rows.begin, rows.size()), 1.0, sum);
  });
  return added_up(sums);
}

Block CentredRows::gram(const Context& context) const {
  const Index parts = std::min<Index>(parts_for(n(), dim() * dim()), 8);
  std::vector<Block> sums(static_cast<std::size_t>(parts), Block::Zero(dim(), dim()));
  over_tiles(parts, context, [&](Index part, Range rows, Block& tile) {
    add_gram(tile.data(), rows.size(), dim(), sums[static_cast<std::size_t>(part)]);
  });
  Block total = added_up(sums);
  total.triangularView<Eigen::StrictlyUpper>() = total.transpose();
  return total;
}

CentredRows::Part CentredRows::part(std::span<const Index> which, ConstBlockRef v,
                                    const Context& context) const {
  Part part{Block::Zero(dim(), dim()), Block::Zero(dim(), v.cols()), Vector::Zero(dim())};
  const auto count = static_cast<Index>(which.size());
  Block own;
  for (Index begin = 0; begin < count; begin += kMostCentredRows) {
    context.check_cancelled();
    const auto here =
        which.subspan(static_cast<std::size_t>(begin),
                      static_cast<std::size_t>(std::min(kMostCentredRows, count - begin)));
    const Block tile = transposed(here);
    own.resize(tile.cols(), v.cols());
    for (std::size_t i = 0; i < here.size(); ++i) own.row(static_cast<Index>(i)) = v.row(here[i]);
    add_gram(tile.data(), tile.cols(), dim(), part.gram);
    gemm(Transpose::no, Transpose::no, 1.0, tile, own, 1.0, part.products);
    part.sums += tile.rowwise().sum();
  }
  part.gram.triangularView<Eigen::StrictlyUpper>() = part.gram.transpose();
  return part;
}

Block CentredRows::transposed(std::span<const Index> which) const {
  Block tile(dim(), static_cast<Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i) place(which[i], tile, static_cast<Index>(i));
  return tile;
}

}  // namespace mercer::detail
