#include "mercer/models/detail/kica/planes.h"

#include "mercer/core/parallel.h"
#include "mercer/models/detail/ica/unmixing.h"
#include "mercer/models/detail/kica/turns.h"

#include <algorithm>
#include <numbers>
#include <vector>

namespace mercer::detail {
namespace {

constexpr Index kAngles = 24;  // of the grid, 3.75 degrees apart
constexpr double kApart = std::numbers::pi / 2 / kAngles;
constexpr int kSections = 8;  // golden ones, of a valley's width: to a tenth of a degree

struct SourcePair {
  Index i = 0, j = 0;
  double angle = 0;
  double gain = 0;  // of the pair's own contrast
};

std::vector<SourcePair> all_pairs(Index k) {
  std::vector<SourcePair> pairs;
  for (Index j = 0; j < k; ++j)
    for (Index i = j + 1; i < k; ++i) pairs.push_back({i, j});
  return pairs;
}

double pair_value(ConstBlockRef z, const KicaSettings& settings, const Block& two, double angle,
                  const Context& context) {
  return KicaObjective(z, settings, context).begin(plane_turn(2, 0, 1, angle) * two).value;
}

// The angle of the smallest value between two around a grid's minimum.
template <class Value>
SourcePair bottom_of(SourcePair pair, double middle, const Value& value) {
  constexpr double kGolden = std::numbers::phi - 1;
  double low = middle - kApart, high = middle + kApart;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = value(left), at_right = value(right);
  for (int i = 0; i < kSections; ++i) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = value(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = value(right);
    }
  }
  pair.angle = at_left < at_right ? left : right;
  pair.gain = -std::min(at_left, at_right);
  return pair;
}

// The deepest valley of a grid over 90 degrees but the one around angle 0; 0 where there is none.
Index deepest_valley(const Vector& values) {
  const Index count = values.size();
  Index best = 0;
  for (Index a = 1; a < count; ++a) {
    const bool valley = values[a] <= values[a - 1] && values[a] <= values[(a + 1) % count];
    // Beside angle 0 it is that valley which a search is at the bottom of.
    if (valley && a > 1 && a + 1 < count && (best == 0 || values[a] < values[best])) best = a;
  }
  return best;
}

std::vector<SourcePair> promising_pairs(ConstBlockRef z, const KicaSettings& settings,
                                        const Block& w, const Context& context) {
  std::vector<SourcePair> pairs = all_pairs(w.rows());
  const auto count = static_cast<Index>(pairs.size());
  const auto two_of = [&](const SourcePair& pair) {
    Block two(2, w.cols());
    two << w.row(pair.i), w.row(pair.j);
    return two;
  };
  Block values(kAngles, count);
  parallel_for(context, count * kAngles, [&](Index task) {
    const SourcePair& pair = pairs[static_cast<std::size_t>(task / kAngles)];
    values(task % kAngles, task / kAngles) = pair_value(
        z, settings, two_of(pair), static_cast<double>(task % kAngles) * kApart, context);
  });
  parallel_for(context, count, [&](Index p) {
    SourcePair& pair = pairs[static_cast<std::size_t>(p)];
    const Index valley = deepest_valley(values.col(p));
    if (valley == 0) return;
    const Block two = two_of(pair);
    pair = bottom_of(pair, static_cast<double>(valley) * kApart,
                     [&](double angle) { return pair_value(z, settings, two, angle, context); });
    pair.gain += values(0, p);
  });
  std::erase_if(pairs, [](const SourcePair& pair) { return !(pair.gain > 0); });
  std::ranges::stable_sort(pairs, std::greater<>(), &SourcePair::gain);
  return pairs;
}

}  // namespace

bool turn_in_planes(ConstBlockRef z, const KicaSettings& settings, Block& w, double value,
                    const Context& context) {
  const Index k = w.rows();
  if (k < 2 || k > kMostScanned) return false;
  std::vector<bool> turned(static_cast<std::size_t>(k), false);
  bool any = false;
  for (const SourcePair& pair : promising_pairs(z, settings, w, context)) {
    const auto i = static_cast<std::size_t>(pair.i), j = static_cast<std::size_t>(pair.j);
    if (turned[i] || turned[j]) continue;
    Block other = plane_turn(k, pair.i, pair.j, pair.angle) * w;
    decorrelate(other);
    const double after = KicaObjective(z, settings, context).begin(other).value;
    if (!(after < value)) continue;
    w = std::move(other);
    value = after;
    any = turned[i] = turned[j] = true;
  }
  return any;
}

}  // namespace mercer::detail
