// Pictures that follow the colours of the page. A drawing is made in both themes; where the dark
// one is the light one in other colours, one drawing is enough and a style exchanges the colours.
// Where pixels differ (maps, images), both are in the page and a style shows one of them.
#include "mercer/core/error.h"
#include "mercer/page/detail/content.h"
#include "mercer/plot/draw.h"
#include "mercer/plot/svg.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace mercer::page::detail {
namespace {

// All of a page's pictures together: with rows of 20 000 points and all else below 2 MB.
constexpr std::size_t kMostBytes = 950'000;
constexpr std::size_t kManyDots = 4000;  // of more an image is smaller than a drawing
constexpr Index kTitledDots = 500;       // that say their rows' names when they are pointed at
constexpr double kWidth = 680, kHeight = 440;  // where the figure does not say what suits it

using Exchange = std::pair<std::string, std::string>;

// Each colour of the light theme and what stands for it in the dark one.
std::vector<Exchange> exchanges() {
  const plot::Theme light = plot::Theme::light(), dark = plot::Theme::dark_one();
  std::vector<Exchange> all = {{light.background.hex(), dark.background.hex()},
                               {light.ink.hex(), dark.ink.hex()},
                               {light.muted.hex(), dark.muted.hex()},
                               {light.grid.hex(), dark.grid.hex()}};
  for (Index i = 0; i < plot::kClassColours; ++i)
    all.emplace_back(light.of_class(i).hex(), dark.of_class(i).hex());
  return all;
}

std::string in_dark_colours(const std::string& svg) {
  static const std::vector<Exchange> all = exchanges();
  std::string out;
  for (std::size_t at = 0; at < svg.size();) {
    const auto* found = svg[at] == '#' ? all.data() : nullptr;
    if (found != nullptr) {
      const auto* end = all.data() + all.size();
      while (found != end && svg.compare(at, found->first.size(), found->first) != 0) ++found;
      if (found == end) found = nullptr;
    }
    out += found == nullptr ? svg.substr(at, 1) : found->second;
    at += found == nullptr ? 1 : found->first.size();
  }
  return out;
}

std::string drawn(const plot::PlotKind& kind, const Content& content, const plot::Theme& theme,
                  bool still) {
  const plot::PlotSource& source = content.source;
  plot::PlotOptions options;
  options.theme = theme;
  plot::Figure figure = plot::figure_of(kind, source, options);
  const auto dots = static_cast<Index>(figure.panels.size()) * source.n();
  if (dots <= kTitledDots) {
    options.titles = true;
    figure = plot::figure_of(kind, source, options);
  }
  // The page says in its headings what a picture by itself says above the data.
  const std::string name = fmt::format("{}: {}", kind.name, kind.summary);
  figure.title.clear();
  plot::Style style;
  style.theme = theme;
  const auto panels = figure.panels.size();
  style.width = figure.width > 0 ? figure.width : panels <= 1 ? kWidth : 800;
  style.height = figure.width > 0 ? figure.height : panels <= 1 ? kHeight : panels == 2 ? 380 : 640;
  style.text = 12.5;
  if (!still) style.many_dots = kManyDots;
  plot::Scene scene = plot::draw(figure, style);
  scene.title = name;
  return plot::svg_of(scene, {.xml = false, .background = false});
}

std::string in_both_themes(const plot::PlotKind& kind, const Content& content, bool still) {
  const std::string light = drawn(kind, content, plot::Theme::light(), still);
  const std::string dark = drawn(kind, content, plot::Theme::dark_one(), still);
  // Who moves by keys must reach a picture that is wider than the screen.
  const auto boxed = [&](std::string_view of, const std::string& svg) {
    return fmt::format(
        "<div class=\"drawing{}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n{}</div>\n", of,
        plot::escaped(kind.summary), svg);
  };
  if (in_dark_colours(light) == dark) return boxed("", light);
  return boxed(" for-light", light) + boxed(" for-dark", dark);
}

const plot::PlotKind* known_kind(std::string_view name) {
  for (const plot::PlotKind* kind : plot::plot_kinds())
    if (kind->name == name) return kind;
  return nullptr;
}

void add_variables(const plot::Theme& theme, std::string& out) {
  const auto add = [&](std::string_view name, const plot::Colour& colour) {
    out += fmt::format(" --{}: {};", name, colour.hex());
  };
  out += ":root {";
  add("paper", theme.background);
  add("ink", theme.ink);
  add("muted", theme.muted);
  add("grid", theme.grid);
  for (Index i = 0; i < plot::kClassColours; ++i)
    add(fmt::format("class-{}", i), theme.of_class(i));
  out += " }\n";
}

}  // namespace

bool has_picture(const Content& content, std::string_view name) {
  const plot::PlotKind* kind = known_kind(name);
  return kind != nullptr && kind->refuse(content.source).empty() && kind->ready(content.source) &&
         kind->wanted(content.source) > 0;
}

void add_picture(Content& content, std::string_view name, std::string_view caption, bool still) {
  const plot::PlotKind& kind = *known_kind(name);
  std::string markup;
  try {
    markup = in_both_themes(kind, content, still);
  } catch (const Error& error) {
    // Other errors, such as a cancelled run, are not about this picture.
    const int family = static_cast<int>(error.code()) / 100;
    if (family != 2 && family != 7) throw;
    content.left_out.push_back({std::string(name), error.message()});
    return;
  }
  if (content.picture_bytes + markup.size() > kMostBytes) {
    content.left_out.push_back({std::string(name), "too large for a page"});
    return;
  }
  content.picture_bytes += markup.size();
  content.figures.emplace_back(name);
  content.html.raw("<figure>\n" + markup);
  content.html.raw(fmt::format("<figcaption>{}</figcaption>\n</figure>\n", plot::escaped(caption)));
}

std::string colour_styles() {
  std::string out, dark;
  add_variables(plot::Theme::light(), out);
  add_variables(plot::Theme::dark_one(), dark);
  for (const auto& [from, to] : exchanges())
    dark += fmt::format(
        ".drawing [fill=\"{0}\"] {{ fill: {1}; }} .drawing [stroke=\"{0}\"] {{ stroke: {1}; }}\n",
        from, to);
  out += "@media screen and (prefers-color-scheme: dark) {\n" + dark + "}\n";
  for (Index i = 0; i < plot::kClassColours; ++i)
    out += fmt::format(".sign-{0} {{ background: var(--class-{0}); }}\n", i);
  return out;
}

}  // namespace mercer::page::detail
