// The parts of a page. Each adds itself to the content, or nothing where the model has nothing to
// say of it.
#pragma once

#include "mercer/page/detail/html.h"
#include "mercer/page/page.h"
#include "mercer/plot/kind.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::page::detail {

struct Content {
  const plot::PlotSource& source;
  const PageOptions& options;
  Html html = {};
  std::vector<std::string> figures = {};
  std::vector<LeftOut> left_out = {};
  std::size_t picture_bytes = 0;  // of all pictures so far

  const Model& model() const { return source.model(); }
  const Report& report() const { return source.report(); }
};

/// What the page is called, in plain words.
std::string title_of(const Content& content);

void add_glance(Content& content);
void add_warnings(Content& content);
void add_rows(Content& content);
void add_components(Content& content);
void add_certificate(Content& content);
void add_maps(Content& content);
void add_figures(Content& content);
void add_data(Content& content);
void add_method(Content& content);
void add_plan(Content& content);
void add_origin(Content& content);

/// The rows of the page's scatter plot, as the script takes them.
std::string scatter_json(const plot::PlotSource& source);
/// Rows that the script gets at most, and every which one it gets.
Index scatter_step(const plot::PlotSource& source);

/// A picture of this kind, in the colours of light and dark pages; left out where it would make the
/// page too large, or cannot be made. `still`: of many rows a
/// drawing, too, not an image.
void add_picture(Content& content, std::string_view kind, std::string_view caption,
                 bool still = false);
/// Whether this kind of picture can be made of the source, and is worth a look.
bool has_picture(const Content& content, std::string_view kind);
/// Styles of the colours of pictures and of the page.
std::string colour_styles();

/// Words, numbers, flags and lists of an option or figure, for a cell of a table.
std::string cell_text(const Value& value, std::size_t most = 12);
/// "1 row", "1 797 rows".
std::string counted(Index count, std::string_view one, std::string_view many = {});
/// "12.3 %", "≤ 12.3 %", or nothing where nothing is known.
std::string share_text(double share, double bound);

}  // namespace mercer::page::detail
