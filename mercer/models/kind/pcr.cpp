#include "mercer/models/kind/pcr.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/linalg/tall.h"
#include "mercer/models/detail/gram/fit.h"
#include "mercer/models/detail/pcr/principal.h"
#include "mercer/models/detail/regress/fold_scaling.h"
#include "mercer/models/detail/regress/folds.h"
#include "mercer/models/detail/regress/targets.h"
#include "mercer/solvers/equal_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mercer {
namespace {

using detail::CentredRows;
using detail::CentredTargets;
using detail::HeldOut;
using detail::Principal;

// What a fold learns: from the rows as all folds see them, or scaled by its own.
detail::LeftOut fold_of(const detail::PrincipalRows& rows, DataView table,
                        const PcrOptions& options, const Block& y,
                        const std::vector<Index>& left_out, const Context& context) {
  if (options.scale == Scaling::none) return rows.without(left_out, context);
  detail::LeftOut fold;
  detail::with_fold_scaled(table, options.scale, left_out, context, [&](DataView scaled) {
    const CentredRows centred(scaled, context);
    fold = detail::principal_rows(scaled, centred, y, context)->without(left_out, context);
  });
  return fold;
}

HeldOut cross_validate(const detail::PrincipalRows& rows, DataView table, const PcrOptions& options,
                       Index folds, Index most, const CentredTargets& targets,
                       const Context& context) {
  const Index n = targets.y.rows();
  const std::vector<std::vector<Index>> all =
      detail::folds_of(n, folds, options.fold_type, static_cast<std::uint64_t>(options.seed));
  HeldOut held_out(folds, most, targets.squares / static_cast<double>(n));
  for (Index f = 0; f < folds; ++f) {
    context.check_cancelled();
    context.report("folds", static_cast<double>(f) / static_cast<double>(folds));
    const std::vector<Index>& left_out = all[static_cast<std::size_t>(f)];
    const detail::LeftOut fold = fold_of(rows, table, options, targets.y, left_out, context);
    const std::vector<Index> order = detail::order_of(
        fold.components, options.select == PcrSelection::response, fold.target_squares);
    held_out.add(f, static_cast<Index>(left_out.size()), detail::errors_of(fold, order, most));
  }
  return held_out;
}

void check_count(const Components& components, Index n, Index dim) {
  const Index limit = std::min(n - 1, dim);
  if (!components.asked() || components.count() <= limit) return;
  throw Error(ErrorCode::too_many_components,
              fmt::format("{} components were asked for; {} rows and {} columns allow {}",
                          components.count(), n, dim, limit),
              fmt::format("ask for at most {}", limit));
}

// The smallest number of components, in their order, that explains the share.
Index count_of_share(const Principal& found, const std::vector<Index>& order, double share) {
  const double total = found.lengths.squaredNorm();
  double sum = 0;
  for (std::size_t a = 0; a < order.size(); ++a) {
    sum += found.lengths[order[a]] * found.lengths[order[a]];
    if (sum >= share * total) return static_cast<Index>(a) + 1;
  }
  return static_cast<Index>(order.size());
}

void add_figures(const Principal& found, const std::vector<Index>& taken,
                 const CentredTargets& targets, double squares, Report& report) {
  Vector explained(static_cast<Index>(taken.size())), numbers = explained;
  Block left = targets.squares;
  for (std::size_t a = 0; a < taken.size(); ++a) {
    const auto at = static_cast<Index>(a);
    explained[at] = found.lengths[taken[a]] * found.lengths[taken[a]] / squares;
    numbers[at] = static_cast<double>(taken[a] + 1);
    left -= found.along.row(taken[a]).cwiseAbs2().transpose();
  }
  const Vector r_squared =
      (targets.squares.array() > 0)
          .select(1 - left.col(0).array() / targets.squares.array(), std::nan(""));
  report.figures.push_back({"components", static_cast<double>(taken.size())});
  report.figures.push_back({"r_squared", Value::of(r_squared), true});
  report.figures.push_back({"x_explained", Value::of(explained), true});
  if (!std::ranges::is_sorted(taken))
    report.figures.push_back({"selected", Value::of(numbers), true});
}

// Of equal variances the data determine the span alone: which of the directions are taken is
// arbitrary.
void warn_of_split(const Principal& found, const std::vector<Index>& taken, Report& report) {
  const Vector squares = found.lengths.cwiseAbs2();
  const double rounding = 8 * static_cast<double>(squares.size()) * 0x1p-53 * squares[0];
  std::vector<bool> is_taken(static_cast<std::size_t>(squares.size()), false);
  for (const Index i : taken) is_taken[static_cast<std::size_t>(i)] = true;
  for (Index i = 1; i < squares.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (is_taken[at] == is_taken[at - 1] ||
        squares[i - 1] - squares[i] > counts_as_equal(squares[i - 1], rounding, squares[0]))
      continue;
    report.warnings.push_back(
        {WarningCode::split_cluster,
         fmt::format("components {} and {} have the same variance ({:.6g} and {:.6g} of the "
                     "largest), and one of them is left out",
                     i, i + 1, squares[i - 1] / squares[0], squares[i] / squares[0])});
    return;
  }
}

}  // namespace

void PcrOptions::check(const Value& /*given*/) const { detail::check_folds(components, folds); }

Pcr Pcr::train(const Prepared& prepared, const PcrOptions& options, const Plan& /*plan*/,
               const Context& context) {
  const CentredTargets targets = detail::centred_targets(prepared.targets, false);
  const CentredRows rows(prepared.rows, context);
  const Index n = rows.n(), dim = rows.dim();
  const Components& components = options.components;
  check_count(components, n, dim);
  const Index folds = detail::fold_count(components, options.folds, n);
  Pcr model;
  Report& report = model.report;
  const CentredRows::Look look = rows.look(targets.y, context);
  detail::warn_about_targets(prepared, targets, look.squares, look.products, report.warnings);
  const auto sides = detail::principal_rows(prepared.rows, rows, targets.y, context);
  Principal found = sides->all(context);
  std::vector<Index> order =
      detail::order_of(found, options.select == PcrSelection::response, targets.squares);
  const auto there = static_cast<Index>(order.size());
  require(there > 0, ErrorCode::nothing_to_learn, "the columns have no variance beside rounding");
  Index count = there;
  if (components.share() > 0)
    count = count_of_share(found, order, components.share());
  else if (!components.is_all() && !components.is_automatic())
    count = std::min(there, components.count());
  std::optional<HeldOut> held_out;
  if (folds > 0)
    held_out.emplace(
        cross_validate(*sides, prepared.rows, options, folds, count, targets, context));
  if (components.is_automatic()) count = std::min(there, held_out->chosen(components.rule()));
  const Context rest = untimed(context);  // there is an answer now
  order.resize(static_cast<std::size_t>(count));
  if (components.asked() && count < components.count())
    report.warnings.push_back(
        {WarningCode::rank_lower,
         fmt::format("{} of {} components: the others are rounding", count, components.count())});

  warn_of_split(found, order, report);
  LinearFit& linear = model.linear_;
  linear.mean = rows.mean();
  linear.directions = sides->axes(found, order, rest);
  const Block along = found.along(order, Eigen::all);
  linear.coefficients =
      rows.scale() *
      product(linear.directions, found.lengths(order).cwiseInverse().asDiagonal() * along, rest) *
      targets.factor.cwiseInverse().asDiagonal();
  linear.target_mean = targets.mean;
  add_figures(found, order, targets, look.squares.sum(), report);
  if (components.is_automatic()) report.chosen = detail::chosen_by_folds(components, count);
  if (held_out) held_out->add_to(report, targets.factor);
  linear.add_figures(prepared.scaler, report);
  if (is_shown(dim, count)) report.figures.push_back({"loadings", table_value(linear.directions)});
  return model;
}

Points Pcr::lift_back(ConstBlockRef scores, const Context& context) const {
  Points rows = product(scores, linear_.directions.transpose(), context);
  rows.rowwise() += linear_.mean.transpose();
  return rows;
}

Pcr Pcr::from(State state) {
  Pcr model;
  model.load_common(state);
  const auto targets = static_cast<Index>(model.input.target_names.size());
  if (targets == 0) Fields(state.values).refuse("targets", "there are none");
  model.linear_ = LinearFit::load(state, model.report.dim, targets);
  return model;
}

const ModelKind& pcr_kind() {
  static const ModelKind kind = kind_of<Pcr>();
  return kind;
}

}  // namespace mercer
