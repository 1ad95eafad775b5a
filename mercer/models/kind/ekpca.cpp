#include "mercer/models/kind/ekpca.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/ekpca/patterns.h"
#include "mercer/models/detail/ekpca/rebuild.h"
#include "mercer/models/detail/stored_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

Kernel checked_kernel(const EkpcaOptions& options, DataView rows, const Context& context,
                      Warnings& warnings) {
  Kernel kernel = options.kernel.resolve(rows, context, &warnings);
  if (kernel.definite() == Definite::affine)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("{} needs all affine functions removed, and patterns are centred only",
                            kernel.formula()),
                "use --method kernel_pca, or another kernel");
  return kernel;
}

void check_count(const Components& components, Index n) {
  if (!components.asked() || components.count() < n) return;
  throw Error(
      ErrorCode::too_many_components,
      fmt::format("{} components were asked for; {} rows allow {}", components.count(), n, n - 1),
      fmt::format("ask for at most {}", n - 1));
}

Dataset rows_of(DataView all, const std::vector<Index>& chosen) {
  Points rows(static_cast<Index>(chosen.size()), all.dim());
  for (Index i = 0; i < rows.rows(); ++i)
    all.copy_row(chosen[static_cast<std::size_t>(i)], rows.row(i).data());
  return Dataset(std::move(rows));
}

void add_figures(const detail::Patterns& patterns, const detail::Rebuilt& rebuilt,
                 const std::vector<std::string>* ids, Report& report) {
  const auto add = [&](const char* name, Value value) {
    report.figures.push_back({name, std::move(value), true});
  };
  Vector numbers(static_cast<Index>(patterns.rows.size()));
  Value names = Value::list();
  for (std::size_t i = 0; i < patterns.rows.size(); ++i) {
    numbers[static_cast<Index>(i)] = static_cast<double>(patterns.rows[i] + 1);
    if (ids != nullptr && !ids->empty())
      names.push_back((*ids)[static_cast<std::size_t>(patterns.rows[i])]);
  }
  add("patterns", static_cast<double>(patterns.rows.size()));
  add("variance_held", std::min(1.0, rebuilt.trace / patterns.trace));
  if (patterns.likeness.size() > 0) add("likeness_left", patterns.left);
  add("eigenvalues", Value::of(rebuilt.eigenvalues));
  add("share", Value::of(Vector(rebuilt.eigenvalues / rebuilt.trace)));
  add("pattern_rows", Value::of(numbers));
  if (!names.as_list().empty()) add("pattern_ids", std::move(names));
  if (patterns.likeness.size() > 0) add("pattern_likeness", Value::of(patterns.likeness));
}

void add_warnings(const detail::Rebuilt& rebuilt, const Components& components,
                  const Kernel& kernel, Warnings& warnings) {
  if (rebuilt.fewer)
    warnings.push_back(
        {WarningCode::rank_lower, fmt::format("{} of {} components: the others are rounding",
                                              rebuilt.eigenvalues.size(), components.count())});
  if (rebuilt.negative > 0 && kernel.definite() == Definite::no)
    warnings.push_back({WarningCode::negative_eigenvalues,
                        fmt::format("{:.2g} % of the spectrum of the patterns is negative: those "
                                    "directions are left out",
                                    100 * rebuilt.negative)});
}

}  // namespace

void EkpcaOptions::check(const Value& given) const {
  components.refuse_automatic("ekpca");
  if (!(threshold > 0 && threshold <= 1))
    throw Error(ErrorCode::bad_option_value,
                fmt::format("threshold = {:.6g}: a likeness is between 0 and 1", threshold),
                "0.9 keeps few patterns, 0.99 many");
  if (patterns > 0 && !given["threshold"].is_null())
    throw Error(ErrorCode::bad_option_value,
                "a number of patterns was asked for, and a threshold that decides it",
                "drop --threshold or --patterns");
  const bool alike = select == PatternRule::correlation || select == PatternRule::cosine;
  if (!alike && patterns == 0)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("select = {}: there is no threshold to end with", select.word()),
                "say how many: --patterns COUNT");
  if (patterns == 1)
    throw Error(ErrorCode::bad_option_value, "patterns = 1: an axis needs two of them",
                "ask for at least one more than components");
}

Ekpca Ekpca::train(const Prepared& prepared, const EkpcaOptions& options, const Plan& /*plan*/,
                   const Context& context) {
  const DataView rows = prepared.rows;
  check_count(options.components, rows.n());
  Warnings warnings;
  const Kernel kernel = checked_kernel(options, rows, context, warnings);
  if (options.patterns > rows.n())
    throw Error(ErrorCode::bad_option_value,
                fmt::format("{} patterns were asked for; there are {} rows", options.patterns,
                            grouped(rows.n())),
                "patterns are rows: ask for fewer");
  GramProblem problem{rows, kernel, true};
  problem.facts.frame = std::make_shared<const Frame>(make_frame(kernel, rows, true, context));
  const detail::Patterns patterns =
      detail::choose_patterns(problem,
                              {.rule = options.select,
                               .threshold = options.patterns > 0 ? 2.0 : options.threshold,
                               .count = options.patterns,
                               .sampled = options.column_rows,
                               .seed = static_cast<std::uint64_t>(options.seed)},
                              context);
  if (patterns.rows.size() < 2)
    throw Error(ErrorCode::no_positive_eigenvalue,
                fmt::format("{} of {} rows is a pattern: all others are as like it as {:.4g}",
                            patterns.rows.size(), grouped(rows.n()), patterns.left),
                "ask for patterns by number (--patterns COUNT), or choose a narrower kernel");
  Dataset points = rows_of(rows, patterns.rows);
  Frame frame = make_frame(kernel, points, true, context);
  detail::Rebuilt rebuilt =
      detail::rebuild(kernel, frame, points, rows, options.components, context);
  Ekpca model{KernelExpansion(kernel, true)};
  add_warnings(rebuilt, options.components, kernel, warnings);
  add_figures(patterns, rebuilt, prepared.ids, model.report);
  model.report.warnings = std::move(warnings);
  model.eigenvalues_ = std::move(rebuilt.eigenvalues);
  model.expansion_.over_rows(std::move(points), std::move(frame), std::move(rebuilt.coefficients),
                             std::move(rebuilt.bias));
  model.expansion_.find_reach(context);
  return model;
}

std::vector<Index> Ekpca::doubtful_rows(DataView rows, ConstBlockRef scores) const {
  const auto n = static_cast<double>(report.n);
  return expansion_.far_rows(rows, scores, (eigenvalues_ / n).cwiseSqrt());
}

void Ekpca::save(State& state) const {
  expansion_.save(state);
  state.values["patterns"] = expansion_.coefficients().rows();
  state.add("eigenvalues", eigenvalues_);
}

Ekpca Ekpca::from(State state) {
  Ekpca model{KernelExpansion("linear", true)};
  model.load_common(state);
  model.eigenvalues_ = state.array("eigenvalues").as_vector();
  const Fields fields(state.values);
  const Index patterns = fields.count("patterns", 2), k = model.eigenvalues_.size();
  if (patterns > model.report.n) fields.refuse("patterns", "there are more than rows");
  require(k > 0 && model.eigenvalues_.allFinite() && model.eigenvalues_.minCoeff() > 0,
          ErrorCode::bad_model_content, "array \"eigenvalues\" is not positive numbers");
  model.expansion_ = KernelExpansion::load(state, patterns, model.report.dim, k, true);
  if (model.expansion_.given() != Given::table) fields.refuse("as", "patterns are rows of a table");
  return model;
}

const ModelKind& ekpca_kind() {
  static const ModelKind kind = kind_of<Ekpca>();
  return kind;
}

}  // namespace mercer
