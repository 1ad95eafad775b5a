#include "mercer/models/detail/ekpca/rebuild.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/operators/centered.h"
#include "mercer/solvers/signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::detail {
namespace {

using Tile = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Kernel values against the patterns, over the unit of the tiles.
class PatternTiles {
 public:
  PatternTiles(const Kernel& kernel, const Frame& frame, const Dataset& patterns, DataView rows,
               const Context& context)
      : kernel_(kernel),
        frame_(frame),
        storage_(TilePoints<double>::common_storage(kernel, frame, patterns, rows, context)),
        patterns_(kernel, frame, patterns, context, storage_),
        tiles_(kernel, frame, Values::in_units) {}

  double unit() const { return tiles_.unit(); }

  /// Of some rows, one row each.
  Tile of(DataView rows, const Context& context) const {
    const TilePoints<double> fresh(kernel_, frame_, rows, context, storage_);
    TileKernel<double>::Scratch scratch;
    Tile tile(rows.n(), patterns_.n());
    for (const Range part : tiles_of(patterns_.n(), kTileRows))
      tiles_.fill(fresh, {0, rows.n()}, patterns_, part, tile.data() + part.begin, patterns_.n(),
                  scratch);
    return tile;
  }

 private:
  const Kernel& kernel_;
  const Frame& frame_;
  TilePoints<double>::Storage storage_;
  TilePoints<double> patterns_;
  TileKernel<double> tiles_;
};

struct Axes {
  Block coefficients;  // B
  Vector centre;       // mean of F over the patterns
  double negative = 0;
};

std::vector<Index> largest(Index size, Index count) {
  std::vector<Index> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), Index{0});
  for (Index& at : positions) at = size - 1 - at;
  return positions;
}

Axes axes_of(const PatternTiles& tiles, const Dataset& patterns, double noise,
             const Context& context) {
  Block gram(patterns.n(), patterns.n());
  for (const Range part : tiles_of(patterns.n(), kTileRows))
    gram.middleRows(part.begin, part.size()) = tiles.of(patterns.view().rows(part), context);
  gram = ((gram + gram.transpose()) / 2).eval();
  require(gram.allFinite(), ErrorCode::kernel_overflows, "kernel values of the patterns overflow",
          "give the rows in other units, such as --scale standard");
  const Vector means = gram.rowwise().mean();
  static_cast<void>(center_in_place(gram, context));
  const SymmetricReduction reduction(gram, context);
  const Vector& values = reduction.values();
  const double size = values.cwiseAbs().maxCoeff();
  const Index count = (values.array() > noise * size).count();
  if (size == 0 || count == 0)
    throw Error(
        ErrorCode::no_positive_eigenvalue,
        fmt::format("the kernel is constant on the {} patterns: nothing to find", patterns.n()),
        "choose another width or kernel, or more patterns");
  const Block vectors = reduction.vectors(largest(values.size(), count));
  Axes axes;
  axes.coefficients =
      vectors * values.tail(count).reverse().cwiseSqrt().cwiseInverse().asDiagonal();
  remove_means(axes.coefficients);
  axes.centre = axes.coefficients.transpose() * means;
  axes.negative =
      (values.array() < -noise * size).select(-values, 0.0).sum() / values.cwiseAbs().sum();
  return axes;
}

// Sums over groups of rows, which are added in order.
struct Moments {
  Block squares;  // sum (f - c)(f - c)', lower triangle
  Vector sums;    // sum (f - c)
};

Moments moments_of(const PatternTiles& tiles, const Axes& axes, DataView rows,
                   const Context& context) {
  const Index width = axes.coefficients.cols();
  constexpr Index kGroups = 8, kFewest = 1024;  // of rows in a group
  const Index groups = std::clamp<Index>(rows.n() / kFewest, 1, kGroups);
  const std::vector<Range> parts = tiles_of(rows.n(), (rows.n() + groups - 1) / groups);
  std::vector<Moments> each(parts.size());
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range group = parts[static_cast<std::size_t>(t)];
    Moments own{Block::Zero(width, width), Vector::Zero(width)};
    for (const Range part : tiles_of(group.size(), kTileRows)) {
      context.check_cancelled();
      const Range of_all{group.begin + part.begin, group.begin + part.end};
      const Tile values = tiles.of(rows.rows(of_all), context);
      const Eigen::Map<const Block> transposed(values.data(), values.cols(), values.rows());
      Block features(width, values.rows());  // F', a column for each row
      gemm(Transpose::yes, Transpose::no, 1.0, axes.coefficients, transposed, 0.0, features);
      features.colwise() -= axes.centre;
      add_gram(features.data(), features.cols(), width, own.squares);
      own.sums += features.rowwise().sum();
    }
    each[static_cast<std::size_t>(t)] = std::move(own);
  });
  for (std::size_t t = 1; t < each.size(); ++t) {
    each[0].squares += each[t].squares;
    each[0].sums += each[t].sums;
  }
  return std::move(each[0]);
}

Index wanted_count(const Components& components, const Vector& falling, double trace, Index axes) {
  const bool counted = !components.is_all() && components.share() == 0;
  if (counted && components.asked() && components.count() > axes)
    throw Error(
        ErrorCode::too_many_components,
        fmt::format("{} components were asked for; the patterns span {}", components.count(), axes),
        "ask for fewer, or for more patterns: --patterns COUNT, or a larger --threshold");
  return components.kept_of(falling, trace);
}

}  // namespace

Rebuilt rebuild(const Kernel& kernel, const Frame& frame, const Dataset& patterns, DataView rows,
                const Components& components, const Context& context) {
  const auto n = static_cast<double>(rows.n()), count = static_cast<double>(patterns.n());
  constexpr double kUnit = 0x1p-53;
  const double entry = entry_error(kernel, frame, rows.dim(), Precision::double_);
  const MemoryAccount::Hold held =
      context.hold(static_cast<std::uint64_t>(8 * 14 * count * count), "products of the patterns");
  const PatternTiles tiles(kernel, frame, patterns, rows, context);
  const Axes axes = axes_of(tiles, patterns, std::max(10 * count * kUnit, 30 * entry), context);
  Moments moments = moments_of(tiles, axes, rows, context);
  const Vector mean = moments.sums / n;
  Block& squares = moments.squares;
  squares = squares.selfadjointView<Eigen::Lower>();
  squares -= n * mean * mean.transpose();
  require(squares.allFinite(), ErrorCode::kernel_overflows,
          "kernel values against the patterns overflow",
          "give the rows in other units, such as --scale standard");

  Rebuilt result;
  result.axes = axes.coefficients.cols();
  result.negative = axes.negative;
  result.trace = squares.trace();
  const SymmetricReduction reduction(squares, context);
  const Vector& values = reduction.values();
  const double noise = std::max(10 * n * kUnit, 30 * entry) * values.cwiseAbs().maxCoeff();
  const Index there = (values.array() > noise).count();
  if (there == 0)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("the {} rows do not differ along the patterns", rows.n()),
                "choose another width or kernel, or more patterns");
  const Vector falling = values.tail(there).reverse();
  const Index kept = wanted_count(components, falling, result.trace, result.axes);
  result.fewer = components.asked() && kept < components.count();
  const Block turned = reduction.vectors(largest(values.size(), kept));
  result.coefficients = product(axes.coefficients, turned, context);
  remove_means(result.coefficients);  // to the last digit: new rows rely on it
  const Block before = result.coefficients;
  fix_signs(result.coefficients);
  result.bias = turned.transpose() * (axes.centre + mean);
  for (Index j = 0; j < kept; ++j)
    if (before.col(j).dot(result.coefficients.col(j)) < 0) result.bias[j] *= -1;
  const double unit = tiles.unit();
  result.coefficients /= std::sqrt(unit);
  result.bias *= std::sqrt(unit);
  result.eigenvalues = unit * falling.head(kept);
  result.trace *= unit;
  return result;
}

}  // namespace mercer::detail
