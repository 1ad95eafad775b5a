#include "mercer/models/kind/kernel_bda.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/models/class_counts.h"
#include "mercer/models/detail/discriminant/biased.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

using detail::BiasedDirections;
using detail::KernelRange;
using detail::RangeAsked;

RangeAsked asked_of(const KernelBdaOptions& options) {
  return {options.kernel, options.rank, options.span, options.seed};
}

double ridge_of(const KernelBdaOptions& options) {
  const auto share = parse_number(options.ridge);
  if (share && *share >= 0 && *share <= 1) return *share;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("ridge = {}: not a number from 0 to 1", printable(options.ridge)),
              "give the share of the positive scatter to be replaced, such as 0.1");
}

// The rows of both groups; those without a class are in neither.
struct Groups {
  std::vector<Index> positive, negative;
  std::string name;
  Index unlabelled = 0;
};

// The first class by its name, whatever the order of the rows; -1 where no row has one.
Index first_by_name(const ClassCounts& classes) {
  const std::vector<std::string>& names = classes.labels->classes;
  Index first = -1;
  for (Index c = 0; c < classes.count(); ++c) {
    const std::string& name = names[static_cast<std::size_t>(c)];
    if (!is_no_class(name) && classes.size(c) > 0 &&
        (first < 0 || name < names[static_cast<std::size_t>(first)]))
      first = c;
  }
  return first;
}

Groups groups_of(const Labels& labels, const std::string& wanted) {
  const ClassCounts classes = count_classes(labels);
  Index sought = classes.find(wanted);
  if (wanted.empty()) sought = first_by_name(classes);
  if (sought < 0 || classes.size(sought) == 0) {
    std::vector<std::string> known;
    for (const std::string& name : labels.classes)
      if (!is_no_class(name) && known.size() < 8) known.push_back(printable(name));
    throw Error(ErrorCode::bad_option_value,
                wanted.empty()
                    ? "no row has a class"
                    : fmt::format("positive = {}: no row is of that class", printable(wanted)),
                known.empty() ? std::string("give some rows a class")
                              : fmt::format("classes of the table: {}", fmt::join(known, ", ")));
  }
  Groups groups;
  groups.name = labels.classes[static_cast<std::size_t>(sought)];
  for (std::size_t i = 0; i < labels.of_row.size(); ++i) {
    const Index c = labels.of_row[i];
    if (is_no_class(labels.classes[static_cast<std::size_t>(c)]))
      ++groups.unlabelled;
    else
      (c == sought ? groups.positive : groups.negative).push_back(static_cast<Index>(i));
  }
  if (groups.negative.empty())
    throw Error(ErrorCode::one_class,
                fmt::format("all rows with a class are of \"{}\": there is nothing to set it "
                            "apart from",
                            printable(groups.name)),
                "give rows of another class too");
  if (groups.positive.size() < 2)
    throw Error(ErrorCode::classes_too_small,
                fmt::format("class \"{}\" has one row: nothing varies among its rows",
                            printable(groups.name)),
                "give at least two positive rows");
  return groups;
}

void check_count(const Components& components, const Groups& groups) {
  const auto most = static_cast<Index>(std::min(groups.positive.size(), groups.negative.size()));
  if (!components.asked() || components.count() <= most) return;
  throw Error(ErrorCode::too_many_components,
              fmt::format("{} directions were asked for; {} positive and {} negative rows have at "
                          "most {}",
                          components.count(), groups.positive.size(), groups.negative.size(), most),
              fmt::format("ask for at most {}, or drop --components", most));
}

Vector distances(Block values, const Vector& mean) {
  values.rowwise() -= mean.transpose();
  return values.rowwise().norm();
}

}  // namespace

void KernelBdaOptions::check(const Value& /*given*/) const {
  static_cast<void>(ridge_of(*this));
  components.refuse_automatic("kernel_bda");
}

Plan KernelBda::plan_for(const Prepared& prepared, const KernelBdaOptions& options,
                         const Context& context) {
  if (!prepared.sizes_only)
    check_count(options.components, groups_of(prepared.labels(), options.positive));
  return detail::plan_range(prepared, asked_of(options), context);
}

KernelBda KernelBda::train(const Prepared& prepared, const KernelBdaOptions& options,
                           const Plan& plan, const Context& context) {
  const Groups groups = groups_of(prepared.labels(), options.positive);
  Report report;
  const KernelRange range =
      detail::kernel_range(plan, prepared, asked_of(options), report, context);
  const Context rest = untimed(context);  // what follows takes no longer than what was done
  BiasedDirections found =
      detail::biased_directions(range, groups.positive, groups.negative, ridge_of(options), rest);
  const Index kept = options.components.kept_of(found.values, found.values.sum());
  const Block along = found.along.leftCols(kept);
  KernelBda model{detail::range_expansion(range, plan, prepared, along)};
  model.expansion_.find_reach(rest);
  model.eigenvalues_ = found.values.head(kept);
  model.positive_mean_ = found.mean.head(kept);
  model.remark_ = fmt::format("\"{}\" is the positive class", printable(groups.name));
  if (const std::string range_words = detail::range_remark(range); !range_words.empty())
    model.remark_ += "; " + range_words;
  model.report = std::move(report);
  std::vector<Figure>& figures = model.report.figures;
  figures.push_back({"positive_rows", static_cast<Index>(groups.positive.size())});
  figures.push_back({"negative_rows", static_cast<Index>(groups.negative.size())});
  figures.push_back({"rows_to_rank", groups.unlabelled});
  figures.push_back({"biased_eigenvalues", Value::of(model.eigenvalues_), true});
  figures.push_back({"ridge", ridge_of(options)});
  detail::add_range_figures(range, model.report);
  figures.push_back({"positive_mean", Value::of(model.positive_mean_), true});
  return model;
}

Vector KernelBda::rate_rows(DataView rows, const Context& context) const {
  return distances(expansion_.values_of_blocks(nullptr, context)(rows), positive_mean_);
}

std::vector<Index> KernelBda::doubtful_rows(DataView rows, ConstBlockRef scores) const {
  return expansion_.far_rows(rows, scores, eigenvalues_.cwiseSqrt());
}

void KernelBda::save(State& state) const {
  expansion_.save(state);
  state.add("biased_eigenvalues", eigenvalues_);
  state.add("positive_mean", positive_mean_);
  if (!remark_.empty()) state.values["remark"] = remark_;
}

KernelBda KernelBda::from(State state) {
  const Vector values = state.array("biased_eigenvalues").as_vector();
  require(values.size() > 0 && values.allFinite() && (values.array() >= 0).all(),
          ErrorCode::bad_model_content,
          "array \"biased_eigenvalues\" is not a list of numbers >= 0");
  KernelBda model{KernelExpansion("linear", true)};
  model.load_common(state);
  model.eigenvalues_ = values;
  model.positive_mean_ = state.vector("positive_mean", values.size());
  model.expansion_ = detail::load_range_expansion(state, model.report, values.size());
  const Fields fields(state.values);
  if (fields.has("remark")) model.remark_ = fields.text("remark");
  return model;
}

const ModelKind& kernel_bda_kind() {
  static const ModelKind kind = kind_of<KernelBda>();
  return kind;
}

}  // namespace mercer
