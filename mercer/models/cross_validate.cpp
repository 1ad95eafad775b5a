#include "mercer/models/cross_validate.h"

#include "mercer/core/check.h"
#include "mercer/core/random.h"
#include "mercer/core/text.h"
#include "mercer/models/detail/regress/folds.h"
#include "mercer/models/kind.h"
#include "mercer/models/linear_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

using Rows = std::vector<Index>;

// Rows of each class in random order, class after class, dealt out one by one: folds, and the rows
// of a class in them, differ by one at most.
std::vector<Rows> stratified_folds(const Labels& labels, const CrossValidationOptions& how) {
  const Random random(how.seed);
  std::vector<Rows> of_class(labels.classes.size());
  for (std::size_t i = 0; i < labels.of_row.size(); ++i)
    of_class[static_cast<std::size_t>(labels.of_row[i])].push_back(static_cast<Index>(i));
  std::vector<Rows> folds(static_cast<std::size_t>(how.folds));
  std::size_t next = 0;
  for (Rows& rows : of_class) {
    std::ranges::stable_sort(rows, {},
                             [&](Index i) { return random.bits(static_cast<std::uint64_t>(i)); });
    for (const Index row : rows) folds[next++ % folds.size()].push_back(row);
  }
  for (Rows& fold : folds) std::ranges::sort(fold);
  return folds;
}

void warn_of_small_classes(const Labels& labels, Index folds, Warnings& warnings) {
  constexpr std::size_t kNamed = 5;
  std::vector<Index> sizes(labels.classes.size(), 0);
  for (const Index own : labels.of_row) ++sizes[static_cast<std::size_t>(own)];
  std::vector<std::string> names;
  std::size_t small = 0;
  bool single = false;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] >= folds || sizes[c] == 0) continue;
    single = single || sizes[c] == 1;
    if (++small <= kNamed)
      names.push_back(fmt::format("\"{}\" ({})", printable(labels.classes[c]), sizes[c]));
  }
  if (small == 0) return;
  warnings.push_back(
      {WarningCode::small_classes,
       fmt::format(
           "{} of {} classes {} fewer rows than there are folds ({}): {}{}; some folds have "
           "none of them{}",
           small, sizes.size(), small == 1 ? "has" : "have", folds, fmt::join(names, ", "),
           small > kNamed ? ", ..." : "",
           single ? ", and a class of 1 row cannot be predicted when that is left out" : "")});
}

Rows all_but(const Rows& left_out, Index n) {
  Rows kept;
  kept.reserve(static_cast<std::size_t>(n) - left_out.size());
  std::size_t next = 0;
  for (Index i = 0; i < n; ++i) {
    if (next < left_out.size() && left_out[next] == i)
      ++next;
    else
      kept.push_back(i);
  }
  return kept;
}

// Which values of a table a part of it has: all columns, or of a matrix of pairs those of the rows
// that are learnt from.
Dataset part_of(const Training& training, const Rows& rows, const Rows* columns,
                const Context& context) {
  const DataView all = training.rows;
  const Index width = columns == nullptr ? all.dim() : static_cast<Index>(columns->size());
  const auto bytes = sizeof(double) * rows.size() * static_cast<std::uint64_t>(width);
  MemoryAccount::Hold held = context.hold(bytes, "the rows of a fold of the cross-validation");
  Dataset part;
  if (columns == nullptr && training.owner != nullptr) {
    part = training.owner->numbers().rows(rows);
  } else {
    Points values(static_cast<Index>(rows.size()), width);
    Vector row(all.dim());
    for (Index i = 0; i < values.rows(); ++i) {
      all.copy_row(rows[static_cast<std::size_t>(i)], row.data());
      if (columns == nullptr)
        values.row(i) = row.transpose();
      else
        for (Index j = 0; j < width; ++j)
          values(i, j) = row[(*columns)[static_cast<std::size_t>(j)]];
    }
    part = Dataset(std::move(values));
  }
  held = {};
  part.hold(context);
  return part;
}

// Classes that none of the rows has are not among them.
Labels labels_of(const Labels& all, const Rows& rows) {
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const Index row : rows)
    texts.push_back(
        all.classes[static_cast<std::size_t>(all.of_row[static_cast<std::size_t>(row)])]);
  return Labels::from_texts(all.name, texts);
}

Points targets_of(DataView all, const Rows& rows) {
  Points part(static_cast<Index>(rows.size()), all.dim());
  for (Index i = 0; i < part.rows(); ++i)
    all.copy_row(rows[static_cast<std::size_t>(i)], part.row(i).data());
  return part;
}

// One cross-validation: folds, and what came out for the rows that were left out.
class Folds {
 public:
  Folds(const ModelKind& kind, const Training& training, const Value& options, Context context)
      : kind_(kind), training_(training), options_(options), context_(std::move(context)) {
    const Value record = kind.record(options);
    pairs_ = record["as"].is_text() && record["as"].as_text() != "table";
    context_.journal = nullptr;  // what is kept there are steps of the fit of all rows
    classes_ = kind.takes.labels == Need::must;
  }

  CrossValidation run(const CrossValidationOptions& how);

 private:
  void leave_out(const Rows& rows);
  void take(const Predicts& model, const Block& predictions, const Rows& rows);
  CrossValidation of_classes(const std::vector<Rows>& folds) const;
  CrossValidation of_numbers(const std::vector<Rows>& folds) const;
  Index n() const { return training_.rows.n(); }

  const ModelKind& kind_;
  const Training& training_;
  const Value& options_;
  Context context_;
  bool pairs_ = false, classes_ = false;
  Index not_converged_ = 0;
  std::vector<Index> predicted_;  // class of each row
  Block errors_;                  // prediction less truth, of each row and target
};

void Folds::leave_out(const Rows& rows) {
  const Rows kept = all_but(rows, n());
  const Dataset known = part_of(training_, kept, pairs_ ? &kept : nullptr, context_);
  Training part(known);
  part.input = training_.input;
  part.input.labels = classes_ ? labels_of(training_.input.labels, kept) : Labels();
  Points targets;
  if (!classes_) {
    targets = targets_of(training_.targets.values, kept);
    part.targets = {targets, training_.targets.names};
  }
  const std::unique_ptr<Model> model = fit_model(kind_.name, part, options_, context_);
  if (!model->report.converged) ++not_converged_;
  const Dataset left_out = part_of(training_, rows, pairs_ ? &kept : nullptr, context_);
  const auto& predicts = need<Predicts>(*model);
  take(predicts, predicts.predict(left_out, context_), rows);
}

void Folds::take(const Predicts& model, const Block& predictions, const Rows& rows) {
  if (!classes_) {
    const Points truth = targets_of(training_.targets.values, rows);
    for (Index i = 0; i < predictions.rows(); ++i)
      errors_.row(rows[static_cast<std::size_t>(i)]) = predictions.row(i) - truth.row(i);
    return;
  }
  const Labels found = predicted_classes(model, predictions);
  const std::vector<std::string>& all = training_.input.labels->classes;
  std::vector<Index> place;
  for (const std::string& name : found.classes)
    place.push_back(std::ranges::find(all, name) - all.begin());
  for (std::size_t i = 0; i < rows.size(); ++i)
    predicted_[static_cast<std::size_t>(rows[i])] =
        place[static_cast<std::size_t>(found.of_row[i])];
}

CrossValidation Folds::run(const CrossValidationOptions& how) {
  const std::vector<Rows> folds = classes_
                                      ? stratified_folds(training_.input.labels, how)
                                      : detail::folds_of(n(), how.folds, how.fold_type, how.seed);
  predicted_.assign(classes_ ? static_cast<std::size_t>(n()) : 0, 0);
  if (!classes_) errors_.resize(n(), training_.targets.values.dim());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    context_.check_cancelled();
    context_.report("cross-validation", static_cast<double>(f) / static_cast<double>(folds.size()));
    try {
      leave_out(folds[f]);
    } catch (const Error& error) {
      const auto hundred = static_cast<int>(error.code()) / 100;
      if (hundred != 1 && hundred != 2) throw;
      throw error.at(fmt::format("cross-validation, without fold {} of {}", f + 1, folds.size()));
    }
  }
  CrossValidation result = classes_ ? of_classes(folds) : of_numbers(folds);
  result.folds = how.folds;
  if (not_converged_ > 0)
    result.warnings.push_back({WarningCode::tolerance_not_reached,
                               fmt::format("cross-validation: {} of {} fits did not converge",
                                           not_converged_, how.folds)});
  return result;
}

// Standard error of the mean of one figure for each fold.
double error_of_mean(const Vector& figures) {
  const auto count = static_cast<double>(figures.size());
  return std::sqrt((figures.array() - figures.mean()).matrix().squaredNorm() / (count - 1) / count);
}

CrossValidation Folds::of_classes(const std::vector<Rows>& folds) const {
  const Labels& own = training_.input.labels;
  CrossValidation result;
  result.classifies = true;
  result.classes = table_of_classes(own.classes, predicted_, own);
  result.accuracy = result.classes.accuracy();
  Vector shares(static_cast<Index>(folds.size()));
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const auto right = std::ranges::count_if(folds[f], [&](Index row) {
      return predicted_[static_cast<std::size_t>(row)] == own.of_row[static_cast<std::size_t>(row)];
    });
    shares[static_cast<Index>(f)] =
        static_cast<double>(right) / static_cast<double>(folds[f].size());
  }
  result.accuracy_error = error_of_mean(shares);
  warn_of_small_classes(own, static_cast<Index>(folds.size()), result.warnings);
  const double largest = static_cast<double>(result.classes.count.rowwise().sum().maxCoeff()) /
                         static_cast<double>(n());
  if (result.accuracy <= largest)
    result.warnings.push_back(
        {WarningCode::no_better_than_mean,
         fmt::format("cross-validation: {:.2f} % of rows that were left out are right; the largest "
                     "class alone has {:.2f} %",
                     100 * result.accuracy, 100 * largest)});
  return result;
}

// d sqrt(m) = dm / (2 sqrt(m)).
CrossValidation Folds::of_numbers(const std::vector<Rows>& folds) const {
  const Index targets = errors_.cols();
  const Points y = training_.targets.values.to_points();
  const Vector variance = (y.rowwise() - y.colwise().mean()).colwise().squaredNorm().transpose() /
                          static_cast<double>(n());
  CrossValidation result;
  result.rmse =
      (errors_.colwise().squaredNorm().transpose() / static_cast<double>(n())).cwiseSqrt();
  result.rmse_error = result.r_squared = result.r_squared_error = Vector::Zero(targets);
  bool any_better = false;
  for (Index j = 0; j < targets; ++j) {
    Vector squares = Vector::Zero(static_cast<Index>(folds.size()));
    for (std::size_t f = 0; f < folds.size(); ++f)
      for (const Index row : folds[f])
        squares[static_cast<Index>(f)] +=
            errors_(row, j) * errors_(row, j) / static_cast<double>(folds[f].size());
    const double error = error_of_mean(squares), root = result.rmse[j];
    result.rmse_error[j] = root > 0 ? error / (2 * root) : 0;
    const double of = variance[j] > 0 ? variance[j] : std::numeric_limits<double>::quiet_NaN();
    result.r_squared[j] = 1 - root * root / of;
    result.r_squared_error[j] = error / of;
    any_better = any_better || result.r_squared[j] > 0;
  }
  if (!any_better)
    result.warnings.push_back(
        {WarningCode::no_better_than_mean,
         "cross-validation: rows that were left out are predicted no better than by the mean"});
  return result;
}

}  // namespace

CrossValidationOptions CrossValidationOptions::of(Index folds, const Value& method_options) {
  CrossValidationOptions how{.folds = folds};
  if (method_options["seed"].is_integer())
    how.seed = static_cast<std::uint64_t>(method_options["seed"].as_integer());
  if (method_options["fold-type"].is_text()) how.fold_type = method_options["fold-type"].as_text();
  return how;
}

void CrossValidation::add_to(Report& report) const {
  const auto add = [&](const char* name, Value value) {
    report.figures.push_back({name, std::move(value), true});
  };
  add("cv_folds", static_cast<double>(folds));
  if (classifies) {
    add("cv_accuracy", accuracy);
    add("cv_accuracy_se", accuracy_error);
    add("cv_recall", Value::of(classes.recall()));
    add("cv_precision", Value::of(classes.precision()));
    if (is_shown(classes.count.rows(), classes.count.cols()))
      add("cv_confusion", table_value(classes.count.cast<double>()));
  } else {
    add("cv_rmse", Value::of(rmse));
    add("cv_rmse_se", Value::of(rmse_error));
    add("cv_r_squared", Value::of(r_squared));
    add("cv_r_squared_se", Value::of(r_squared_error));
  }
  report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
}

void check_cross_validation(std::string_view method, Index folds) {
  const ModelKind& kind = model_kind(method);
  if (!kind.abilities.has(Ability::predicts)) {
    std::vector<std::string_view> able;
    for (const ModelKind* other : model_kinds())
      if (other->abilities.has(Ability::predicts)) able.push_back(other->name);
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("method {} predicts nothing that a cross-validation could judge", method),
        fmt::format("methods that predict: {}", fmt::join(able, ", ")));
  }
  if (folds < 2)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("{} fold{}: cross-validation needs at least 2", folds, folds == 1 ? "" : "s"),
        "5 or 10 are usual");
}

CrossValidation cross_validate(std::string_view method, const Training& training,
                               const Value& options, const CrossValidationOptions& how,
                               const Context& context) {
  check_cross_validation(method, how.folds);
  if (training.source != nullptr)
    throw Error(ErrorCode::bad_option_value,
                "cross-validation needs all rows in memory: these come in chunks",
                "read the table as a whole");
  const Index n = training.rows.n();
  if (how.folds > n)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("{} folds were asked for; there are {} rows", how.folds, grouped(n)),
                fmt::format("ask for at most {}: one row left out at a time", n));
  const ModelKind& kind = model_kind(method);
  const bool whole = kind.takes.labels == Need::must
                         ? static_cast<Index>(training.input.labels->of_row.size()) == n
                         : training.targets.values.n() == n;
  if (!whole) static_cast<void>(kind.prepare(training, options, context));  // says what is missing
  return Folds(kind, training, options, context).run(how);
}

}  // namespace mercer
