// Which classes are taken for which: rows of the true class, columns of the predicted one.
#include "mercer/core/error.h"
#include "mercer/plot/detail/parts.h"
#include "mercer/plot/kind.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::plot {
namespace confusion_kind {
namespace {

constexpr std::size_t kMostNumbers = 14;  // classes whose counts are written out

const Predicts* classifier(const PlotSource& source) {
  const auto* able = ability<Predicts>(source.model());
  return able != nullptr && able->classifies() ? able : nullptr;
}

std::string refuse(const PlotSource& source) {
  return classifier(source) != nullptr ? "" : "it does not predict classes";
}

bool ready(const PlotSource& source) { return source.has_rows() && !source.labels().empty(); }

int wanted(const PlotSource&) { return 75; }

// Counts: a row for each true class, of the table or the training, a column for each that is known.
Block counts_of(const PlotSource& source, const std::vector<std::string>& known) {
  const Labels& truth = source.labels();
  const Block figures = classifier(source)->predict(source.rows(), source.context());
  Block counts =
      Block::Zero(static_cast<Index>(truth.classes.size()), static_cast<Index>(known.size()));
  for (Index i = 0; i < figures.rows(); ++i) {
    Index best = 0;
    figures.row(i).maxCoeff(&best);
    counts(truth.of_row[static_cast<std::size_t>(i)], best) += 1;
  }
  return counts;
}

// The shade of a cell by its share of the true class.
Colour shade_of(const Block& counts, Index r, Index c, const Theme& theme) {
  const double share = counts(r, c) / std::max(1.0, counts.row(r).sum());
  return mix(theme.background, theme.main(), 0.9 * share + (share > 0 ? 0.08 : 0));
}

ImageLayer cells_of(const Block& counts, const Theme& theme) {
  const Index rows = counts.rows(), columns = counts.cols();
  ImageLayer image{{-0.5, static_cast<double>(columns) - 0.5},
                   {-0.5, static_cast<double>(rows) - 0.5},
                   columns,
                   rows,
                   {},
                   false};
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      const Colour colour = shade_of(counts, r, c, theme);
      image.rgba.insert(image.rgba.end(), {colour.red, colour.green, colour.blue, 255});
    }
  return image;
}

// Counts in their cells, each in whichever colour is read better there.
void add_numbers(const Block& counts, const Theme& theme, Panel& panel) {
  TextLayer ink{{}, {}, theme.ink}, paper{{}, {}, theme.background};
  for (Index r = 0; r < counts.rows(); ++r)
    for (Index c = 0; c < counts.cols(); ++c) {
      if (counts(r, c) == 0) continue;
      const Colour cell = shade_of(counts, r, c, theme);
      TextLayer& own = contrast(theme.ink, cell) >= contrast(theme.background, cell) ? ink : paper;
      own.at.push_back({static_cast<double>(c), static_cast<double>(r)});
      own.texts.push_back(fmt::format("{}", counts(r, c)));
    }
  panel.layers.push_back(std::move(ink));
  panel.layers.push_back(std::move(paper));
}

Figure make(const PlotSource& source, const PlotOptions& options) {
  if (source.labels().empty())
    throw Error(ErrorCode::bad_option_value, "the rows have no classes to compare predictions with",
                "give a table with a column of classes (--label)");
  const std::vector<std::string> known = classifier(source)->prediction_names();
  const std::vector<std::string>& truth = source.labels().classes;
  const Block counts = counts_of(source, known);
  double right = 0;
  for (std::size_t r = 0; r < truth.size(); ++r)
    for (std::size_t c = 0; c < known.size(); ++c)
      if (truth[r] == known[c]) right += counts(static_cast<Index>(r), static_cast<Index>(c));
  Figure figure{.title = detail::title_of(source),
                .subtitle = fmt::format("{:.1f} % of {} {} rows right",
                                        100 * right / std::max(1.0, counts.sum()), counts.sum(),
                                        source.of_training() ? "training" : "new"),
                .panels = {},
                .width = 560,
                .height = 520};
  Panel& panel = figure.panels.emplace_back();
  panel.x = {.title = "predicted",
             .extent = {-0.5, static_cast<double>(known.size()) - 0.5},
             .names = known};
  panel.y = {
      .title = "true", .extent = {-0.5, static_cast<double>(truth.size()) - 0.5}, .names = truth};
  panel.y.falling = true;
  panel.layers.push_back(cells_of(counts, options.theme));
  if (truth.size() <= kMostNumbers && known.size() <= kMostNumbers)
    add_numbers(counts, options.theme, panel);
  return figure;
}

}  // namespace
}  // namespace confusion_kind

const PlotKind& confusion_plot() {
  using namespace confusion_kind;
  static constexpr PlotKind kind{
      "confusion", "which classes are taken for which", refuse, ready, wanted, make, ""};
  return kind;
}

}  // namespace mercer::plot
