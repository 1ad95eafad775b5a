#include "mercer/models/detail/pls/fit.h"

#include "mercer/core/text.h"
#include "mercer/linalg/tall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::detail {
namespace {

// Tried where cross-validation chooses: beyond that the targets are noise, or the fit is that of
// ordinary least squares.
constexpr Index kMostTried = 30;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Deviations of the rows that are not left out; 1 where they do not vary, or are not asked for.
Vector deviations_of(const PlsAsked& asked, const Block& y, const std::vector<Index>& left_out) {
  Vector deviations = Vector::Ones(y.cols());
  if (!asked.standard_targets) return deviations;
  const Block theirs = y(left_out, Eigen::all);
  const auto n = static_cast<double>(y.rows() - theirs.rows());
  for (Index j = 0; j < y.cols(); ++j) {
    const double mean = (y.col(j).sum() - theirs.col(j).sum()) / n;
    const double squares =
        (y.col(j).array() - mean).square().sum() - (theirs.col(j).array() - mean).square().sum();
    if (squares > 0) deviations[j] = std::sqrt(squares / n);
  }
  return deviations;
}

// The folds [begin, end) by one source.
void add_folds(PlsSource& source, const PlsAsked& asked, const CentredTargets& targets, Range part,
               HeldOut& held_out, const Context& context) {
  const Index most = held_out.most();
  const std::uint64_t each =
      lane_bytes(targets.y.rows(), source.width(), targets.count(), most, false);
  const MemoryAccount::Hold held =
      context.hold(each * static_cast<std::uint64_t>(part.size()), "scores of the folds");
  std::vector<PlsLane> lanes;
  std::vector<Vector> deviations;
  for (Index f = part.begin; f < part.end; ++f) {
    const std::vector<Index>& left_out = asked.folds[static_cast<std::size_t>(f)];
    deviations.push_back(deviations_of(asked, targets.y, left_out));
    lanes.push_back(
        make_lane(targets.y * deviations.back().cwiseInverse().asDiagonal(), left_out, most));
  }
  run_lanes(source, lanes, most, kUnlimited, context);
  for (Index f = part.begin; f < part.end; ++f) {
    const auto at = static_cast<std::size_t>(f - part.begin);
    const PlsLane& lane = lanes[at];
    held_out.add(f, static_cast<Index>(lane.left_out.size()),
                 deviations[at].cwiseAbs2().asDiagonal() * lane.errors.leftCols(lane.count + 1));
  }
}

// Together as many folds at a time as memory allows; each by itself where it scales the columns.
void cross_validate(const PlsSources& sources, const PlsAsked& asked, const CentredTargets& targets,
                    Index most, PlsFound& found, const Context& context) {
  const Index n = targets.y.rows();
  const auto folds = static_cast<Index>(asked.folds.size());
  HeldOut& held_out = found.held_out.emplace(folds, most, targets.squares / static_cast<double>(n));
  if (sources.fold) {
    for (Index f = 0; f < folds; ++f)
      sources.fold(asked.folds[static_cast<std::size_t>(f)], [&](PlsSource& source) {
        add_folds(source, asked, targets, {f, f + 1}, held_out, context);
      });
    return;
  }
  const std::unique_ptr<PlsSource> source = sources.folds();
  const std::uint64_t each = lane_bytes(n, source->width(), targets.count(), most, false);
  const Index at_once =
      std::clamp<Index>(static_cast<Index>(context.memory_left() / 2 / each), 1, folds);
  for (Index begin = 0; begin < folds; begin += at_once)
    add_folds(*source, asked, targets, {begin, std::min(folds, begin + at_once)}, held_out,
              context);
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

PlsFound fit_lanes(const PlsSources& sources, const PlsAsked& asked, const CentredTargets& targets,
                   Report& report, const Context& context) {
  const Index most = most_components_of(asked), n = targets.y.rows(), q = targets.count();
  PlsFound found;
  const std::unique_ptr<PlsSource> whole = sources.whole();
  const MemoryAccount::Hold held = context.hold(lane_bytes(n, whole->width(), q, most, true),
                                                "scores and directions of the components");
  std::vector<PlsLane> lanes;
  lanes.push_back(make_lane(targets.y, {}, most));
  const double share = asked.components.share();
  run_lanes(*whole, lanes, most, share > 0 ? share * asked.squares : kUnlimited, context);
  found.lane = std::move(lanes.front());
  if (found.lane.count > 0 && !asked.folds.empty())
    cross_validate(sources, asked, targets, share > 0 ? found.lane.count : most, found, context);
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
  if (asked.components.is_automatic()) report.chosen = chosen_by_folds(asked.components, k);
  if (found.held_out) found.held_out->add_to(report, targets.factor);
}

}  // namespace mercer::detail
