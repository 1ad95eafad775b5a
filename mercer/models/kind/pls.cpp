#include "mercer/models/kind/pls.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/untimed.h"
#include "mercer/models/detail/pls/fit.h"
#include "mercer/models/detail/pls/gram.h"
#include "mercer/models/detail/pls/sources.h"
#include "mercer/models/detail/regress/fold_scaling.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/operators/centered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer {
namespace {

using detail::CentredRows;
using detail::CentredTargets;
using detail::PlsAsked;
using detail::PlsFound;
using detail::PlsLane;
using detail::PlsSource;

// Wide tables: products of rows once, in place of two passes over the table for each component.
// They cost as much as n / 2 passes, at ten times the speed of such a pass.
constexpr Index kWide = 8, kMostWideRows = 2000;

PlsAlgorithm algorithm_for(const PlsOptions& options, DataView rows) {
  if (options.algorithm != PlsAlgorithm::automatic) return options.algorithm;
  return rows.dim() >= kWide * rows.n() && rows.n() <= kMostWideRows ? PlsAlgorithm::kernel
                                                                     : PlsAlgorithm::nipals;
}

PlsAsked asked_for(const PlsOptions& options, Index n, Index limit) {
  PlsAsked asked{options.components, limit, {}, options.scale_targets};
  const Index folds = detail::fold_count(options.components, options.folds, n);
  if (folds > 0)
    asked.folds =
        detail::folds_of(n, folds, options.fold_type, static_cast<std::uint64_t>(options.seed));
  return asked;
}

// From coefficients of the rows to those of the columns: X = the rows as CentredRows has them, the
// Gram matrix is X X' / (scale^2 unit).
void to_columns(PlsLane& lane, const CentredRows& rows, double unit, const Context& context) {
  const double factor = rows.scale() * std::sqrt(unit);
  const Index k = lane.count;
  lane.directions = rows.transposed_times(lane.directions.leftCols(k), context) / (factor * factor);
  lane.weights = rows.transposed_times(lane.weights.leftCols(k), context) / factor;
  lane.lengths *= factor;
}

using UseSource = std::function<void(PlsSource&)>;

// The products of rows that a fold has scaled by itself.
void use_gram(DataView rows, const Kernel& kernel, const UseSource& use, const Context& context) {
  const detail::PlsGram gram(rows, kernel, context);
  detail::GramSource source(*gram.matrix, gram.trace);
  use(source);
}

// sqrt(dim sum_a s_a w_ja^2 / sum_a s_a), s_a: what component a explains of the targets, each by
// its variance.
Vector importance(const PlsFound& found, const CentredTargets& targets) {
  const Index k = found.count;
  Vector explained = Vector::Zero(k);
  for (Index j = 0; j < targets.count(); ++j)
    if (targets.squares[j] > 0)
      explained +=
          found.lane.target_loadings.row(j).head(k).cwiseAbs2().transpose() / targets.squares[j];
  const Block weights = found.lane.weights.leftCols(k).cwiseAbs2();
  return (weights * explained * static_cast<double>(weights.rows()) / explained.sum()).cwiseSqrt();
}

}  // namespace

void PlsOptions::check(const Value& /*given*/) const {
  detail::check_folds(components, folds);
  if (kernel.only<Linear>() != nullptr || algorithm == PlsAlgorithm::automatic ||
      algorithm == PlsAlgorithm::kernel)
    return;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("algorithm = {}: the features of {} are not at hand", algorithm.word(),
                          kernel.spec()),
              "drop --algorithm: only products of rows are needed");
}

Pls Pls::train(const Prepared& prepared, const PlsOptions& options, const Plan& /*plan*/,
               const Context& context) {
  Pls model;
  if (options.kernel.only<Linear>() != nullptr)
    model.train_linear(prepared, options, context);
  else
    model.train_kernel(prepared, options, context);
  return model;
}

void Pls::train_linear(const Prepared& prepared, const PlsOptions& wanted, const Context& context) {
  const CentredTargets targets = detail::centred_targets(prepared.targets, wanted.scale_targets);
  const CentredRows rows(prepared.rows, context);
  const CentredRows::Look look = rows.look(targets.y, context);
  detail::warn_about_targets(prepared, targets, look.squares, look.products, report.warnings);
  PlsAsked asked = asked_for(wanted, rows.n(), std::min(rows.n() - 1, rows.dim()));
  asked.squares = look.squares.sum();
  const double norm = std::sqrt(asked.squares);
  const PlsAlgorithm algorithm = algorithm_for(wanted, prepared.rows);
  std::optional<detail::PlsGram> gram;
  MemoryAccount::Hold copy;
  if (algorithm == PlsAlgorithm::kernel) {
    gram.emplace(prepared.rows, Kernel("linear"), context);
    asked.squares = gram->trace;  // in the units of what lanes explain
  }
  if (algorithm == PlsAlgorithm::deflation)
    copy = context.hold(sizeof(double) * static_cast<std::uint64_t>(rows.n() * rows.dim()),
                        "the copy of the table that is deflated");
  const bool simpls = algorithm == PlsAlgorithm::simpls;
  detail::PlsSources sources;
  sources.folds = [&]() -> std::unique_ptr<PlsSource> {
    if (gram) return std::make_unique<detail::GramSource>(*gram->matrix, gram->trace);
    return std::make_unique<detail::TableSource>(rows, look.products, norm, simpls);
  };
  sources.whole = [&]() -> std::unique_ptr<PlsSource> {
    if (algorithm != PlsAlgorithm::deflation) return sources.folds();
    return std::make_unique<detail::DeflatedSource>(rows, norm);
  };
  if (wanted.scale != Scaling::none)
    sources.fold = [&](const std::vector<Index>& left_out, const UseSource& use) {
      detail::with_fold_scaled(prepared.rows, wanted.scale, left_out, context, [&](DataView fold) {
        if (gram) return use_gram(fold, Kernel("linear"), use, context);
        const CentredRows centred(fold, context);
        const CentredRows::Look seen = centred.look(targets.y, context);
        detail::TableSource source(centred, seen.products, std::sqrt(seen.squares.sum()), simpls);
        use(source);
      });
    };
  PlsFound found = detail::fit_lanes(sources, asked, targets, report, context);
  const Context rest = untimed(context);  // there is an answer now
  PlsLane& lane = found.lane;
  if (gram) to_columns(lane, rows, gram->matrix->unit(), rest);
  const Index k = found.count;
  linear_.mean = rows.mean();
  linear_.directions = lane.directions.leftCols(k) * lane.lengths.head(k).asDiagonal();
  linear_.coefficients = rows.scale() * lane.directions.leftCols(k) *
                         lane.target_loadings.leftCols(k).transpose() *
                         targets.factor.cwiseInverse().asDiagonal();
  linear_.target_mean = targets.mean;
  detail::add_pls_figures(found, asked, targets, report, rest);
  linear_.add_figures(prepared.scaler, report);
  if (!is_shown(rows.dim(), k)) return;
  report.figures.push_back({"vip", Value::of(importance(found, targets))});
  const Block loadings = lane.loadings.size() > 0
                             ? Block(lane.loadings.leftCols(k))
                             : rows.transposed_times(lane.scores.leftCols(k), rest);
  report.figures.push_back(
      {"loadings", table_value(loadings * lane.lengths.head(k).cwiseInverse().asDiagonal())});
}

void Pls::train_kernel(const Prepared& prepared, const PlsOptions& wanted, const Context& context) {
  const DataView rows = prepared.rows;
  const CentredTargets targets = detail::centred_targets(prepared.targets, wanted.scale_targets);
  detail::warn_about_targets(prepared, targets, {}, {}, report.warnings);
  const Kernel kernel = wanted.kernel.resolve(rows, context, &report.warnings);
  const detail::PlsGram gram(rows, kernel, context);
  PlsAsked asked = asked_for(wanted, rows.n(), rows.n() - 1);
  asked.squares = gram.trace;
  detail::PlsSources sources;
  sources.whole = sources.folds = [&]() -> std::unique_ptr<PlsSource> {
    return std::make_unique<detail::GramSource>(*gram.matrix, gram.trace);
  };
  if (wanted.scale != Scaling::none)
    sources.fold = [&](const std::vector<Index>& left_out, const UseSource& use) {
      detail::with_fold_scaled(rows, wanted.scale, left_out, context,
                               [&](DataView fold) { use_gram(fold, kernel, use, context); });
    };
  const PlsFound found = detail::fit_lanes(sources, asked, targets, report, context);
  const Context rest = untimed(context);
  const PlsLane& lane = found.lane;
  const Index k = found.count;
  // t = K d for unit scores, K in its unit; scores are as long as those of unit weights.
  const double root = std::sqrt(gram.matrix->unit());
  Block coefficients = lane.directions.leftCols(k) * (lane.lengths.head(k) / root).asDiagonal();
  remove_means(coefficients);  // 1'A = 0 to the last digit: new rows rely on it
  Vector bias = coefficients.transpose() * gram.means;
  slopes_ = (lane.lengths.head(k) * root).cwiseInverse().asDiagonal() *
            lane.target_loadings.leftCols(k).transpose() *
            targets.factor.cwiseInverse().asDiagonal();
  target_mean_ = targets.mean;
  expansion_ = KernelExpansion(kernel, true);
  expansion_.over_rows(detail::stored_points(rows, prepared.owner.get()), *gram.problem.facts.frame,
                       std::move(coefficients), std::move(bias));
  expansion_.find_reach(rest);
  detail::add_pls_figures(found, asked, targets, report, rest);
}

Block Pls::project(DataView rows, const Context& context) const {
  if (!has_kernel()) return linear_.scores(rows, context);
  return expansion_.values_of_blocks(nullptr, context)(rows);
}

Block Pls::predict_rows(DataView rows, const Context& context) const {
  if (!has_kernel()) return linear_.predictions(rows, context);
  Block out = project(rows, context) * slopes_;
  out.rowwise() += target_mean_.transpose();
  return out;
}

void Pls::save(State& state) const {
  if (!has_kernel()) return linear_.save(state);
  expansion_.save(state);
  state.add("slopes", slopes_);
  state.add("target_mean", target_mean_);
}

Pls Pls::from(State state) {
  Pls model;
  model.load_common(state);
  const auto targets = static_cast<Index>(model.input.target_names.size());
  const Index dim = model.report.dim;
  if (targets == 0) Fields(state.values).refuse("targets", "there are none");
  if (state.find("slopes") == nullptr) {
    model.linear_ = LinearFit::load(state, dim, targets);
    return model;
  }
  model.slopes_ = state.array("slopes").as_points();
  require(model.slopes_.rows() > 0 && model.slopes_.cols() == targets && model.slopes_.allFinite(),
          ErrorCode::bad_model_content,
          "array \"slopes\" is not one finite number for each component and target");
  model.target_mean_ = state.vector("target_mean", targets);
  model.expansion_ = KernelExpansion::load(state, model.report.n, dim, model.slopes_.rows(), true);
  require(model.expansion_.given() == Given::table && !model.expansion_.has_features(),
          ErrorCode::bad_model_content, "the model's sums do not go over its rows");
  return model;
}

const ModelKind& pls_kind() {
  static const ModelKind kind = kind_of<Pls>();
  return kind;
}

}  // namespace mercer
