#include "mercer/models/kind/kernel_lda.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/models/detail/discriminant/discriminants.h"
#include "mercer/models/detail/discriminant/ridge_path.h"
#include "mercer/models/linear_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace mercer {
namespace {

using detail::Discriminants;
using detail::KernelRange;
using detail::RangeAsked;
using detail::RidgePath;

RangeAsked asked_of(const KernelLdaOptions& options) {
  return {options.kernel, options.rank, options.span, options.seed};
}

// The share of the trace, or nothing where the fit is to find it.
std::optional<double> ridge_of(const KernelLdaOptions& options) {
  if (options.ridge == "auto") return std::nullopt;
  const auto share = parse_number(options.ridge);
  if (share && *share >= 0 && std::isfinite(*share)) return share;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("ridge = {}: not a number >= 0", printable(options.ridge)),
              "give a share of the total scatter, such as 1e-3, or auto");
}

Covariances covariances_of(const KernelLdaOptions& options) {
  if (options.classifier == Classifier::nearest) return Covariances::identity;
  return options.covariance == ClassCovariance::own ? Covariances::own : Covariances::shared;
}

// Throws before there is a decomposition: classes less one, for the user's count.
void check_discriminants(const Components& components, Index most) {
  if (components.is_all() || components.share() > 0 || components.count() <= most) return;
  if (!components.asked()) return;
  throw Error(ErrorCode::too_many_components,
              fmt::format("{} discriminants were asked for; {} classes have at most {}",
                          components.count(), most + 1, most),
              fmt::format("ask for at most {}, or drop --components", most));
}

Block path_table(const RidgePath& path) {
  Block table(path.shares.size(), 3);
  table << path.shares, path.squares, path.wrong;
  return table;
}

void add_figures(const Discriminants& found, const ClassCounts& classes, double share, double total,
                 const KernelRange& range, Report& report) {
  Vector sizes(classes.count());
  for (Index c = 0; c < classes.count(); ++c) sizes[c] = classes.size(c);
  report.figures.push_back({"class_sizes", Value::of(sizes), true});
  report.figures.push_back({"discriminant_eigenvalues", Value::of(found.values), true});
  report.figures.push_back({"discriminant_share", Value::of(Vector(found.values / total)), true});
  report.figures.push_back({"ridge", share});
  report.figures.push_back({"ridge_added", share * range.trace});
  detail::add_range_figures(range, report);
  if (is_shown(found.means.rows(), found.means.cols()))
    report.figures.push_back({"class_means", table_value(found.means), true});
}

}  // namespace

bool KernelLdaOptions::unit_free() const {
  return kernel.only<Linear>() != nullptr && ridge_of(*this) == 0.0;
}

void KernelLdaOptions::check(const Value& /*given*/) const {
  static_cast<void>(ridge_of(*this));
  components.refuse_automatic("kernel_lda");
  if (covariance == ClassCovariance::shared || classifier == Classifier::gaussian) return;
  throw Error(ErrorCode::bad_option_value, "covariance: the nearest class mean has none",
              "add --classifier gaussian");
}

Plan KernelLda::plan_for(const Prepared& prepared, const KernelLdaOptions& options,
                         const Context& context) {
  const ClassCounts classes = count_classes(prepared.labels());
  Report unused;
  if (!prepared.sizes_only) {
    check_class_sizes(classes, unused);
    check_discriminants(options.components, classes.present - 1);
    static_cast<void>(priors_of(options.priors, classes));
  }
  return detail::plan_range(prepared, asked_of(options), context);
}

KernelLda KernelLda::train(const Prepared& prepared, const KernelLdaOptions& options,
                           const Plan& plan, const Context& context) {
  const ClassCounts classes = count_classes(prepared.labels());
  Report report;
  Warnings of_classes;
  const KernelRange range =
      detail::kernel_range(plan, prepared, asked_of(options), report, context);
  check_class_sizes(classes, report);
  const Context rest = untimed(context);  // what follows takes no longer than what was done
  const Block sums = detail::class_sums(range, classes, rest);
  const std::optional<double> given = ridge_of(options);
  std::optional<RidgePath> path;
  if (!given || *given == 0) path = detail::ridge_path(range, classes, sums, rest);
  const double share = given ? *given : path->best;
  Discriminants found = detail::find_discriminants(range, classes, sums, share * range.trace,
                                                   path ? path->best : share, rest);
  const double total = found.values.sum();
  detail::keep_discriminants(found, options.components.kept_of(found.values, found.values.sum()));

  KernelLda model{detail::range_expansion(range, plan, prepared, found.along)};
  model.expansion_.find_reach(rest);
  model.report = std::move(report);
  model.eigenvalues_ = found.values;
  add_figures(found, classes, share, total, range, model.report);
  if (!given) model.report.figures.push_back({"ridge_path", table_value(path_table(*path)), true});
  model.densities_ =
      class_densities(found.scores, found.means, classes, priors_of(options.priors, classes),
                      covariances_of(options), rest);
  model.remark_ = detail::range_remark(range);
  return model;
}

// A row's classes must not depend on the rows beside it.
Block KernelLda::predict_rows(DataView rows, const Context& context) const {
  return densities_.probabilities(expansion_.values_of_blocks(nullptr, context)(rows), context);
}

std::vector<Index> KernelLda::doubtful_rows(DataView rows, ConstBlockRef scores) const {
  return expansion_.far_rows(rows, scores, (1 + eigenvalues_.array()).sqrt());
}

void KernelLda::save(State& state) const {
  expansion_.save(state);
  state.add("discriminant_eigenvalues", eigenvalues_);
  if (!remark_.empty()) state.values["remark"] = remark_;
  densities_.save(state);
}

KernelLda KernelLda::from(State state) {
  const Array& stored = state.array("discriminant_eigenvalues");
  const Vector values = stored.as_vector();
  require(values.size() > 0 && values.allFinite() && (values.array() >= 0).all(),
          ErrorCode::bad_model_content,
          "array \"discriminant_eigenvalues\" is not a list of numbers >= 0");
  KernelLda model{KernelExpansion("linear", true)};
  model.load_common(state);
  model.eigenvalues_ = values;
  model.expansion_ = detail::load_range_expansion(state, model.report, values.size());
  const auto classes = static_cast<Index>(model.input.labels->classes.size());
  if (classes < 2) Fields(state.values).refuse("labels", "there are no two classes");
  model.densities_ = ClassDensities::load(state, classes, values.size());
  const Fields fields(state.values);
  if (fields.has("remark")) model.remark_ = fields.text("remark");
  return model;
}

const ModelKind& kernel_lda_kind() {
  static const ModelKind kind = kind_of<KernelLda>();
  return kind;
}

}  // namespace mercer
