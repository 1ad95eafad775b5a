#include "mercer/models/detail/stress/pair_table.h"

#include "mercer/core/text.h"
#include "mercer/data/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::detail {
namespace {

// Bytes of pairs that are kept at most, and what share of the memory that is left: making them anew
// costs about as much as one walk does.
constexpr std::uint64_t kMostKept = std::uint64_t{2} << 30;

double unit_power(double largest) {
  if (!(largest > 0)) return 1;
  return std::ldexp(1.0, -std::ilogb(largest));
}

Index group_of(std::vector<Index>& parent, Index i) {
  while (parent[static_cast<std::size_t>(i)] != i) {
    Index& above = parent[static_cast<std::size_t>(i)];
    above = parent[static_cast<std::size_t>(above)];
    i = above;
  }
  return i;
}

}  // namespace

double PairWeights::of(double wanted) const {
  if (power == 0) return 1;
  if (wanted == 0) return 0;
  return power == -1 ? 1 / wanted : std::pow(wanted, power);
}

PairTable::PairTable(DataView rows, Given given, const PairWeights& weights, const Context& context)
    : rows_(rows), given_(given), weights_(weights), n_(rows.n()), parts_(tiles_of(n_, kTile)) {
  find_scale(context);
  weighted_ = !weights_.none() || missing_ > 0;
  keep(context);
  look(context);
  if (weighted_) check_connected(context);
}

void PairTable::find_scale(const Context& context) {
  if (given_ == Given::table) {
    scale_ = power_of_two_scale(rows_, context);
    of_rows_ = std::make_unique<RowDistances>(rows_, scale_, context);
    return;
  }
  std::vector<double> largest(parts_.size(), 0);
  std::vector<Index> missing(parts_.size(), 0), halves = missing;
  parallel_for(context, static_cast<Index>(parts_.size()), [&](Index t) {
    const auto at = static_cast<std::size_t>(t);
    for (Index i = parts_[at].begin; i < parts_[at].end; ++i)
      for (Index j = 0; j < i; ++j) {
        const double one = rows_.at(i, j), other = rows_.at(j, i);
        if (std::isnan(one) && std::isnan(other)) ++missing[at];
        if (std::isnan(one) || std::isnan(other)) ++halves[at];
        largest[at] = std::max({largest[at], one, other});  // of NaN nothing
      }
  });
  missing_ = std::accumulate(missing.begin(), missing.end(), Index{0});
  gaps_ = std::accumulate(halves.begin(), halves.end(), Index{0}) > 0;
  const double most = *std::ranges::max_element(largest);
  scale_ = unit_power(given_ == Given::squared_distance ? std::sqrt(most) : most);
}

// The two halves say the same, or one of them is missing.
void PairTable::fill_given(Range rows, Range columns, double* wanted) const {
  for (Index i = rows.begin; i < rows.end; ++i)
    for (Index j = columns.begin; j < columns.end; ++j, ++wanted) {
      const double one = rows_.at(i, j), other = rows_.at(j, i);
      const double both = std::isnan(one)     ? other
                          : std::isnan(other) ? one
                                              : 0.5 * one + 0.5 * other;
      *wanted = i == j ? 0 : given_ == Given::squared_distance ? std::sqrt(both) : both;
      *wanted *= scale_;
    }
}

void PairTable::fill(TilePair pair, double* wanted, double* weight) const {
  const Range rows = parts_[static_cast<std::size_t>(pair.first)];
  const Range columns = parts_[static_cast<std::size_t>(pair.second)];
  if (of_rows_ != nullptr)
    of_rows_->fill(rows_, rows, columns, wanted);
  else
    fill_given(rows, columns, wanted);
  if (!weighted_) return;
  for (Index i = rows.begin; i < rows.end; ++i)
    for (Index j = columns.begin; j < columns.end; ++j, ++wanted, ++weight) {
      if (i == j || std::isnan(*wanted)) {
        *wanted = *weight = 0;
        continue;
      }
      *weight = weights_.of(*wanted);
      if (weights_.matrix.n() > 0)
        *weight *= 0.5 * weights_.matrix.at(i, j) + 0.5 * weights_.matrix.at(j, i);
    }
}

// Tiles on and above the diagonal, row by row.
std::size_t PairTable::place(TilePair pair) const {
  const auto count = static_cast<Index>(parts_.size());
  return static_cast<std::size_t>(pair.first * count - pair.first * (pair.first - 1) / 2 +
                                  pair.second - pair.first);
}

void PairTable::keep(const Context& context) {
  const auto n = static_cast<std::uint64_t>(n_);
  const std::uint64_t need = (n * (n + kTile) / 2) * sizeof(double) * (weighted_ ? 2 : 1);
  if (need > kMostKept || need > context.memory_left() / 2) return;
  held_ = context.hold(need, "the distances of all pairs");
  const auto count = static_cast<Index>(parts_.size());
  std::vector<TilePair> pairs;
  for (Index first = 0; first < count; ++first)
    for (Index second = first; second < count; ++second) pairs.push_back({first, second});
  std::vector<std::vector<double>> wanted(pairs.size()), weight(weighted_ ? pairs.size() : 0);
  parallel_for(context, static_cast<Index>(pairs.size()), [&](Index t) {
    const auto at = static_cast<std::size_t>(t);
    const auto size =
        static_cast<std::size_t>(parts_[static_cast<std::size_t>(pairs[at].first)].size() *
                                 parts_[static_cast<std::size_t>(pairs[at].second)].size());
    wanted[at].resize(size);
    if (weighted_) weight[at].resize(size);
    fill(pairs[at], wanted[at].data(), weighted_ ? weight[at].data() : nullptr);
  });
  kept_ = std::move(wanted);
  kept_weights_ = std::move(weight);
}

PairTable::Tile PairTable::tile(TilePair pair, Scratch& scratch) const {
  if (!kept_.empty()) {
    const std::size_t at = place(pair);
    return {kept_[at].data(), weighted_ ? kept_weights_[at].data() : nullptr};
  }
  scratch.wanted.resize(static_cast<std::size_t>(kTile * kTile));
  if (weighted_) scratch.weight.resize(scratch.wanted.size());
  fill(pair, scratch.wanted.data(), weighted_ ? scratch.weight.data() : nullptr);
  return {scratch.wanted.data(), weighted_ ? scratch.weight.data() : nullptr};
}

void PairTable::each(const Context& context,
                     const std::function<void(TilePair, Tile)>& work) const {
  for (const std::vector<TilePair>& round : pair_rounds(static_cast<Index>(parts_.size())))
    parallel_for(context, static_cast<Index>(round.size()), [&](Index t) {
      TilePair pair = round[static_cast<std::size_t>(t)];
      if (pair.first > pair.second) std::swap(pair.first, pair.second);
      Scratch scratch;
      work(pair, tile(pair, scratch));
    });
}

// Sum of w wanted^2, by the tiles.
void PairTable::look(const Context& context) {
  const auto count = static_cast<Index>(parts_.size());
  std::vector<double> totals(static_cast<std::size_t>(count * (count + 1) / 2), 0);
  each(context, [&](TilePair pair, Tile tile) {
    const Index size = parts_[static_cast<std::size_t>(pair.first)].size() *
                       parts_[static_cast<std::size_t>(pair.second)].size();
    double total = 0;
    for (Index k = 0; k < size; ++k)
      total += (tile.weight != nullptr ? tile.weight[k] : 1) * tile.wanted[k] * tile.wanted[k];
    totals[place(pair)] = pair.first == pair.second ? total / 2 : total;
  });
  for (const double total : totals) total_ += total;
  if (total_ > 0) return;
  throw Error(ErrorCode::no_positive_eigenvalue,
              fmt::format("all known distances between the {} samples are 0: nothing to find", n_),
              "check that not all samples are at one place");
}

void PairTable::check_connected(const Context& context) const {
  std::vector<Index> parent(static_cast<std::size_t>(n_));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto count = static_cast<Index>(parts_.size());
  Scratch scratch;
  for (Index first = 0; first < count; ++first)
    for (Index second = first; second < count; ++second) {
      context.check_cancelled();
      const double* weight = tile({first, second}, scratch).weight;
      const Range rows = parts_[static_cast<std::size_t>(first)],
                  columns = parts_[static_cast<std::size_t>(second)];
      for (Index i = rows.begin; i < rows.end; ++i)
        for (Index j = columns.begin; j < columns.end; ++j, ++weight)
          if (*weight > 0)
            parent[static_cast<std::size_t>(group_of(parent, i))] = group_of(parent, j);
    }
  Index groups = 0;
  for (Index i = 0; i < n_; ++i) groups += group_of(parent, i) == i ? 1 : 0;
  if (groups == 1) return;
  throw Error(ErrorCode::bad_distances,
              fmt::format("the samples fall into {} groups between which no distance is known, or "
                          "none counts",
                          grouped(groups)),
              "give at least one distance between the groups, or fit each by itself");
}

}  // namespace mercer::detail
