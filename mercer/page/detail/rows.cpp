// The scatter plot of the rows: a still picture for paper and for browsers without scripts, and the
// rows as data for the script.
#include "mercer/core/text.h"
#include "mercer/page/detail/content.h"
#include "mercer/plot/base64.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::page::detail {
namespace {

constexpr Index kRowsSent = 20'000;
constexpr Index kScoresSent = 180'000;  // scores in the page: 2 bytes each, 8/3 as text
constexpr Index kComponentsSent = 20;
constexpr std::size_t kNamesSent = 350'000;    // bytes of names
constexpr std::size_t kClassesSent = 100'000;  // bytes of their names

// The lower byte first.
std::string as_text(const std::vector<std::uint16_t>& numbers) {
  std::string bytes;
  bytes.reserve(2 * numbers.size());
  for (const std::uint16_t number : numbers) {
    bytes += static_cast<char>(number & 255);
    bytes += static_cast<char>(number >> 8);
  }
  return plot::base64(bytes);
}

// 65 535ths of the way from the lowest to the highest: the picture shows far fewer, and four digits
// of a number are right.
std::string column_json(const plot::PlotSource& source, Index column, Index step) {
  const auto scores = source.scores().col(column);
  const double low = scores.minCoeff(), high = scores.maxCoeff();
  std::vector<std::uint16_t> shares;
  for (Index i = 0; i < scores.size(); i += step)
    shares.push_back(static_cast<std::uint16_t>(
        high > low ? std::lround(65'535 * (scores[i] - low) / (high - low)) : 0));
  return fmt::format("{{\"name\":{},\"title\":{},\"low\":{},\"high\":{},\"values\":\"{}\"}}",
                     json_text(source.component_name(column)),
                     json_text(source.component_title(column)), exact(low), exact(high),
                     as_text(shares));
}

std::string names_json(const std::vector<std::string>& names, Index step) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); i += static_cast<std::size_t>(step)) {
    text += text.empty() ? '[' : ',';
    text += json_text(names[i]);
    if (text.size() > kNamesSent) return "null";
  }
  return text.empty() ? "null" : text + "]";
}

// What the script moves, hidden until it runs.
constexpr std::string_view kControls = R"(<div id="scatter" hidden>
<div class="controls">
<label><span>Across</span><select id="scatter-x"></select></label>
<label><span>Upwards</span><select id="scatter-y"></select></label>
<div class="buttons" role="group" aria-label="Zoom">
<button type="button" id="scatter-in" aria-label="Zoom in">+</button>
<button type="button" id="scatter-out" aria-label="Zoom out">−</button>
<button type="button" id="scatter-all">Show all</button>
</div>
<form id="scatter-find"><label><span>Find a row by name or number</span>
<input id="scatter-name" type="search" autocomplete="off"></label>
<button type="submit">Find</button></form>
</div>
<ul id="scatter-classes" class="classes" aria-label="Classes shown"></ul>
<div class="plot">
<canvas tabindex="0" role="img" aria-label="Scatter plot of the rows. Plus and minus zoom, 0 shows all, arrow keys move."></canvas>
<div id="scatter-tip" class="tip" hidden></div>
</div>
<p id="scatter-said" class="remark" role="status"></p>
</div>
)";

std::string still_caption(const plot::PlotSource& source) {
  std::string caption = source.score_columns() > 1
                            ? "Each dot is a row, at its scores on two components."
                            : "Each dot is a row, at its score across and its number upwards.";
  if (source.spectral() && source.report().spectrum->ratios.allFinite())
    caption += " The axes say how much of the variance each explains.";
  return caption;
}

}  // namespace

Index scatter_step(const plot::PlotSource& source) {
  return std::max<Index>(1, (source.scores().rows() + kRowsSent - 1) / kRowsSent);
}

std::string scatter_json(const plot::PlotSource& source) {
  const Index n = source.scores().rows(), step = scatter_step(source);
  const Index rows = (n + step - 1) / step;
  const Index components = std::min({source.score_columns(), kComponentsSent,
                                     std::max<Index>(2, kScoresSent / std::max<Index>(rows, 1))});
  std::string text = fmt::format("{{\"rows\":{},\"step\":{},\"components\":[", rows, step);
  for (Index k = 0; k < components; ++k) text += (k == 0 ? "" : ",") + column_json(source, k, step);
  const Labels& labels = source.labels();
  const bool classes = !labels.empty() && labels.classes.size() <= 65'535 &&
                       bytes_of(labels.classes) <= kClassesSent;
  text += fmt::format("],\"classTitle\":{},\"classes\":[", json_text(classes ? labels.name : ""));
  std::vector<std::uint16_t> group;
  for (std::size_t c = 0; classes && c < labels.classes.size(); ++c) {
    if (c > 0) text += ',';
    text += json_text(labels.classes[c]);
  }
  for (std::size_t i = 0; classes && i < labels.of_row.size(); i += static_cast<std::size_t>(step))
    group.push_back(static_cast<std::uint16_t>(labels.of_row[i]));
  text += classes ? fmt::format("],\"group\":\"{}\"", as_text(group)) : "],\"group\":null";
  return text + ",\"names\":" + names_json(source.names(), step) + "}";
}

void add_rows(Content& content) {
  const plot::PlotSource& source = content.source;
  if (source.score_columns() == 0) return;
  Html& html = content.html;
  html.open_section("rows", "Rows");
  if (!source.has_scores()) {
    html.paragraph(
        "The model keeps no scores of its training rows, so there is no picture of them here. With "
        "the table it can be made: mercer report MODEL TABLE");
    html.close_section();
    return;
  }
  const Index step = scatter_step(source);
  html.raw(
      "<p class=\"remark only-live\">Point at a row to see what it is. Click on the plot, and the "
      "wheel zooms; drag to move.</p>\n");
  html.raw(kControls);
  html.raw("<div class=\"still\">\n");
  add_picture(content, "scatter", still_caption(source), true);
  html.raw("</div>\n");
  if (step > 1)
    html.remark(
        fmt::format("The still picture shows all {}; the one that can be zoomed shows every "
                    "{}th of them, the first among them.",
                    counted(source.n(), "row"), step));
  html.raw("<script type=\"application/json\" id=\"scatter-data\">" + scatter_json(source) +
           "</script>\n");
  html.close_section();
}

}  // namespace mercer::page::detail
