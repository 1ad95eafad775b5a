#include "mercer/operators/near_leaves.h"

#include "mercer/kernels/kernel.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace mercer {
namespace {

// Where (1 + s + ...) exp(-s) of a Matern kernel falls to eps: by bisection, the value falls
// steadily.
double matern_cutoff(const Matern& kernel, double eps) {
  const auto value = [&](double s) {
    return (1 + (kernel.nu > 1 ? s : 0) + (kernel.nu > 2 ? s * s / 3 : 0)) * std::exp(-s);
  };
  double low = 0, high = 1000;
  for (int i = 0; i < 60; ++i) {
    const double s = (low + high) / 2;
    (value(s) > eps ? low : high) = s;
  }
  return high * kernel.length / std::sqrt(2 * kernel.nu);
}

double cutoff_of(const Kernel& kernel, double scale, double eps) {
  if (const auto* gaussian = kernel.only<Gaussian>())
    return gaussian->rescaled(scale).sigma * std::sqrt(2 * std::log(1 / eps));
  if (const auto* rough = kernel.only<Exponential>())
    return rough->rescaled(scale).length * std::log(1 / eps);
  if (const auto* matern = kernel.only<Matern>())
    return matern_cutoff(matern->rescaled(scale), eps);
  return 0;
}

constexpr Index kAsked = 64;  // rows of the sample whose neighbours are counted

// Distances from a row of the sample to all others, ascending.
Vector sorted_distances(const Points& sample, Index row) {
  Vector distances = (sample.rowwise() - sample.row(row)).rowwise().norm();
  std::sort(distances.data(), distances.data() + distances.size());
  return distances;
}

// Radius of the ball around a row that holds as many of all n rows as a leaf. A large sample has
// none so small: it follows from the 8th and the 16th neighbour and the dimension they show.
double leaf_radius(const Vector& distances, Index n, Index dim) {
  const auto size = static_cast<double>(distances.size());
  const double wanted = size * static_cast<double>(kLeafRows) / static_cast<double>(n);
  if (wanted >= 8 || distances.size() < 20)
    return distances[std::min(distances.size() - 1, static_cast<Index>(wanted))];
  const double near = distances[8], far = distances[16];
  if (!(near > 0)) return 0;
  const double shown = std::log(2.0) / std::max(std::log(far / near), 1e-3);
  return near * std::pow(wanted / 8, 1 / std::clamp(shown, 0.5, static_cast<double>(dim)));
}

}  // namespace

NearShape near_shape(const Points& sample, const Kernel& kernel, double scale, Index n,
                     double eps) {
  NearShape shape;
  if (sample.rows() == 0 || !(eps > 0 && eps < 1)) return shape;
  shape.cutoff = cutoff_of(kernel, scale, eps);
  if (!(shape.cutoff > 0)) return {};
  const Index step = std::max<Index>(1, sample.rows() / kAsked);
  double within = 0, asked = 0;
  for (Index i = 0; i < sample.rows(); i += step, ++asked) {
    const Vector distances = sorted_distances(sample, i);
    // Boxes are nearer to each other than their rows, by about a side: 2.2 times the radius of the
    // ball that holds as many rows.
    const double limit = shape.cutoff + 2.2 * leaf_radius(distances, n, sample.cols());
    within += static_cast<double>(
        std::upper_bound(distances.data(), distances.data() + distances.size(), limit) -
        distances.data());
  }
  shape.share = within / (asked * static_cast<double>(sample.rows()));
  // A row is near to itself in a sample of any size; what counts is its leaf.
  const double itself = 1 / static_cast<double>(sample.rows());
  const double leaf = std::min(1.0, static_cast<double>(kLeafRows) / static_cast<double>(n));
  shape.share = std::clamp(shape.share - itself + leaf, leaf, 1.0);
  return shape;
}

NearLeaves::NearLeaves(const Points& z, const Context& context)
    : n_(z.rows()), dim_(z.cols()), order_(static_cast<std::size_t>(n_)) {
  std::iota(order_.begin(), order_.end(), Index{0});
  boxes_.resize(static_cast<std::size_t>(2 * leaves() * 2 * dim_));
  // The upper part of the tree by one thread, then its branches side by side.
  std::vector<Range> branches;
  split(z, {0, leaves()}, std::max<Index>(1, leaves() / 32), &branches);
  parallel_for(context, static_cast<Index>(branches.size()),
               [&](Index t) { split(z, branches[static_cast<std::size_t>(t)], 1, nullptr); });
  cut_blocks({0, leaves()});
}

// Down to nodes of `least` leaves, which are listed in `rest` and not looked at.
void NearLeaves::split(const Points& z, Range leaves, Index least, std::vector<Range>* rest) {
  if (rest != nullptr && leaves.size() <= least) {
    rest->push_back(leaves);
    return;
  }
  const Index begin = leaves.begin * kLeafRows, end = std::min(n_, leaves.end * kLeafRows);
  double* low = boxes_.data() + node_of(leaves) * 2 * dim_;
  double* high = low + dim_;
  std::fill(low, high, std::numeric_limits<double>::infinity());
  std::fill(high, high + dim_, -std::numeric_limits<double>::infinity());
  for (Index i = begin; i < end; ++i) {
    const double* row = z.data() + order_[static_cast<std::size_t>(i)] * dim_;
    for (Index j = 0; j < dim_; ++j) {
      low[j] = std::min(low[j], row[j]);
      high[j] = std::max(high[j], row[j]);
    }
  }
  if (leaves.size() == 1) return;
  Index axis = 0;
  for (Index j = 1; j < dim_; ++j)
    if (high[j] - low[j] > high[axis] - low[axis]) axis = j;
  const Index cut = middle(leaves);
  // Equal values in the order of the table: one result, whatever the library's algorithm.
  std::nth_element(order_.begin() + begin, order_.begin() + cut * kLeafRows, order_.begin() + end,
                   [&](Index a, Index b) {
                     const double x = z.data()[a * dim_ + axis], y = z.data()[b * dim_ + axis];
                     return x < y || (x == y && a < b);
                   });
  split(z, {leaves.begin, cut}, least, rest);
  split(z, {cut, leaves.end}, least, rest);
}

void NearLeaves::cut_blocks(Range leaves) {
  if (leaves.size() <= kBlockLeaves) {
    blocks_.push_back(leaves);
    return;
  }
  cut_blocks({leaves.begin, middle(leaves)});
  cut_blocks({middle(leaves), leaves.end});
}

std::vector<std::vector<TilePair>> NearLeaves::rounds(double cutoff) const {
  const auto count = static_cast<Index>(blocks_.size());
  std::vector<std::vector<TilePair>> rounds(1);
  for (Index a = 0; a < count; ++a) rounds[0].push_back({a, a});
  // taken[a]: the rounds block a stands in, a bit each. Every pair goes to the first that is free.
  std::vector<std::vector<std::uint64_t>> taken(static_cast<std::size_t>(count), {1});
  for (Index b = 0; b < count; ++b)
    for (Index a = 0; a < b; ++a) {
      const Range first = blocks_[static_cast<std::size_t>(a)],
                  second = blocks_[static_cast<std::size_t>(b)];
      if (apart_squared(box(first), box(second)) > cutoff * cutoff) continue;
      auto &mine = taken[static_cast<std::size_t>(a)], &other = taken[static_cast<std::size_t>(b)];
      std::size_t word = 0;
      const auto both = [&](std::size_t w) {
        return (w < mine.size() ? mine[w] : 0) | (w < other.size() ? other[w] : 0);
      };
      while (both(word) == ~std::uint64_t{0}) ++word;
      const auto bit = static_cast<std::size_t>(__builtin_ctzll(~both(word)));
      mine.resize(std::max(mine.size(), word + 1));
      other.resize(std::max(other.size(), word + 1));
      mine[word] |= std::uint64_t{1} << bit;
      other[word] |= std::uint64_t{1} << bit;
      const std::size_t round = word * 64 + bit;
      if (rounds.size() <= round) rounds.resize(round + 1);
      rounds[round].push_back({a, b});
    }
  return rounds;
}

}  // namespace mercer
