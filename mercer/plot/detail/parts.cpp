#include "mercer/plot/detail/parts.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot::detail {
namespace {

constexpr double kBeyond = 0.05;  // of the span, on both sides of data
constexpr Index kRampSteps = 64;

// "PC2", "pc2", "2": the number, or nothing.
std::optional<Index> component_number(std::string_view text) {
  if (text.size() > 2 && (text[0] == 'P' || text[0] == 'p') && (text[1] == 'C' || text[1] == 'c'))
    text.remove_prefix(2);
  const auto number = parse_number(text);
  if (!number || *number != std::floor(*number) || std::abs(*number) > 1e9) return {};
  return static_cast<Index>(*number);
}

Colouring by_class(const Labels& labels, const Theme& theme) {
  Colouring colouring;
  colouring.legend_title = labels.name;
  for (std::size_t i = 0; i < labels.classes.size(); ++i) {
    const Look look = look_of_class(static_cast<Index>(i), theme);
    colouring.looks.push_back(look);
    const std::string& name = labels.classes[i];
    colouring.legend.push_back({name.empty() ? "(none)" : name, look});
  }
  colouring.group = labels.of_row;
  return colouring;
}

Colouring by_number(const std::vector<double>& values, std::string title, const Theme& theme) {
  Colouring colouring;
  Extent extent = extent_of(values);
  if (!(extent.span() > 0)) extent = widened(extent, 0);
  ColourBar bar{std::move(title), extent, {}};
  for (Index i = 0; i < kRampSteps; ++i)
    bar.colours.push_back(theme.ramp(static_cast<double>(i) / (kRampSteps - 1)));
  for (const double value : values) {
    const double share = (value - extent.low) / extent.span();
    // As many colours as the bar has: dots of one colour are drawn together.
    const auto step =
        std::isfinite(share) ? static_cast<std::size_t>(std::lround(share * (kRampSteps - 1))) : 0;
    colouring.colours.push_back(std::isfinite(share) ? bar.colours[step] : theme.muted);
  }
  colouring.bar = std::move(bar);
  return colouring;
}

std::vector<double> numbers_of_column(DataView rows, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < rows.n(); ++i) values.push_back(rows.at(i, column));
  return values;
}

// sigma=48.55924216871593 as sigma=48.56: a heading is no record.
std::string with_short_numbers(const std::string& text) {
  constexpr std::string_view kOfNumbers = "0123456789.";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(kOfNumbers, at), text.size());
    const std::string part = text.substr(at, end - at);
    const auto number = parse_number(part);
    out += number && part.size() > 6 && part.find('.') != part.npos ? brief(*number) : part;
    if (end == at) out += text[at];
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace

Index component_of(const std::string& text, Index otherwise, const PlotSource& source) {
  if (text.empty()) return otherwise;
  const auto number = component_number(text);
  const Index count = source.score_columns();
  if (number && *number >= 1 && *number <= count) return *number - 1;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("the model has no component \"{}\": it has {}", printable(text), count),
              count == 1 ? "give PC1" : fmt::format("give one of PC1 to PC{}", count));
}

std::string refuse_fewer_scores(const PlotSource& source, Index least) {
  const Index count = source.score_columns();
  if (count == 0) return "it has no scores";
  if (count >= least) return "";
  return fmt::format("it has {} component{}, {} are needed", count, count == 1 ? "" : "s", least);
}

std::vector<double> column_of(ConstBlockRef scores, Index column) {
  return {scores.col(column).data(), scores.col(column).data() + scores.rows()};
}

void Colouring::put_into(DotLayer& dots) const {
  dots.looks = looks;
  dots.group = group;
  dots.colours = colours;
}

void Colouring::put_into(Figure& figure) const {
  figure.legend_title = legend_title;
  figure.legend = legend;
  figure.bar = bar;
}

Colouring colouring_of(const PlotSource& source, const PlotOptions& options) {
  const Labels& labels = source.labels();
  const std::string& wanted = options.colour;
  const RowMarks& marks = source.marks();
  if (wanted.empty() && !marks.numbers.empty())
    return by_number(marks.numbers, marks.numbers_name, options.theme);
  if (wanted == "none" || (wanted.empty() && labels.empty()))
    return {.looks = {{options.theme.main()}}};
  const bool own_name = !labels.empty() && !labels.name.empty() && wanted == labels.name;
  if (wanted.empty() || wanted == "label" || own_name) {
    if (labels.empty())
      throw Error(ErrorCode::bad_option_value, "--colour label: the rows have no classes",
                  "give a column or a component, such as PC1");
    return by_class(labels, options.theme);
  }
  const bool component =
      component_number(wanted).has_value() && (wanted[0] == 'P' || wanted[0] == 'p');
  if (component && source.score_columns() > 0) {
    const Index at = component_of(wanted, 0, source);
    return by_number(column_of(source.scores(), at), source.component_name(at), options.theme);
  }
  const Index column = source.column(wanted);
  return by_number(numbers_of_column(source.rows().view(), column), source.column_name(column),
                   options.theme);
}

void put_names(const PlotSource& source, const PlotOptions& options, DotLayer& dots) {
  const std::vector<std::string>& names = source.names();
  const Labels& labels = source.labels();
  const auto name_of = [&](std::size_t i) {
    return i < names.size() ? names[i] : std::to_string(i + 1);
  };
  for (std::size_t i = 0; options.names && i < dots.x.size(); ++i) dots.names.push_back(name_of(i));
  for (std::size_t i = 0; options.titles && i < dots.x.size(); ++i) {
    std::string title = i < names.size() ? names[i] : fmt::format("row {}", i + 1);
    if (!labels.empty()) title += ", " + labels.classes[static_cast<std::size_t>(labels.of_row[i])];
    dots.titles.push_back(std::move(title));
  }
}

Axis axis_of(std::string title, const std::vector<double>& values) {
  return {.title = std::move(title), .extent = widened(extent_of(values), kBeyond)};
}

std::string title_of(const PlotSource& source) {
  const Model& model = source.model();
  std::string title(model.kind());
  if (const std::string& name = model.first().input.name; !name.empty()) title += " of " + name;
  if (source.has_table() && !source.of_training()) title += ", new rows";
  return title;
}

std::string subtitle_of(const PlotSource& source) {
  const Value kernel = source.model().kernel_description();
  if (kernel["spec"].is_text()) return "kernel " + with_short_numbers(kernel["spec"].as_text());
  return "";
}

Panel scatter_panel(const PlotSource& source, const PlotOptions& options, Index x, Index y,
                    const Colouring& colouring) {
  const Block& scores = source.scores();
  DotLayer dots;
  dots.x = column_of(scores, x);
  if (y < scores.cols()) {
    dots.y = column_of(scores, y);
  } else {
    // Of one component only: rows side by side, in their order.
    for (Index i = 0; i < scores.rows(); ++i) dots.y.push_back(static_cast<double>(i + 1));
  }
  Panel panel;
  panel.x = axis_of(source.component_title(x), dots.x);
  panel.y = axis_of(y < scores.cols() ? source.component_title(y) : "row", dots.y);
  panel.equal = y < scores.cols() && source.model().keeps_distances();
  colouring.put_into(dots);
  put_names(source, options, dots);
  panel.layers.push_back(std::move(dots));
  return panel;
}

Panel scree_panel(const PlotSource& source, const PlotOptions& options) {
  const Spectrum& spectrum = *source.report().spectrum;
  constexpr Index kMostBars = 50;
  const Index shown =
      std::min(options.count > 0 ? options.count : kMostBars, spectrum.eigenvalues.size());
  const bool shares = spectrum.ratios.head(shown).allFinite();
  const Vector values = shares
                            ? Vector(100 * spectrum.ratios)
                            : Vector(spectrum.eigenvalues / static_cast<double>(source.report().n));
  // Colours of classes stand beside it: bars of one of them would be read as that class.
  const bool classes = !source.labels().empty();
  BarLayer bars{.colour = classes ? options.theme.muted.faded(0.7) : options.theme.main()};
  DotLayer sums{.looks = {{options.theme.ink}}, .radius = shown > 20 ? 2.0 : 3.0};
  double sum = 0;
  for (Index i = 0; i < shown; ++i) {
    sum += values[i];
    bars.x.push_back(static_cast<double>(i + 1));
    bars.value.push_back(values[i]);
    sums.x.push_back(static_cast<double>(i + 1));
    sums.y.push_back(sum);
  }
  LineLayer line{{{}}, Pen{options.theme.ink, 1.3}};
  for (std::size_t i = 0; i < sums.x.size(); ++i) line.lines[0].push_back({sums.x[i], sums.y[i]});
  Panel panel;
  panel.x = {
      .title = "component", .extent = {0.4, static_cast<double>(shown) + 0.6}, .whole = true};
  const double top = std::max(shares ? sum : values.maxCoeff(), 1e-300);
  panel.y = {.title = shares ? "explained variance (%)" : "variance", .extent = {0, 1.06 * top}};
  panel.layers.push_back(std::move(bars));
  if (shares) {
    panel.layers.push_back(std::move(line));
    panel.layers.push_back(std::move(sums));
  }
  return panel;
}

bool has_loadings(const PlotSource& source) { return source.loadings().size() > 0; }

}  // namespace mercer::plot::detail
