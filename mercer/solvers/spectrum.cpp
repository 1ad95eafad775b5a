#include "mercer/solvers/spectrum.h"

#include "mercer/solvers/shares.h"

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

// How many pairs it takes for a share. By value, negative ones put some of it out of reach;
// elsewhere that is rounding at most.
Index reach_share(Selection& selection, const Vector& ascending, const std::vector<Index>& order,
                  Index significant, double trace, const EigenRequest& request) {
  const Shares shares = shares_of(ascending, trace,
                                  {.rank_tolerance = request.matrix.rank_tolerance,
                                   .positive = request.matrix.positive,
                                   .raised = request.raised,
                                   .fixed = request.matrix.fixed});
  const double enough = request.share - share_rounding(ascending.size());
  double sum = 0;
  Index wanted = 0;
  for (; wanted < significant && sum < enough; ++wanted)
    sum += shares.of(ascending[order[static_cast<std::size_t>(wanted)]]);
  if (shares.indefinite && request.order == Order::value && sum < enough) selection.reachable = sum;
  return wanted;
}

}  // namespace

Selection select_pairs(const Vector& ascending, double trace, const EigenRequest& request) {
  Selection selection;
  const std::vector<Index> order = ordered(ascending, request.order);
  if (order.empty()) return selection;
  const auto size_of = [&](Index p) {
    return request.order == Order::magnitude ? std::abs(ascending[p]) : ascending[p];
  };
  const double least = request.noise(ascending.cwiseAbs().maxCoeff());
  const auto significant =
      static_cast<Index>(std::ranges::count_if(order, [&](Index p) { return size_of(p) > least; }));

  Index wanted = request.count;
  if (request.all)
    wanted = significant;
  else if (request.share > 0)
    wanted = reach_share(selection, ascending, order, significant, trace, request);
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
