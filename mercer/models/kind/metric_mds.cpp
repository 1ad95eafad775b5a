#include "mercer/models/kind/metric_mds.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/data/summary.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/lapack.h"
#include "mercer/models/detail/given_distances.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/models/detail/stress/place_point.h"
#include "mercer/models/detail/stress/smacof.h"
#include "mercer/models/detail/stress/start.h"
#include "mercer/operators/centered.h"
#include "mercer/solvers/signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace mercer {
namespace {

// New rows that are placed by one task.
constexpr Index kPlaced = 32;

Index count_of(const MetricMdsOptions& options, DataView rows) {
  const Components& components = options.components;
  const Index n = rows.n(), most = n - 1;
  if (components.asked() && components.count() > most)
    throw Error(ErrorCode::too_many_components,
                fmt::format("{} components were asked for; {} samples have distances in {} "
                            "dimensions at most",
                            components.count(), n, most),
                fmt::format("ask for at most {}", most));
  // Rows of a table have their distances in its own dimensions already.
  return std::min({most, components.count(), options.as == Given::table ? rows.dim() : most});
}

void warn_of_columns(const MetricMdsOptions& options, Index k, Warnings& warnings) {
  if (!options.components.asked() || k >= options.components.count()) return;
  warnings.push_back({WarningCode::rank_lower,
                      fmt::format("{} of {} components: the distances between rows of {} column{} "
                                  "need no more",
                                  k, options.components.count(), k, k == 1 ? "" : "s")});
}

// Columns uncorrelated, the longest first: stress does not know directions.
Block to_principal_axes(const Block& z) {
  Block centred = z;
  remove_means(centred);
  Block gram = centred.transpose() * centred;
  std::vector<Index> descending(static_cast<std::size_t>(z.cols()));
  std::iota(descending.rbegin(), descending.rend(), Index{0});
  Block turned = centred * SymmetricReduction(gram).vectors(descending);
  fix_signs(turned);
  return turned;
}

void add_warning(const detail::SmacofResult& best, const MetricMdsOptions& options,
                 Warnings& warnings) {
  if (best.converged) return;
  const std::string how = fmt::format(
      "{} step{} were made; the next one lowers the stress by {:.1g} of it or more, the tolerance "
      "is {:.1g}",
      best.iterations, best.iterations == 1 ? "" : "s", best.fall, options.tolerance.value());
  warnings.push_back(
      {best.late ? WarningCode::time_ran_out : WarningCode::tolerance_not_reached, how});
}

// Stress in the units of the data: w (delta - d)^2, where w is a power of delta.
double in_units(double value, const detail::PairTable& pairs, double power) {
  return value * std::pow(pairs.scale(), -power) / pairs.scale() / pairs.scale();
}

// Distances may be missing, values of rows may not.
void check_rows(DataView rows, const Context& context) {
  if (!look_over(rows, context).all_rows_equal) return;
  throw Error(ErrorCode::all_rows_equal,
              fmt::format("all {} rows are identical: nothing to find", rows.n()),
              "check that the right columns were read");
}

// A missing distance has no weight.
Vector place_by_known(const Block& z, const Vector& distances, const detail::PairWeights& rule) {
  std::vector<Index> known;
  for (Index i = 0; i < distances.size(); ++i)
    if (!std::isnan(distances[i])) known.push_back(i);
  const Vector wanted = distances(known);
  const Vector weights = wanted.unaryExpr([&](double d) { return rule.of(d); });
  return detail::place_point(z(known, Eigen::all), wanted, weights);
}

}  // namespace

void MetricMdsOptions::check(const Value&) const {
  check_tolerance(tolerance);
  components.refuse_automatic("metric_mds");
  if (components.is_all() || components.share() > 0)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("components = {}: stress has no shares of a variance", components.text()),
        "give a whole number >= 1");
  if (tolerance.eigenvalues_only())
    throw Error(ErrorCode::bad_option_value, "there are no eigenvalues here",
                "give a number, such as --tolerance 1e-9");
  if (as == Given::kernel)
    throw Error(ErrorCode::bad_option_value, "stress is of distances, not of kernel values",
                "give distances (--as distance), or use --method mds");
  if (as != Given::table && scale != Scaling::none)
    throw Error(ErrorCode::bad_option_value, "a distance matrix has no columns to scale",
                "drop --scale");
}

MetricMds MetricMds::train(const Prepared& prepared, const MetricMdsOptions& options, const Plan&,
                           const Context& context) {
  const Index n = prepared.rows.n(), k = count_of(options, prepared.rows);
  MetricMds model;
  Report& report = model.report;
  report.n = n;
  report.dim = prepared.rows.dim();
  if (options.as == Given::table)
    check_rows(prepared.rows, context);
  else
    report.warnings = check_given(prepared.rows, options.as, true);
  warn_of_columns(options, k, report.warnings);
  if (prepared.start != nullptr && prepared.start->cols() != k)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("the start has {} columns, {} are wanted", prepared.start->cols(), k),
                "ask for as many components as the start has");
  const detail::PairTable pairs(prepared.rows, options.as, {options.weight_power, prepared.weights},
                                context);
  const detail::Stress stress(pairs, context);

  const detail::SmacofLimits limits{options.tolerance.value(), options.iterations};
  const auto seed = static_cast<std::uint64_t>(options.seed);
  detail::SmacofResult best;
  Vector reached(options.restarts + 1);
  Index starts = 0;
  for (; starts <= options.restarts && !best.late; ++starts) {
    Block start =
        starts == 0 && prepared.start != nullptr ? *prepared.start
        : starts == 0 && options.start_from == StartFrom::classical
            ? detail::classical_start(prepared, {options.as, k, seed}, pairs, stress, context)
            : detail::random_start(n, k, seed, static_cast<std::uint64_t>(starts) + 1);
    detail::SmacofResult found = detail::smacof(pairs, stress, std::move(start), limits, context);
    reached[starts] = in_units(found.stress, pairs, options.weight_power);
    const bool late = found.late;
    if (starts == 0 || found.stress < best.stress) best = std::move(found);
    best.late = late;
  }
  model.given_ = options.as;
  model.scale_ = pairs.scale();
  model.power_ = options.weight_power;
  model.configuration_ = to_principal_axes(best.z) / pairs.scale();
  if (options.as == Given::table)
    model.points_ = detail::stored_points(prepared.rows, prepared.owner.get());

  report.converged = best.converged && !best.late;
  add_warning(best, options, report.warnings);
  report.figures = {{"stress", Value(in_units(best.stress, pairs, options.weight_power))},
                    {"stress_1", Value(std::sqrt(best.stress / best.squares))},
                    {"iterations", Value(best.iterations)}};
  if (starts > 1)
    report.figures.push_back({"stress_of_starts", Value::of(Vector(reached.head(starts))), true});
  if (pairs.missing() > 0) report.figures.push_back({"missing_distances", Value(pairs.missing())});
  return model;
}

// Distances to the training samples, scaled; one row each.
Points MetricMds::distances_to(DataView rows, const detail::RowDistances* of_rows) const {
  const Index n = configuration_.rows();
  Points wanted(rows.n(), n);
  if (of_rows != nullptr) {
    std::vector<double> tile(static_cast<std::size_t>(rows.n() * kTileRows));
    for (const Range to : tiles_of(n, kTileRows)) {
      of_rows->fill(rows, {0, rows.n()}, to, tile.data());
      wanted.middleCols(to.begin, to.size()) =
          Eigen::Map<const Points>(tile.data(), rows.n(), to.size());
    }
    return wanted;
  }
  for (Index i = 0; i < rows.n(); ++i) {
    rows.copy_row(i, wanted.row(i).data());
    if (wanted.row(i).array().isNaN().all())
      throw Error(ErrorCode::missing_values, "a row has no distance to any of the samples",
                  "leave that row out", fmt::format("row {}", rows.number_of(i)));
    detail::take_distances(wanted.row(i).data(), n, given_, scale_, rows.number_of(i));
  }
  return wanted;
}

Block MetricMds::project(DataView rows, const Context& context) const {
  Block placed(rows.n(), score_columns());
  const Block z = configuration_ * scale_;
  const detail::PairWeights rule{power_};
  std::optional<detail::RowDistances> of_rows;
  if (given_ == Given::table) of_rows.emplace(points_, scale_, context);
  const std::vector<Range> parts = tiles_of(rows.n(), kPlaced);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    const Points wanted = distances_to(rows.rows(part), of_rows ? &*of_rows : nullptr);
    for (Index i = 0; i < part.size(); ++i) {
      context.check_cancelled();
      placed.row(part.begin + i) =
          place_by_known(z, wanted.row(i).transpose(), rule).transpose() / scale_;
    }
  });
  return placed;
}

void MetricMds::training_score_blocks(DataView rows, const Context&, const TakeRows& take) const {
  check_width(rows.dim());
  for (const Range part : tiles_of(configuration_.rows(), 16 * kBlockRows))
    take(Block(configuration_.middleRows(part.begin, part.size())));
}

void MetricMds::save(State& state) const {
  Value& stress = state.values["stress"];
  stress["as"] = Choice<Given>(given_).word();
  stress["scale"] = scale_;
  stress["power"] = power_;
  state.add("configuration", configuration_);
  if (given_ == Given::table) detail::save_points(state, points_);
}

MetricMds MetricMds::from(State state) {
  MetricMds model;
  model.load_common(state);
  const Fields fields = Fields(state.values).object("stress");
  const std::string& as = fields.text("as");
  const auto word = std::ranges::find(kGivenWords, as);
  if (word == kGivenWords.end() || as == "kernel")
    fields.refuse("as", fmt::format("\"{}\" is not known", printable(as)));
  model.given_ = static_cast<Given>(word - kGivenWords.begin());
  model.scale_ = fields.number("scale");
  if (!(model.scale_ > 0)) fields.refuse("scale", "not positive");
  model.power_ = fields.number("power");
  const Index n = model.report.n, dim = model.report.dim;
  model.configuration_ = state.array("configuration").as_points();
  require(model.configuration_.rows() == n && model.configuration_.cols() >= 1 &&
              model.configuration_.cols() < std::max<Index>(n, 2) &&
              model.configuration_.allFinite(),
          ErrorCode::bad_model_content,
          "array \"configuration\" is not one row of finite numbers for each training row");
  if (model.given_ != Given::table) {
    if (n != dim)
      Fields(state.values).refuse("n", "a model of a matrix has as many rows as columns");
    return model;
  }
  model.points_ = detail::load_points(state, dim);
  if (model.points_.n() != n)
    throw Error(ErrorCode::bad_model_content,
                fmt::format("array \"points\" has {} rows, n is {}", model.points_.n(), n));
  return model;
}

const ModelKind& metric_mds_kind() {
  static const ModelKind kind = kind_of<MetricMds>();
  return kind;
}

}  // namespace mercer
