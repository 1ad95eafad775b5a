#include "mercer/models/detail/ica/passes.h"

#include "mercer/core/cpu.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"

#include <algorithm>

namespace mercer::detail {
namespace {

// Numbers of a tile of y: with that of z beside it half a megabyte, which stays in the cache.
constexpr Index kTileNumbers = Index{1} << 15;
constexpr Index kLeastTileRows = 256, kMostTileRows = 2048;
// Sums that are kept apart: enough for many threads; fewer where each has many numbers.
constexpr Index kGroups = 64, kWideGroups = 16, kWide = 128;

const LevelContrasts& loops() {
  static const LevelContrasts chosen =
      MERCER_OF_LEVEL(baseline::contrast_loops, v3::contrast_loops, v4::contrast_loops)();
  return chosen;
}

ContrastLoop loop_of(Contrast contrast) {
  if (contrast == Contrast::exp) return loops().bell;
  return contrast == Contrast::cube ? loops().cube : loops().log_cosh;
}

Index tile_rows(Index k) {
  return std::clamp(kTileNumbers / std::max<Index>(k, 1), kLeastTileRows, kMostTileRows);
}

std::vector<Range> groups_of(Index n, Index k) {
  const Index most = k <= kWide ? kGroups : kWideGroups, tile = tile_rows(k);
  const Index each = std::max((n + most - 1) / most, std::min(n, tile));
  return tiles_of(n, std::max<Index>(each, 1));
}

// Calls work(group, rows, y) for every tile, y = z w' of its rows; tiles of a group in their order.
template <class Work>
void over_tiles(ConstBlockRef z, const Block& w, const Context& context, const Work& work) {
  const std::vector<Range> groups = groups_of(z.rows(), z.cols());
  parallel_for(context, static_cast<Index>(groups.size()), [&](Index g) {
    const Range group = groups[static_cast<std::size_t>(g)];
    Block y(std::min(tile_rows(z.cols()), group.size()), w.rows());
    for (const Range part : tiles_of(group.size(), y.rows())) {
      const Range rows = {group.begin + part.begin, group.begin + part.end};
      const auto here = y.topRows(rows.size());
      gemm(Transpose::no, Transpose::yes, 1.0, z.middleRows(rows.begin, rows.size()), w, 0.0, here);
      work(static_cast<std::size_t>(g), rows, here);
    }
  });
}

template <class Sums>
std::vector<Sums> empty_sums(ConstBlockRef z, const Sums& zero) {
  return std::vector<Sums>(groups_of(z.rows(), z.cols()).size(), zero);
}

}  // namespace

ContrastSums contrast_sums(ConstBlockRef z, const Block& w, Contrast contrast,
                           const Context& context) {
  const ContrastLoop map = loop_of(contrast);
  std::vector<ContrastSums> groups =
      empty_sums<ContrastSums>(z, {Block::Zero(w.rows(), z.cols()), Vector::Zero(w.rows())});
  over_tiles(z, w, context, [&](std::size_t g, Range rows, BlockRef y) {
    for (Index i = 0; i < y.cols(); ++i) groups[g].slopes[i] += map(y.col(i).data(), rows.size());
    gemm(Transpose::yes, Transpose::no, 1.0, y, z.middleRows(rows.begin, rows.size()), 1.0,
         groups[g].products);
  });
  for (std::size_t g = 1; g < groups.size(); ++g) {
    groups[0].products += groups[g].products;
    groups[0].slopes += groups[g].slopes;
  }
  return std::move(groups[0]);
}

namespace {

template <class T>
ClimbLoop<T> climb_of(const LevelClimbs<T>& climbs, Contrast contrast) {
  if (contrast == Contrast::exp) return climbs.bell;
  return contrast == Contrast::cube ? climbs.cube : climbs.log_cosh;
}

std::vector<ClimbPass> empty_passes(Index n, const Block& w) {
  const Index p = w.rows(), k = w.cols();
  const ClimbPass zero{{Block::Zero(p, k), Vector::Zero(p)}, Vector::Zero(p)};
  return std::vector<ClimbPass>(groups_of(n, k).size(), zero);
}

ClimbPass summed(std::vector<ClimbPass>& groups) {
  for (std::size_t g = 1; g < groups.size(); ++g) {
    groups[0].sums.products += groups[g].sums.products;
    groups[0].sums.slopes += groups[g].sums.slopes;
    groups[0].values += groups[g].values;
  }
  return std::move(groups[0]);
}

template <class T>
void map_columns(ClimbLoop<T> map, T* y, Index rows, Index stride, ClimbPass& to) {
  for (Index i = 0; i < to.values.size(); ++i) {
    const ClimbSums column = map(y + i * stride, rows);
    to.values[i] += column.value;
    to.sums.slopes[i] += column.slope;
  }
}

}  // namespace

ClimbPass climb_pass(ConstBlockRef z, const Block& w, Contrast contrast, const Context& context) {
  const ClimbLoop<double> map = climb_of(loops().climb, contrast);
  std::vector<ClimbPass> groups = empty_passes(z.rows(), w);
  over_tiles(z, w, context, [&](std::size_t g, Range rows, BlockRef y) {
    map_columns(map, y.data(), rows.size(), y.outerStride(), groups[g]);
    gemm(Transpose::yes, Transpose::no, 1.0, y, z.middleRows(rows.begin, rows.size()), 1.0,
         groups[g].sums.products);
  });
  return summed(groups);
}

ClimbPass rough_climb_pass(const FloatBlock& z, const Block& w, Contrast contrast,
                           const Context& context) {
  const ClimbLoop<float> map = climb_of(loops().rough_climb, contrast);
  const Index n = z.rows(), k = z.cols(), p = w.rows();
  const FloatBlock directions = w.cast<float>();
  std::vector<ClimbPass> groups = empty_passes(n, w);
  const std::vector<Range> parts = groups_of(n, k);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index g) {
    const Range group = parts[static_cast<std::size_t>(g)];
    ClimbPass& to = groups[static_cast<std::size_t>(g)];
    FloatBlock y(std::min(tile_rows(k), group.size()), p), products(p, k);
    for (const Range part : tiles_of(group.size(), y.rows())) {
      const float* here = z.data() + group.begin + part.begin;
      gemm({Transpose::no, Transpose::yes, part.size(), p, k}, here, n, directions.data(), p, 0,
           y.data(), y.rows());
      map_columns(map, y.data(), part.size(), y.rows(), to);
      gemm({Transpose::yes, Transpose::no, p, k, part.size()}, y.data(), y.rows(), here, n, 0,
           products.data(), p);
      to.sums.products += products.cast<double>();
    }
  });
  return summed(groups);
}

TanhSums tanh_sums(ConstBlockRef z, const Block& w, const Context& context) {
  const Index k = w.rows();
  const Vector none = Vector::Zero(k);
  std::vector<TanhSums> groups = empty_sums<TanhSums>(z, {Block::Zero(k, k), none, none, none});
  over_tiles(z, w, context, [&](std::size_t g, Range rows, BlockRef y) {
    TanhSums& sums = groups[g];
    Block t = y;
    for (Index i = 0; i < k; ++i) {
      const DensitySums column = loops().density(t.col(i).data(), rows.size());
      sums.log_cosh[i] += column.log_cosh;
      sums.slopes[i] += column.slope;
      sums.curves[i] += column.curve;
    }
    gemm(Transpose::yes, Transpose::no, 1.0, t, y, 1.0, sums.products);
  });
  for (std::size_t g = 1; g < groups.size(); ++g) {
    groups[0].products += groups[g].products;
    groups[0].log_cosh += groups[g].log_cosh;
    groups[0].slopes += groups[g].slopes;
    groups[0].curves += groups[g].curves;
  }
  return std::move(groups[0]);
}

namespace {

void add_shapes(ShapeSums& to, const ShapeSums& more) {
  to.log_cosh += more.log_cosh;
  to.bell += more.bell;
  to.leaning_bell += more.leaning_bell;
  to.square += more.square;
  to.cube += more.cube;
  to.fourth += more.fourth;
}

}  // namespace

std::vector<ShapeSums> shape_sums(ConstBlockRef z, const Block& w, const Vector& factors,
                                  const Context& context) {
  using Shapes = std::vector<ShapeSums>;
  const auto k = static_cast<std::size_t>(w.rows());
  std::vector<Shapes> groups = empty_sums<Shapes>(z, Shapes(k, ShapeSums{}));
  over_tiles(z, w, context, [&](std::size_t g, Range rows, BlockRef y) {
    for (Index i = 0; i < y.cols(); ++i)
      add_shapes(groups[g][static_cast<std::size_t>(i)],
                 loops().shape(y.col(i).data(), rows.size(), factors[i]));
  });
  for (std::size_t g = 1; g < groups.size(); ++g)
    for (std::size_t i = 0; i < k; ++i) add_shapes(groups[0][i], groups[g][i]);
  return std::move(groups[0]);
}

std::uint64_t pass_bytes(Index n, Index k, Index threads) {
  const auto groups = static_cast<Index>(groups_of(n, k).size());
  const Index tiles = 2 * std::min(threads, groups) * tile_rows(k) * k;
  return static_cast<std::uint64_t>(8 * (groups * k * (k + 3) + tiles));
}

}  // namespace mercer::detail
