#include "mercer/models/detail/kica/features.h"

#include "mercer/core/cpu.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/detail/kica/gauss_loops.h"

#include <algorithm>

namespace mercer::detail {
namespace {

// Rows of a tile: with some dozen columns of features each a quarter of a megabyte.
constexpr Index kTile = 256;
// Sums that are kept apart, and rows that are worth it; fewer sums where each has many numbers.
constexpr Index kMostGroups = 32, kFewGroups = 8, kWideFeatures = 512, kGroupRows = 1024;

const LevelGauss& gauss_level() {
  static const LevelGauss chosen =
      MERCER_OF_LEVEL(baseline::gauss_loops, v3::gauss_loops, v4::gauss_loops)();
  return chosen;
}

std::vector<Range> row_groups(Index n, Index width) {
  const Index most = width <= kWideFeatures ? kMostGroups : kFewGroups;
  return tiles_of(n, std::max((n + most - 1) / most, std::min(n, kGroupRows)));
}

// The numbers of some rows: sources, kernel values with the landmarks, features.
struct Tile {
  Tile(Index rows, Index sources, Index width)
      : y(rows, sources), kernel(rows, width), features(rows, width) {}
  Block y, kernel, features;
};

void fill_tile(Tile& tile, ConstBlockRef z, const Block& w, const Features& features) {
  const Index rows = z.rows();
  const double rate = rate_of(features.sigma);
  gemm(Transpose::no, Transpose::yes, 1.0, z, w, 0.0, tile.y.topRows(rows));
  for (std::size_t i = 0; i < features.columns.size(); ++i) {
    const Range columns = features.columns[i];
    const Landmarks& marks = features.of_source[i];
    for (Index m = 0; m < columns.size(); ++m)
      gauss_level().gauss(tile.y.col(static_cast<Index>(i)).data(), rows, marks.at[m], rate,
                          tile.kernel.col(columns.begin + m).data());
  }
  tile.features.topRows(rows) = tile.kernel.topRows(rows);
  for (std::size_t i = 0; i < features.columns.size(); ++i) {
    const Range columns = features.columns[i];
    solve_transposed(features.of_source[i].factor,
                     tile.features.block(0, columns.begin, rows, columns.size()));
  }
}

// Calls work(group, rows, tile) for every tile of rows; those of a group in their order.
template <class Work>
void over_rows(ConstBlockRef z, const Block& w, const Features& features, const Context& context,
               const Work& work) {
  const std::vector<Range> groups = row_groups(z.rows(), features.width());
  parallel_for(context, static_cast<Index>(groups.size()), [&](Index g) {
    const Range group = groups[static_cast<std::size_t>(g)];
    Tile tile(std::min(kTile, group.size()), w.rows(), features.width());
    for (const Range part : tiles_of(group.size(), kTile)) {
      const auto rows = z.middleRows(group.begin + part.begin, part.size());
      fill_tile(tile, rows, w, features);
      work(static_cast<std::size_t>(g), part.size(), tile);
    }
  });
}

// The derivative by kernel values in place of features: D_i L_i^-1, all sources side by side.
Block by_kernel_values(const Features& features, const Block& derivative) {
  Block result = derivative;
  for (std::size_t i = 0; i < features.columns.size(); ++i) {
    const Range columns = features.columns[i];
    const auto lower = features.of_source[i].factor.triangularView<Eigen::Lower>();
    auto part = result.middleCols(columns.begin, columns.size());
    lower.solveInPlace<Eigen::OnTheRight>(part);
  }
  return result;
}

}  // namespace

Features features_of(ConstBlockRef z, const Block& w, double sigma, double share,
                     const Context& context) {
  Features features;
  features.sigma = sigma;
  features.of_source.resize(static_cast<std::size_t>(w.rows()));
  parallel_for(context, w.rows(), [&](Index i) {
    Vector y(z.rows());
    const Vector direction = w.row(i).transpose();
    gemv(Transpose::no, 1.0, z, direction.data(), 0.0, y.data());
    features.of_source[static_cast<std::size_t>(i)] = choose_landmarks(std::move(y), sigma, share);
  });
  for (const Landmarks& marks : features.of_source) {
    const Index begin = features.width();
    features.columns.push_back({begin, begin + marks.at.size()});
  }
  return features;
}

Block FeatureSums::centred(Index n) const {
  return second - first * (first.transpose() / static_cast<double>(n));
}

double FeatureSums::left(const Features& features, Index n) const {
  double most = 0;
  for (const Range columns : features.columns) {
    const double kept = second.diagonal().segment(columns.begin, columns.size()).sum();
    most = std::max(most, 1 - kept / static_cast<double>(n));
  }
  return most;
}

FeatureSums feature_sums(ConstBlockRef z, const Block& w, const Features& features,
                         const Context& context) {
  const Index width = features.width();
  std::vector<FeatureSums> groups(row_groups(z.rows(), width).size(),
                                  {Block::Zero(width, width), Vector::Zero(width)});
  over_rows(z, w, features, context, [&](std::size_t g, Index rows, Tile& tile) {
    const auto here = tile.features.topRows(rows);
    add_gram(here, groups[g].second);
    groups[g].first += here.colwise().sum().transpose();
  });
  FeatureSums all = std::move(groups[0]);
  for (std::size_t g = 1; g < groups.size(); ++g) {
    all.second += groups[g].second;
    all.first += groups[g].first;
  }
  all.second.triangularView<Eigen::StrictlyUpper>() = all.second.transpose();
  return all;
}

Block turning_slopes(ConstBlockRef z, const Block& w, const Features& features,
                     const FeatureSums& sums, const Block& derivative, const Context& context) {
  const Index k = w.rows(), width = features.width();
  const Block weights = by_kernel_values(features, derivative);
  const Vector mean =
      weights.transpose() * sums.first / static_cast<double>(std::max<Index>(z.rows(), 1));
  std::vector<Block> groups(row_groups(z.rows(), width).size(), Block::Zero(k, k));
  over_rows(z, w, features, context, [&](std::size_t g, Index rows, Tile& tile) {
    Block weighted(rows, width), slope = Block::Zero(rows, k);
    gemm(Transpose::no, Transpose::no, 1.0, tile.features.topRows(rows), weights, 0.0, weighted);
    weighted.rowwise() -= mean.transpose();
    for (Index i = 0; i < k; ++i) {
      const Range columns = features.columns[static_cast<std::size_t>(i)];
      const Landmarks& marks = features.of_source[static_cast<std::size_t>(i)];
      for (Index m = 0; m < columns.size(); ++m)
        gauss_level().lean(tile.y.col(i).data(), rows, marks.at[m],
                           tile.kernel.col(columns.begin + m).data(),
                           weighted.col(columns.begin + m).data(), slope.col(i).data());
    }
    gemm(Transpose::yes, Transpose::no, 1.0, slope, tile.y.topRows(rows), 1.0, groups[g]);
  });
  for (std::size_t g = 1; g < groups.size(); ++g) groups[0] += groups[g];
  // dC/dK(a, p) is twice what was weighed with, and k'(d) = -2 rate d k(d).
  return 4 * rate_of(features.sigma) * groups[0];
}

std::uint64_t feature_bytes(Index n, Index width) {
  // The sums of every group; four squares of the contrast; two tiles and their like on each thread.
  const auto groups = static_cast<Index>(row_groups(n, width).size());
  return static_cast<std::uint64_t>(8 * ((groups + 8) * width * width + 8 * kTile * width));
}

}  // namespace mercer::detail
