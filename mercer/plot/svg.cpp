#include "mercer/plot/svg.h"

#include "mercer/plot/detail/base64.h"
#include "mercer/plot/detail/png.h"
#include "mercer/plot/text_ruler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::plot {
namespace {

// Places that no picture shows must not become numbers that no reader takes.
constexpr double kFarthest = 1e6;

long long hundredths_of(double value) {
  const double near = std::isfinite(value) ? std::clamp(value, -kFarthest, kFarthest) : 0;
  return std::llround(near * 100);
}

void put_hundredths(std::string& out, long long hundredths) {
  if (hundredths < 0) {
    out += '-';
    hundredths = -hundredths;
  }
  fmt::format_to(std::back_inserter(out), "{}", hundredths / 100);
  const auto rest = hundredths % 100;
  if (rest == 0) return;
  out += '.';
  out += static_cast<char>('0' + rest / 10);
  if (rest % 10 != 0) out += static_cast<char>('0' + rest % 10);
}

void put_number(std::string& out, double value) { put_hundredths(out, hundredths_of(value)); }

// The first place, then each by its distance from the one before: differences of rounded numbers,
// so that errors do not add up.
void put_line(std::string& out, const std::vector<Place>& line) {
  long long x = 0, y = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const long long new_x = hundredths_of(line[i].x), new_y = hundredths_of(line[i].y);
    if (i < 2)
      out += i == 0 ? 'M' : 'l';
    else if (new_x >= x)
      out += ' ';
    put_hundredths(out, new_x - x);
    if (new_y >= y) out += ' ';
    put_hundredths(out, new_y - y);
    x = new_x;
    y = new_y;
  }
}

void put_place(std::string& out, char letter, const Place& place) {
  out += letter;
  put_number(out, place.x);
  out += ' ';
  put_number(out, place.y);
}

void attribute(std::string& out, std::string_view name, double value) {
  fmt::format_to(std::back_inserter(out), " {}=\"", name);
  put_number(out, value);
  out += '"';
}

void put_fill(std::string& out, const std::optional<Colour>& fill) {
  if (!fill) {
    out += " fill=\"none\"";
    return;
  }
  fmt::format_to(std::back_inserter(out), " fill=\"{}\"", fill->hex());
  if (fill->opacity < 1) attribute(out, "fill-opacity", fill->opacity);
}

void put_pen(std::string& out, const Pen& pen) {
  fmt::format_to(std::back_inserter(out), " stroke=\"{}\"", pen.colour.hex());
  attribute(out, "stroke-width", pen.width);
  if (pen.colour.opacity < 1) attribute(out, "stroke-opacity", pen.colour.opacity);
  if (pen.dashed) out += " stroke-dasharray=\"5 4\"";
}

void put(std::string& out, const PathMark& path) {
  std::string data;
  for (const std::vector<Place>& line : path.lines) {
    put_line(data, line);
    if (path.closed && !line.empty()) data += 'Z';
  }
  if (data.empty()) return;
  out += "<path d=\"" + data + "\"";
  put_fill(out, path.fill);
  if (path.pen) put_pen(out, *path.pen);
  if (path.pen && !path.closed) out += " stroke-linejoin=\"round\"";
  out += "/>\n";
}

std::string shape_of(const std::vector<Place>& corners, const Place& at) {
  std::vector<Place> line;
  for (const Place& corner : corners) line.push_back({at.x + corner.x, at.y + corner.y});
  std::string data;
  put_line(data, line);
  return data + "Z";
}

// Dots of which nothing is told are one path: round ends of lines of no length.
void put_round(std::string& out, const DotsMark& dots) {
  out += "<path d=\"";
  for (const Place& at : dots.at) {
    put_place(out, 'M', at);
    out += "h0";
  }
  out += "\" fill=\"none\" stroke-linecap=\"round\"";
  put_pen(out, {dots.fill, 2 * dots.radius});
  out += "/>\n";
}

void put(std::string& out, const DotsMark& dots) {
  if (dots.at.empty()) return;
  const std::vector<Place> corners = corners_of(dots.symbol, dots.radius);
  if (dots.titles.empty()) {
    if (corners.empty()) return put_round(out, dots);
    out += "<path d=\"";
    for (const Place& at : dots.at) out += shape_of(corners, at);
    out += '"';
    put_fill(out, dots.fill);
    out += "/>\n";
    return;
  }
  out += "<g";
  put_fill(out, dots.fill);
  out += ">\n";
  for (std::size_t i = 0; i < dots.at.size(); ++i) {
    if (corners.empty()) {
      out += "<circle";
      attribute(out, "cx", dots.at[i].x);
      attribute(out, "cy", dots.at[i].y);
      attribute(out, "r", dots.radius);
    } else {
      out += "<path d=\"" + shape_of(corners, dots.at[i]) + "\"";
    }
    const std::string& title = dots.titles[i];
    out += title.empty() ? "/>\n"
                         : fmt::format("><title>{}</title></{}>\n", escaped(title),
                                       corners.empty() ? "circle" : "path");
  }
  out += "</g>\n";
}

void put(std::string& out, const TextMark& text) {
  if (text.text.empty()) return;
  out += "<text";
  if (text.upright) {
    out += " transform=\"translate(";
    put_number(out, text.at.x);
    out += ' ';
    put_number(out, text.at.y);
    out += ")rotate(-90)\"";
  } else {
    attribute(out, "x", text.at.x);
    attribute(out, "y", text.at.y);
  }
  attribute(out, "font-size", text.size);
  put_fill(out, text.colour);
  if (text.anchor != Anchor::start)
    fmt::format_to(std::back_inserter(out), " text-anchor=\"{}\"",
                   text.anchor == Anchor::middle ? "middle" : "end");
  if (text.bold) out += " font-weight=\"bold\"";
  if (text.halo) {
    put_pen(out, {*text.halo, 2.5});
    out += " stroke-linejoin=\"round\" paint-order=\"stroke\"";
  }
  out += '>' + escaped(text.text) + "</text>\n";
}

void put(std::string& out, const ImageMark& image) {
  out += "<image";
  attribute(out, "x", image.box.left);
  attribute(out, "y", image.box.top);
  attribute(out, "width", image.box.width);
  attribute(out, "height", image.box.height);
  out += " preserveAspectRatio=\"none\"";
  if (!image.smooth) out += " image-rendering=\"pixelated\"";
  out += " href=\"data:image/png;base64," +
         detail::base64(detail::png_of(image.rgba, image.width, image.height)) + "\"/>\n";
}

// A picture within the picture shows nothing outside of its edges: that needs no id.
void open_clip(std::string& out, const Box& clip) {
  out += "<svg";
  attribute(out, "x", clip.left);
  attribute(out, "y", clip.top);
  attribute(out, "width", clip.width);
  attribute(out, "height", clip.height);
  out += " viewBox=\"";
  for (const double number : {clip.left, clip.top, clip.width}) {
    put_number(out, number);
    out += ' ';
  }
  put_number(out, clip.height);
  out += "\">\n";
}

}  // namespace

std::string coordinate(double value) {
  std::string text;
  put_number(text, value);
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string svg_of(const Scene& scene, const SvgOptions& options) {
  std::string out;
  if (options.xml) out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  attribute(out, "width", scene.width);
  attribute(out, "height", scene.height);
  fmt::format_to(std::back_inserter(out),
                 " viewBox=\"0 0 {} {}\" role=\"img\" font-family=\"{}\">\n",
                 coordinate(scene.width), coordinate(scene.height), kFontFamily);
  if (!scene.title.empty()) out += "<title>" + escaped(scene.title) + "</title>\n";
  if (!scene.description.empty()) out += "<desc>" + escaped(scene.description) + "</desc>\n";
  if (options.background)
    put(out, PathMark{{{{0, 0}, {scene.width, 0}, {scene.width, scene.height}, {0, scene.height}}},
                      true,
                      scene.background});
  std::optional<Box> clip;
  for (const Scene::Entry& entry : scene.marks) {
    if (entry.clip != clip) {
      if (clip) out += "</svg>\n";
      clip = entry.clip;
      if (clip) open_clip(out, *clip);
    }
    std::visit([&](const auto& mark) { put(out, mark); }, entry.mark);
  }
  if (clip) out += "</svg>\n";
  return out + "</svg>\n";
}

}  // namespace mercer::plot
