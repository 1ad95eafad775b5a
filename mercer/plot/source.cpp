#include "mercer/plot/source.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/data/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::plot {
namespace {

// Shares of the components, by the name that methods without eigenvalues of a covariance give them.
constexpr std::array<std::string_view, 3> kShareFigures = {"x_explained", "discriminant_share",
                                                           "source_variance_share"};

Block number_table(const Value& value) {
  if (!value.is_list() || value.as_list().empty() || !value.as_list()[0].is_list()) return {};
  const Value::List& rows = value.as_list();
  Block table(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].as_list().size()));
  for (Index i = 0; i < table.rows(); ++i) {
    const Value& row = rows[static_cast<std::size_t>(i)];
    if (!row.is_list() || static_cast<Index>(row.as_list().size()) != table.cols()) return {};
    for (Index j = 0; j < table.cols(); ++j) {
      const Value& cell = row.as_list()[static_cast<std::size_t>(j)];
      if (!cell.is_number()) return {};
      table(i, j) = cell.as_number();
    }
  }
  return table;
}

bool is_training_table(const Model& model, const Dataset& rows) {
  return rows.n() == model.report.n && fingerprint(rows) == model.input.fingerprint;
}

}  // namespace

void refuse_without_table(const Model& model, std::string_view wanted) {
  throw Error(ErrorCode::needs_table,
              fmt::format("this {} model does not keep {}", model.kind(), wanted),
              "give the table, too: mercer plot MODEL TABLE");
}

PlotSource::PlotSource(const Model& model, std::optional<PlotTable> table, const Context& context,
                       RowMarks marks)
    : model_(model), table_(std::move(table)), context_(context), marks_(std::move(marks)) {}

Index PlotSource::score_columns() const {
  const auto* able = ability<Transforms>(model_);
  return able == nullptr ? 0 : able->score_columns();
}

bool PlotSource::has_scores() const {
  if (score_columns() == 0) return false;
  return has_table() || need<Transforms>(model_).knows_training_scores();
}

const Block& PlotSource::scores() const {
  if (scores_) return *scores_;
  const auto& able = need<Transforms>(model_);
  if (!has_table()) {
    if (!able.knows_training_scores())
      refuse_without_table(model_, "the scores of its training rows");
    scores_ = able.known_scores(context_);
  } else if (of_training()) {
    scores_ = able.training_scores(table_->rows, context_);
  } else {
    scores_ = able.transform(table_->rows, context_);
  }
  return *scores_;
}

// Sources, say, are found among the components of a spectrum and are others than those.
bool PlotSource::spectral() const {
  const auto& spectrum = report().spectrum;
  return spectrum && spectrum->eigenvalues.size() == score_columns() &&
         std::ranges::all_of(kShareFigures, [&](auto name) { return figure(name).is_null(); });
}

std::string PlotSource::component_name(Index component) const {
  return fmt::format("PC{}", component + 1);
}

std::string PlotSource::component_title(Index component) const {
  std::string title = component_name(component);
  if (spectral()) {
    const Spectrum& spectrum = *report().spectrum;
    const double share = spectrum.ratios[component], bound = spectrum.ratio_bounds()[component];
    if (std::isfinite(share)) return title + fmt::format(" ({:.1f} %)", 100 * share);
    if (std::isfinite(bound)) return title + fmt::format(" (≤ {:.1f} %)", 100 * bound);
    return title;
  }
  for (const std::string_view name : kShareFigures) {
    const Value& shares = figure(name);
    if (!shares.is_list() || component >= static_cast<Index>(shares.as_list().size())) continue;
    const Value& share = shares.as_list()[static_cast<std::size_t>(component)];
    if (share.is_number()) return title + fmt::format(" ({:.1f} %)", 100 * share.as_number());
  }
  return title;
}

bool PlotSource::has_rows() const { return has_table() || model_.stored_rows() != nullptr; }

const Dataset& PlotSource::rows() const {
  if (has_table()) return table_->rows;
  if (rows_) return *rows_;
  const Dataset* stored = model_.stored_rows();
  if (stored == nullptr) refuse_without_table(model_, "its training rows");
  if (!model_.scaler.active()) {
    rows_ = stored->numbers();
  } else {
    rows_ = Dataset(model_.scaler.undo(stored->view().to_points()));
  }
  return *rows_;
}

Index PlotSource::n() const { return has_table() ? table_->rows.n() : report().n; }

bool PlotSource::of_training() const {
  if (!has_table()) return true;
  if (!of_training_) of_training_ = is_training_table(model_.first(), table_->rows);
  return *of_training_;
}

const Labels& PlotSource::labels() const {
  if (marks_.labels) return *marks_.labels;
  return has_table() ? table_->rows.labels : *model_.input.labels;
}

const std::vector<std::string>& PlotSource::names() const {
  if (!marks_.names.empty()) return marks_.names;
  return has_table() ? table_->rows.ids : *model_.input.row_names;
}

std::string PlotSource::column_name(Index column) const {
  const auto& names = *model_.first().input.column_names;
  const auto at = static_cast<std::size_t>(column);
  return at < names.size() ? names[at] : fmt::format("column {}", column + 1);
}

Index PlotSource::column(std::string_view name) const {
  const auto& names = *model_.first().input.column_names;
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Index>(found - names.begin());
  const Index dim = model_.first().report.dim;
  if (const auto number = parse_number(name); number && *number >= 1 &&
                                              *number <= static_cast<double>(dim) &&
                                              *number == std::floor(*number))
    return static_cast<Index>(*number) - 1;
  constexpr std::size_t kFewNames = 1000;  // others are not worth a search for the nearest
  throw Error(ErrorCode::unknown_column,
              fmt::format("the model has no column \"{}\"", printable(name)),
              names.empty() || names.size() > kFewNames ? fmt::format("columns are 1 to {}", dim)
                                                        : suggest(name, names, "columns"));
}

const Value& PlotSource::figure(std::string_view name) const {
  static const Value none;
  for (const mercer::Figure& figure : report().figures)
    if (figure.name == name) return figure.value;
  return none;
}

const Block& PlotSource::loadings() const {
  if (!loadings_) {
    Block stated = number_table(figure("loadings"));
    const bool fits = stated.rows() == report().dim && stated.cols() == score_columns();
    loadings_ = fits ? std::move(stated) : linear_loadings();
  }
  return *loadings_;
}

// Columns of the map from scores back to the table, where that map is linear.
Block PlotSource::linear_loadings() const {
  constexpr Index kMostNumbers = 20'000'000;  // of rows that are mapped back
  const auto* able = ability<Inverts>(model_);
  const Index k = score_columns(), dim = report().dim;
  if (able == nullptr || k == 0 || (2 * k + 1) * dim > kMostNumbers || model_.on != nullptr)
    return {};
  Block units = Block::Zero(2 * k + 1, k);
  units.middleRows(1, k) = Block::Identity(k, k);
  units.bottomRows(k) = 2 * Block::Identity(k, k);
  const Points back = able->inverse(units, context_);
  const Points once = back.middleRows(1, k).rowwise() - back.row(0);
  const Points twice = back.bottomRows(k).rowwise() - back.row(0);
  if (!((twice - 2 * once).cwiseAbs().maxCoeff() <= 1e-6 * once.cwiseAbs().maxCoeff())) return {};
  return once.transpose();
}

const std::vector<Index>& PlotSource::image_shape() const {
  if (!marks_.image_shape.empty()) return marks_.image_shape;
  if (has_table() && !table_->image_shape.empty()) return table_->image_shape;
  return model_.first().input.image_shape;
}

}  // namespace mercer::plot
