#include "mercer/models/prepare.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/data/column_scales.h"
#include "mercer/data/fingerprint.h"
#include "mercer/data/observed.h"
#include "mercer/data/row_source.h"
#include "mercer/models/class_counts.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

void check_shape(Index n, Index dim) {
  require(n > 0, ErrorCode::no_rows, "the table has no rows");
  require(dim > 0, ErrorCode::nothing_numeric, "the table has no numeric column");
  require(n >= 2, ErrorCode::too_few_rows, "the table has 1 row; fitting needs at least 2",
          "fit on more rows");
}

// The columns there are, for somebody who must name one of them: most often one that was set aside.
std::string columns_text(const InputInfo& input) {
  constexpr std::size_t kNamed = 8;
  const std::vector<std::string>& names = input.column_names;
  std::vector<std::string> used, aside;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i)
    used.push_back(printable(names[i]));
  if (names.size() > kNamed) used.emplace_back("...");
  const std::vector<SetAside>& others = input.use.set_aside;
  for (std::size_t i = 0; i < std::min(kNamed, others.size()); ++i)
    aside.push_back(fmt::format("{} ({})", printable(others[i].name), printable(others[i].reason)));
  if (input.use.set_aside_count > static_cast<Index>(kNamed)) aside.emplace_back("...");
  return (used.empty() ? "" : fmt::format("; the columns are {}", fmt::join(used, ", "))) +
         (aside.empty() ? "" : fmt::format("; set aside: {}", fmt::join(aside, ", ")));
}

// Every row has a class.
void check_classes(const Labels& labels) {
  std::vector<bool> none;
  for (const std::string& name : labels.classes) none.push_back(is_no_class(name));
  Index without = 0, first = 0;
  for (std::size_t i = 0; i < labels.of_row.size(); ++i) {
    const auto own = static_cast<std::size_t>(labels.of_row[i]);
    if (none[own] && without++ == 0) first = static_cast<Index>(i) + 1;
  }
  if (without > 0)
    throw Error(
        ErrorCode::rows_without_class,
        fmt::format("{} of {} rows {} no class; the first is row {}", grouped(without),
                    grouped(static_cast<Index>(labels.of_row.size())),
                    without == 1 ? "has" : "have", grouped(first)),
        "leave those rows out of the table that is fitted; predict tells their classes then, and "
        "kernel_bda takes them as rows to be ranked");
}

// Only classes that some row has: after rows were left out there may be others.
Labels used_classes(const Labels& labels) {
  std::vector<bool> used(labels.classes.size());
  for (const Index own : labels.of_row) used[static_cast<std::size_t>(own)] = true;
  Labels kept{labels.name, {}, {}};
  std::vector<Index> place;
  for (std::size_t c = 0; c < used.size(); ++c) {
    place.push_back(static_cast<Index>(kept.classes.size()));
    if (used[c]) kept.classes.push_back(labels.classes[c]);
  }
  kept.of_row.reserve(labels.of_row.size());
  for (const Index own : labels.of_row) kept.of_row.push_back(place[static_cast<std::size_t>(own)]);
  return kept;
}

void check_two_classes(std::string_view method, const Takes& takes, const Labels& labels) {
  if (takes.labels != Need::must || takes.unlabelled || labels.classes.size() >= 2) return;
  throw Error(
      ErrorCode::one_class,
      fmt::format("method {} tells classes apart, and all {} rows are of one: \"{}\"", method,
                  grouped(static_cast<Index>(labels.of_row.size())), printable(labels.classes[0])),
      "fit on rows of two classes or more, or name another column: --label COLUMN");
}

void check_labels(std::string_view method, const Training& training, const Takes& takes, Index n) {
  const Labels& labels = *training.input.labels;
  const bool any = !labels.empty();
  if (any && static_cast<Index>(labels.of_row.size()) != n)
    throw Error(ErrorCode::labels_do_not_fit,
                fmt::format("{} rows have {} labels", grouped(n), labels.of_row.size()));
  if (takes.labels != Need::must) return;
  if (any && !takes.unlabelled) check_classes(labels);
  if (any) return;
  throw Error(ErrorCode::needs_labels,
              fmt::format("method {} learns from classes, and there are none", method),
              "name the column that holds them: --label COLUMN" + columns_text(training.input));
}

void check_targets(std::string_view method, const Training& training, Need need, Index n) {
  const DataView& values = training.targets.values;
  const bool any = values.dim() > 0;
  if (any && need == Need::no)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("method {} has no numbers to predict", method),
                "drop --target, or use a method that predicts: mercer list methods");
  if (any && values.n() != n)
    throw Error(ErrorCode::labels_do_not_fit,
                fmt::format("{} rows have {} targets", grouped(n), grouped(values.n())));
  if (any) static_cast<void>(power_of_two_scale(values, {}));  // throws M212
  if (any || need != Need::must) return;
  throw Error(ErrorCode::needs_targets,
              fmt::format("method {} learns to predict numbers, and there are none", method),
              "name the columns that hold them: --target COLUMNS" + columns_text(training.input));
}

void check_weights(std::string_view method, const Training& training, bool taken, Index n) {
  const DataView& weights = training.weights;
  if (weights.n() == 0 && weights.dim() == 0) return;
  if (!taken)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("method {} has no weights of pairs", method),
                "drop --weights, or use a method that has them: metric_mds");
  if (weights.n() != n || weights.dim() != n)
    throw Error(ErrorCode::not_square,
                fmt::format("weights of pairs have one row and one column for each of {} rows; "
                            "these are {} x {}",
                            grouped(n), weights.n(), weights.dim()),
                "give the weights of the same samples in the same order");
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (const double weight = weights.at(i, j); !(weight >= 0 && weight <= 1e150))
        throw Error(ErrorCode::bad_option_value,
                    fmt::format("a weight is {:.6g}; weights are numbers from 0 to 1e150", weight),
                    "a pair that is not to count has weight 0",
                    fmt::format("row {}, column {} of the weights", i + 1, j + 1));
}

void check_start(std::string_view method, const Training& training, bool taken, Index n) {
  if (training.start == nullptr) return;
  if (!taken) refuse_start(method);
  if (training.start->rows() != n)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("the start has {} rows, the table has {}",
                            grouped(training.start->rows()), grouped(n)),
                "start from a model of the same rows");
}

// Scaling makes a copy, which is counted while it lives.
std::shared_ptr<const Dataset> scaled_copy(DataView rows, const Scaler& scaler,
                                           const Context& context) {
  MemoryAccount::Hold held = context.hold(sizeof(double) * static_cast<std::uint64_t>(rows.n()) *
                                              static_cast<std::uint64_t>(rows.dim()),
                                          "the scaled rows");
  auto copy = std::make_shared<Dataset>(scaler.apply(rows, context));
  held = {};
  copy->hold(context);
  return copy;
}

std::shared_ptr<const Dataset> written_out(std::string_view method, DataView rows,
                                           std::string_view instead, const Context& context) {
  const auto need =
      static_cast<std::uint64_t>(rows.n()) * static_cast<std::uint64_t>(rows.dim()) * 8;
  if (need > context.memory_left())
    throw Error(ErrorCode::over_memory,
                fmt::format("{} writes sparse rows out: {} for {} x {}, the memory budget is {}",
                            method, bytes(need), grouped(rows.n()), grouped(rows.dim()),
                            bytes(context.budget.memory)),
                instead.empty() ? "fit on fewer rows or columns" : std::string(instead));
  MemoryAccount::Hold held = context.hold(need, "sparse rows written out in full");
  auto copy = std::make_shared<Dataset>(rows.to_points());
  held = {};
  copy->hold(context);
  return copy;
}

void look_at(Prepared& ready, const PrepareSettings& settings, const Context& context) {
  ready.overview = look_over(ready.rows, context);
  if (ready.overview.all_rows_equal && settings.needs_difference)
    throw Error(ErrorCode::all_rows_equal,
                fmt::format("all {} rows are identical: nothing to find", ready.rows.n()),
                "check that the right columns were read");
  ready.warnings = warnings_about(ready.overview, ready.rows.type());
  if (settings.scale != Scaling::none || settings.unit_free) return;
  const Warnings scales =
      warnings_about_scales(ready.rows, ready.overview, *ready.input.column_names, context);
  ready.warnings.insert(ready.warnings.end(), scales.begin(), scales.end());
}

void replace_rows(Prepared& ready, std::shared_ptr<const Dataset> copy) {
  ready.owner = std::move(copy);
  ready.rows = ready.owner->view();
}

}  // namespace

Prepared sizes_of(const Training& training, const Takes& takes, const PrepareSettings& settings,
                  Context& context) {
  static constexpr double kAny = 0.5;  // one number stands for all
  Prepared sizes;
  sizes.sizes_only = true;
  if (training.source != nullptr) {
    sizes.source = training.source;
    sizes.rows = sizes_view(*training.source);
    return sizes;
  }
  const Index n = training.rows.n(), dim = training.rows.dim();
  const bool copied = settings.scale != Scaling::none || (training.rows.sparse() && !takes.sparse);
  sizes.rows = copied ? DataView(&kAny, Scalar::f64, n, dim, 0, 0) : training.rows;
  if (copied)
    context.budget.taken +=
        sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(dim);
  if (copied || training.owner != nullptr) sizes.owner = std::make_shared<const Dataset>();
  return sizes;
}

Prepared prepare(std::string_view method, const Training& training, const Takes& takes,
                 const PrepareSettings& settings, const Context& context) {
  Prepared ready;
  ready.rows = training.rows;
  ready.source = training.source;
  ready.targets = training.targets.values;
  ready.weights = training.weights;
  ready.start = training.start;
  ready.input = training.input;
  ready.input.target_names = training.targets.names;
  if (training.source != nullptr && !takes.chunks)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("method {} needs all rows in memory", method),
                "read the table as a whole");
  const Index n = training.source != nullptr ? training.source->n() : training.rows.n();
  check_shape(n, training.source != nullptr ? training.source->dim() : training.rows.dim());
  check_labels(method, training, takes, n);
  if (takes.labels == Need::must) ready.input.labels = used_classes(training.input.labels);
  check_targets(method, training, takes.targets, n);
  check_weights(method, training, takes.weights, n);
  check_start(method, training, takes.start, n);
  if (training.source != nullptr) {
    if (settings.scale == Scaling::whiten)
      throw Error(ErrorCode::bad_option_value,
                  "--scale whiten needs all rows in memory: these come in chunks",
                  "use --scale standard; scores that are uncorrelated and of variance 1 are those "
                  "of --whiten pca");
    ready.rows = sizes_view(*training.source);  // the method looks at the rows itself
    return ready;
  }

  if (training.owner != nullptr) ready.ids = &training.owner->ids;
  if (training.owner != nullptr)
    ready.owner = std::make_shared<const Dataset>(training.owner->numbers());
  ready.input.fingerprint = fingerprint(ready.rows);
  if (settings.pairs) {  // the method looks at a matrix of pairs itself
    check_two_classes(method, takes, ready.labels());
    return ready;
  }
  const bool gaps = takes.missing && has_gaps(ready.rows, context);
  if (gaps) {
    if (settings.scale != Scaling::none)
      ready.scaler = Scaler(settings.scale, summarize_observed(ready.rows, context).summary);
  } else {
    look_at(ready, settings, context);
    ready.scaler = Scaler(settings.scale, ready.rows, context);
  }
  check_two_classes(method, takes, ready.labels());
  if (ready.scaler.active()) replace_rows(ready, scaled_copy(ready.rows, ready.scaler, context));
  if (ready.rows.sparse() && !takes.sparse)
    replace_rows(ready, written_out(method, ready.rows, takes.instead_of_sparse, context));
  return ready;
}

}  // namespace mercer
