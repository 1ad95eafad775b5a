#include "mercer/page/page.h"

#include "mercer/core/version.h"
#include "mercer/page/detail/content.h"
#include "mercer/page/detail/sha256.h"
#include "mercer/plot/base64.h"
#include "mercer/plot/svg.h"

#include <fmt/format.h>

extern "C" {
extern const unsigned char mercer_asset_page_style[];
extern const unsigned long mercer_asset_page_style_size;
extern const unsigned char mercer_asset_page_script[];
extern const unsigned long mercer_asset_page_script_size;
}

namespace mercer::page {
namespace {

using detail::Content;
using plot::escaped;

std::string_view asset(const unsigned char* bytes, unsigned long size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// What a browser compares before it takes a script or style that stands in the page.
std::string named_by_hash(std::string_view content) {
  const auto hash = detail::sha256(content);
  return "'sha256-" + plot::base64({reinterpret_cast<const char*>(hash.data()), hash.size()}) + "'";
}

// Nothing is fetched from anywhere, and of scripts and styles only ours are run: whatever a table
// holds, a browser that knows content security policies takes it for text.
std::string policy(std::string_view style, std::string_view script) {
  return fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src {}; script-src {}; base-uri 'none'; form-action 'none'\">\n",
      named_by_hash(style), named_by_hash(script));
}

// The sections that are there, in the order of the page.
std::string contents(const std::vector<detail::Html::Section>& sections) {
  std::string out = "<nav aria-label=\"Contents\">\n<ul>\n";
  for (const detail::Html::Section& section : sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escaped(section.heading));
  return out + "</ul>\n</nav>\n";
}

}  // namespace

Page page_of(const plot::PlotSource& source, const PageOptions& options) {
  Content content{source, options};
  detail::add_glance(content);
  detail::add_warnings(content);
  detail::add_rows(content);
  detail::add_components(content);
  detail::add_certificate(content);
  detail::add_maps(content);
  detail::add_figures(content);
  detail::add_data(content);
  detail::add_method(content);
  detail::add_plan(content);
  detail::add_origin(content);

  const std::string title = escaped(detail::title_of(content));
  const std::string style =
      detail::colour_styles() +
      std::string(asset(mercer_asset_page_style, mercer_asset_page_style_size));
  const std::string_view script = asset(mercer_asset_page_script, mercer_asset_page_script_size);
  std::string html(kBeginning);
  html += fmt::format("{}\">\n", escaped(version()));
  html += policy(style, script);
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", title, style);
  html += "<a class=\"skip\" href=\"#main\">To the report</a>\n<header>\n";
  html += fmt::format("<h1>{}</h1>\n", title);
  html += "<p class=\"lead\">Report of a model</p>\n" + contents(content.html.sections()) +
          "</header>\n<main id=\"main\">\n";
  html += content.html.text();
  html += fmt::format(
      "</main>\n<footer>\n<p>Made by Mercer {}. The page is complete in itself: it "
      "fetches nothing.</p>\n</footer>\n",
      escaped(version()));
  html += fmt::format("<script>{}</script>\n</body>\n</html>\n", script);
  return {std::move(html), std::move(content.figures), std::move(content.left_out)};
}

}  // namespace mercer::page
