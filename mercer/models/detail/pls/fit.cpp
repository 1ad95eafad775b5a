#include "mercer/models/detail/pls/fit.h"

#include "mercer/core/text.h"
#include "mercer/linalg/tall.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mercer::detail {
namespace {

// Tried where cross-validation chooses: beyond that the targets are noise, or the fit is that of
// ordinary least squares.
constexpr Index kMostTried = 30;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Lanes of the folds [begin, end).
std::vector<PlsLane> lanes_of(const PlsAsked& asked, const Block& y, Range folds, Index most) {
  std::vector<PlsLane> lanes;
  for (Index f = folds.begin; f < folds.end; ++f)
    lanes.push_back(make_lane(y, asked.folds[static_cast<std::size_t>(f)], most));
  return lanes;
}

// The folds, as many at a time as memory allows.
void cross_validate(PlsSource& source, const PlsAsked& asked, const CentredTargets& targets,
                    Index most, PlsFound& found, const Context& context) {
  const Index n = targets.y.rows();
  const auto folds = static_cast<Index>(asked.folds.size());
  found.held_out.emplace(folds, most, targets.squares / static_cast<double>(n));
  const std::uint64_t each = lane_bytes(n, source.width(), targets.count(), most, false);
  const Index at_once =
      std::clamp<Index>(static_cast<Index>(context.memory_left() / 2 / each), 1, folds);
  for (Index begin = 0; begin < folds; begin += at_once) {
    const Range part{begin, std::min(folds, begin + at_once)};
    const MemoryAccount::Hold held =
        context.hold(each * static_cast<std::uint64_t>(part.size()), "scores of the folds");
    std::vector<PlsLane> lanes = lanes_of(asked, targets.y, part, most);
    run_lanes(source, lanes, most, kUnlimited, context);
    for (Index f = part.begin; f < part.end; ++f) {
      const PlsLane& lane = lanes[static_cast<std::size_t>(f - part.begin)];
      found.held_out->add(f, static_cast<Index>(lane.left_out.size()),
                          lane.errors.leftCols(lane.count + 1));
    }
  }
}

Index chosen_count(const PlsFound& found, const PlsAsked& asked) {
  const Index there = found.lane.count;  // no more than explain a share that was asked for
  if (!asked.components.is_automatic()) return there;
  return std::min(there, found.held_out->chosen(asked.components.rule()));
}

void check_found(const PlsFound& found, const PlsAsked& asked, Report& report) {
  const Index there = found.lane.count;
  if (there == 0)
    throw Error(ErrorCode::nothing_to_learn,
                "no column goes with the targets: their products are rounding",
                "check that rows and targets belong together");
  const bool counted = asked.components.asked() && asked.components.count() > there;
  const double sum = found.lane.explained.sum();
  if (!counted && !(sum < asked.components.share() * asked.squares)) return;
  report.warnings.push_back(
      {WarningCode::rank_lower,
       counted
           ? fmt::format("{} of {} components: beside them nothing in the columns goes with the "
                         "targets",
                         there, asked.components.count())
           : fmt::format("{} components explain {:.4g} % of the columns; beside them nothing goes "
                         "with the targets",
                         there, 100 * sum / asked.squares)});
}

}  // namespace

Index most_components_of(const PlsAsked& asked) {
  const Components& components = asked.components;
  if (components.is_automatic()) return std::min(asked.limit, kMostTried);
  if (components.is_all() || components.share() > 0) return asked.limit;
  if (components.asked() && components.count() > asked.limit)
    throw Error(ErrorCode::too_many_components,
                fmt::format("{} components were asked for; rows and columns allow {}",
                            components.count(), asked.limit),
                fmt::format("ask for at most {}", asked.limit));
  return std::min(asked.limit, components.count());
}

PlsFound fit_lanes(const std::function<std::unique_ptr<PlsSource>(bool whole)>& make_source,
                   const PlsAsked& asked, const CentredTargets& targets, Report& report,
                   const Context& context) {
  const Index most = most_components_of(asked), n = targets.y.rows(), q = targets.count();
  PlsFound found;
  const std::unique_ptr<PlsSource> whole = make_source(true);
  const MemoryAccount::Hold held = context.hold(lane_bytes(n, whole->width(), q, most, true),
                                                "scores and directions of the components");
  std::vector<PlsLane> lanes;
  lanes.push_back(make_lane(targets.y, {}, most));
  const double share = asked.components.share();
  run_lanes(*whole, lanes, most, share > 0 ? share * asked.squares : kUnlimited, context);
  found.lane = std::move(lanes.front());
  if (found.lane.count > 0 && !asked.folds.empty())
    cross_validate(*make_source(false), asked, targets, share > 0 ? found.lane.count : most, found,
                   context);
  if (found.lane.count > 0) found.count = chosen_count(found, asked);
  check_found(found, asked, report);
  return found;
}

void add_pls_figures(const PlsFound& found, const PlsAsked& asked, const CentredTargets& targets,
                     Report& report, const Context& context) {
  const Index k = found.count;
  Block residual = targets.y;
  add_product(residual, -1.0, found.lane.scores.leftCols(k),
              found.lane.target_loadings.leftCols(k).transpose(), context);
  report.figures.push_back({"components", static_cast<double>(k)});
  report.figures.push_back({"r_squared", Value::of(r_squared(targets, residual)), true});
  report.figures.push_back(
      {"x_explained", Value::of(Vector(found.lane.explained.head(k) / asked.squares)), true});
  if (found.held_out) found.held_out->add_to(report, targets.factor);
}

}  // namespace mercer::detail
