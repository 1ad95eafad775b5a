#include "mercer/solvers/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

// Positions of all values in the order asked for; by magnitude ties go to the positive one.
std::vector<Index> ordered(const Vector& ascending, Order order) {
  std::vector<Index> positions(static_cast<std::size_t>(ascending.size()));
  std::iota(positions.rbegin(), positions.rend(), Index{0});
  if (order == Order::magnitude)
    std::ranges::stable_sort(positions, [&](Index a, Index b) {
      return std::abs(ascending[a]) > std::abs(ascending[b]);
    });
  return positions;
}

}  // namespace

Selection select_pairs(const Vector& ascending, double trace, const EigenRequest& request) {
  Selection selection;
  const std::vector<Index> order = ordered(ascending, request.order);
  if (order.empty()) return selection;
  const auto size_of = [&](Index p) {
    return request.order == Order::magnitude ? std::abs(ascending[p]) : ascending[p];
  };
  const double least = request.rank_tolerance * ascending.cwiseAbs().maxCoeff();
  const auto significant =
      static_cast<Index>(std::ranges::count_if(order, [&](Index p) { return size_of(p) > least; }));

  // A trace of both signs is no measure of size: reports then divide by the sum of magnitudes, and
  // so does a share.
  const bool indefinite = ascending.minCoeff() < -least;
  const double total =
      request.order == Order::magnitude || indefinite ? ascending.cwiseAbs().sum() : trace;
  Index wanted = request.count;
  if (request.all)
    wanted = significant;
  else if (request.share > 0) {
    double sum = 0;
    for (wanted = 0; wanted < significant && sum < request.share * total; ++wanted)
      sum += size_of(order[static_cast<std::size_t>(wanted)]);
  }
  selection.wanted = wanted;
  const Index kept = std::min(wanted, significant);
  selection.positions.assign(order.begin(), order.begin() + kept);
  if (kept < significant) selection.next_value = ascending[order[static_cast<std::size_t>(kept)]];
  return selection;
}

std::vector<Range> clusters(const Vector& values, double distance) {
  std::vector<Range> found;
  for (Index i = 0; i < values.size(); ++i) {
    if (!found.empty() && std::abs(values[i] - values[i - 1]) <= distance)
      found.back().end = i + 1;
    else
      found.push_back({i, i + 1});
  }
  return found;
}

}  // namespace mercer
