#include "mercer/page/detail/html.h"

#include "mercer/plot/svg.h"
#include "mercer/plot/text_ruler.h"

#include <fmt/format.h>

namespace mercer::page::detail {

using plot::escaped;

namespace {

// A name of a megabyte is not worth a page of one.
std::string cell(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  if (text.size() <= kLongest) return escaped(text);
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return escaped(text.substr(0, end)) + "…";
}

}  // namespace

void Html::open_section(std::string_view id, std::string_view heading) {
  sections_.push_back({std::string(id), std::string(heading)});
  out_ += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n", id);
  out_ += fmt::format("<h2 id=\"{}-heading\">{}</h2>\n", id, escaped(heading));
}

void Html::close_section() { out_ += "</section>\n"; }

void Html::subheading(std::string_view text) { out_ += "<h3>" + escaped(text) + "</h3>\n"; }

void Html::paragraph(std::string_view text) { out_ += "<p>" + escaped(text) + "</p>\n"; }

void Html::remark(std::string_view text) {
  out_ += "<p class=\"remark\">" + escaped(text) + "</p>\n";
}

void Html::code(const std::vector<std::string>& lines) {
  out_ += "<pre tabindex=\"0\"><code>";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out_ += '\n';
    out_ += escaped(lines[i]);
  }
  out_ += "</code></pre>\n";
}

void Html::fact(std::string_view name, std::string_view value, std::string_view remark) {
  out_ += fmt::format("<div><dt>{}</dt><dd>{}", escaped(name), escaped(value));
  if (!remark.empty()) out_ += fmt::format(" <small>{}</small>", escaped(remark));
  out_ += "</dd></div>\n";
}

// Who moves by keys must reach a table that is wider than the screen.
void Html::table(std::string_view caption, const std::vector<Column>& columns,
                 const std::vector<std::vector<std::string>>& rows) {
  out_ += fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\">\n<table>\n"
      "<caption>{0}</caption>\n<thead><tr>",
      escaped(caption));
  const auto number = [&](std::size_t j) {
    return j < columns.size() && columns[j].number ? " class=\"number\"" : "";
  };
  for (std::size_t j = 0; j < columns.size(); ++j)
    out_ += fmt::format("<th scope=\"col\"{}>{}</th>", number(j), escaped(columns[j].heading));
  out_ += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out_ += "<tr>";
    for (std::size_t j = 0; j < row.size(); ++j)
      out_ += j == 0 ? fmt::format("<th scope=\"row\">{}</th>", cell(row[j]))
                     : fmt::format("<td{}>{}</td>", number(j), cell(row[j]));
    out_ += "</tr>\n";
  }
  out_ += "</tbody>\n</table>\n</div>\n";
}

void Html::open_details(std::string_view summary) {
  out_ += "<details>\n<summary>" + escaped(summary) + "</summary>\n";
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char letter : plot::one_line(text)) switch (letter) {
      case '"':
      case '\\':
        out += '\\';
        out += letter;
        break;
      case '<':
      case '>':
      case '&':
      case '\'':
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
        break;
      default:
        out += letter;
    }
  return out + "\"";
}

}  // namespace mercer::page::detail
