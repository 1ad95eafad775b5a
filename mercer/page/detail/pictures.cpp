// Maps of the components, the pictures that belong to such a model, and its named figures as
// tables.
#include "mercer/core/text.h"
#include "mercer/page/detail/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::page::detail {
namespace {

constexpr Index kFewComponents = 3;  // of fewer, all pairs of them are the scatter plot
constexpr std::size_t kCells = 12;   // of a row of a table
constexpr std::size_t kLines = 60;   // rows of a table
constexpr std::size_t kOpen = 12;    // rows that are shown without being asked for

// Those with a place of their own on the page, or made of such.
bool stands_elsewhere(std::string_view kind) {
  return kind == "scatter" || kind == "scree" || kind == "overview" || kind == "contour";
}

// The kinds that suit the model, those that are wanted most first.
std::vector<const plot::PlotKind*> kinds_of(const Content& content) {
  const plot::PlotSource& source = content.source;
  std::vector<const plot::PlotKind*> kinds;
  for (const plot::PlotKind* kind : plot::plot_kinds()) {
    if (stands_elsewhere(kind->name) || !has_picture(content, kind->name)) continue;
    if (kind->name == "pairs" && source.score_columns() < kFewComponents) continue;
    kinds.push_back(kind);
  }
  std::ranges::stable_sort(
      kinds, [&](const auto* a, const auto* b) { return a->wanted(source) > b->wanted(source); });
  return kinds;
}

bool is_table(const Value& value) {
  return value.is_list() && !value.as_list().empty() && value.as_list()[0].is_list();
}

// Whether it has something for each column of the table.
bool by_column(const mercer::Figure& figure, Index dim) {
  return dim > 1 && !figure.not_of_columns && figure.value.is_list() &&
         static_cast<Index>(figure.value.as_list().size()) == dim;
}

// Errors of cross-validation begin with those of no component.
bool counts_from_none(const mercer::Figure& figure) {
  return std::string_view(figure.name).starts_with("rmsep");
}

void add_cells(const Value& row, std::vector<std::string>& cells) {
  if (!row.is_list()) return cells.push_back(cell_text(row));
  const Value::List& list = row.as_list();
  for (std::size_t i = 0; i < std::min(kCells, list.size()); ++i)
    cells.push_back(cell_text(list[i]));
}

void add_headings(const mercer::Figure& figure, std::string_view before,
                  std::vector<std::string>& headings) {
  const Value& first = figure.value.as_list()[0];
  if (!first.is_list()) return headings.push_back(figure.name);
  const std::size_t from = counts_from_none(figure) ? 0 : 1;
  for (std::size_t i = 0; i < std::min(kCells, first.as_list().size()); ++i)
    headings.push_back(fmt::format("{}{}", before, i + from));
}

// A table of some length, behind a line to click on.
void add_table(Html& html, const std::string& caption, const std::vector<std::string>& headings,
               const std::vector<std::vector<std::string>>& rows, std::size_t all) {
  std::vector<Column> columns;
  for (const std::string& heading : headings) columns.push_back({heading, !columns.empty()});
  const bool closed = rows.size() > kOpen;
  if (closed)
    html.open_details(fmt::format("{} ({})", caption, counted(static_cast<Index>(all), "row")));
  html.table(caption, columns, rows);
  if (all > rows.size())
    html.remark(fmt::format("and {}; all of them with mercer info --json",
                            counted(static_cast<Index>(all - rows.size()), "more row")));
  if (closed) html.close_details();
}

void add_column_table(Content& content, const std::vector<const mercer::Figure*>& figures) {
  if (figures.empty()) return;
  std::vector<std::string> headings = {"column"};
  for (const mercer::Figure* figure : figures) add_headings(*figure, figure->name + " ", headings);
  const auto dim = static_cast<std::size_t>(content.report().dim);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t j = 0; j < std::min(kLines, dim); ++j) {
    rows.push_back({content.source.column_name(static_cast<Index>(j))});
    for (const mercer::Figure* figure : figures) add_cells(figure->value.as_list()[j], rows.back());
  }
  add_table(content.html, "Figures of the columns", headings, rows, dim);
}

void add_own_table(Content& content, const mercer::Figure& figure) {
  const Value::List& list = figure.value.as_list();
  std::vector<std::string> headings = {"row"};
  add_headings(figure, "", headings);  // the caption names it
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(kLines, list.size()); ++i) {
    rows.push_back({fmt::format("{}", i + 1)});
    add_cells(list[i], rows.back());
  }
  const std::size_t wide = list[0].is_list() ? list[0].as_list().size() : 1;
  const std::string cut =
      wide > kCells ? fmt::format(" (the first {} of {} columns)", kCells, wide) : "";
  const std::string what = counts_from_none(figure) ? ", by the number of components" : "";
  add_table(content.html, figure.name + what + cut, headings, rows, list.size());
}

void add_numbers(Content& content) {
  std::vector<std::vector<std::string>> single;
  std::vector<const mercer::Figure*> of_columns;
  for (const mercer::Figure& figure : content.report().figures) {
    if (by_column(figure, content.report().dim))
      of_columns.push_back(&figure);
    else if (!is_table(figure.value))
      single.push_back({figure.name, cell_text(figure.value)});
  }
  if (!single.empty()) content.html.table("Figures of the method", {{"figure"}, {"value"}}, single);
  add_column_table(content, of_columns);
  for (const mercer::Figure& figure : content.report().figures)
    if (is_table(figure.value) && !by_column(figure, content.report().dim))
      add_own_table(content, figure);
}

std::string sentence(std::string_view words) {
  std::string text(words);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text + ".";
}

}  // namespace

void add_maps(Content& content) {
  if (!has_picture(content, "contour")) return;
  content.html.open_section("maps", "Maps");
  add_picture(content, "contour",
              "What the model makes of every point of its two columns: lines join points of one "
              "value, the bold one is 0, dots are rows.");
  content.html.close_section();
}

void add_figures(Content& content) {
  const std::vector<const plot::PlotKind*> kinds = kinds_of(content);
  if (kinds.empty() && content.report().figures.empty()) return;
  Html& html = content.html;
  html.open_section("figures", "Figures of the method");
  add_numbers(content);
  for (const plot::PlotKind* kind : kinds)
    add_picture(content, kind->name, sentence(kind->summary));
  for (const LeftOut& one : content.left_out)
    html.remark(
        fmt::format("Not on the page: {} ({}). By itself: mercer plot MODEL --kind {} -o FILE",
                    one.kind, one.reason, one.kind));
  html.close_section();
}

}  // namespace mercer::page::detail
