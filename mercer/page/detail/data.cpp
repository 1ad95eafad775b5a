// The table: rows, columns used and set aside, classes, missing values.
#include "mercer/core/text.h"
#include "mercer/data/summary.h"
#include "mercer/page/detail/content.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::page::detail {
namespace {

constexpr std::size_t kOpenRows = 12;      // of a table that is shown without being asked for
constexpr Index kMostColumns = 300;        // that are listed
constexpr std::size_t kMostClasses = 100;  // that are listed

void add_long_table(Html& html, const std::string& caption, const std::vector<Column>& columns,
                    const std::vector<std::vector<std::string>>& rows, Index all) {
  const bool closed = rows.size() > kOpenRows;
  if (closed) html.open_details(fmt::format("{} ({})", caption, grouped(all)));
  html.table(caption, columns, rows);
  if (all > static_cast<Index>(rows.size()))
    html.remark(fmt::format("and {} more", grouped(all - static_cast<Index>(rows.size()))));
  if (closed) html.close_details();
}

void add_rows_and_gaps(Content& content) {
  const Model& first = content.model().first();
  const InputInfo& input = first.input;
  Html& html = content.html;
  html.fact("Rows", grouped(first.report.n),
            input.rows_dropped > 0
                ? fmt::format("{} left out for missing values", counted(input.rows_dropped, "row"))
                : "");
  html.fact("Columns used", grouped(first.report.dim),
            first.needs_cross_matrix() ? "a matrix of pairs: a column for each training row" : "");
  html.fact("Columns set aside", grouped(input.use.set_aside_count));
  html.fact("Missing values", input.missing == "error" ? "none allowed" : input.missing,
            input.cells_filled > 0
                ? fmt::format("{} filled in", counted(input.cells_filled, "value"))
                : "");
  html.fact("Scaling", first.scaler.active() ? first.scaler.kind() : "none: values as stored");
  if (!content.source.image_shape().empty())
    html.fact("Images", fmt::format("{}", fmt::join(content.source.image_shape(), " × ")),
              "height and width of each row");
  html.fact("Fingerprint of the numbers", input.fingerprint);
}

void add_set_aside(Content& content) {
  const ColumnUse& use = content.model().first().input.use;
  if (use.set_aside.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const SetAside& column : use.set_aside) {
    if (rows.size() == static_cast<std::size_t>(kMostColumns)) break;
    rows.push_back({column.name, column.reason});
  }
  add_long_table(content.html, "Columns set aside", {{"column"}, {"reason"}}, rows,
                 use.set_aside_count);
}

void add_encoded(Content& content) {
  const std::vector<Encoding>& encoded = content.model().first().input.use.encoded;
  if (encoded.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const Encoding& encoding : encoded)
    rows.push_back({encoding.column, encoding.as,
                    encoding.as == "date" ? "written " + encoding.format
                                          : cell_text(Value::of(encoding.levels))});
  add_long_table(content.html, "Texts that became numbers", {{"column"}, {"as"}, {"levels"}}, rows,
                 static_cast<Index>(encoded.size()));
}

// Figures of the columns where the rows are there, and measurements.
void add_columns(Content& content) {
  const plot::PlotSource& source = content.source;
  const Model& first = content.model().first();
  if (first.needs_cross_matrix()) return;
  const Index dim = first.report.dim, shown = std::min(dim, kMostColumns);
  // Rows with gaps, or of a table too wide to look at for a page, are not summed up.
  constexpr Index kMostNumbers = 50'000'000;
  const bool summed = source.has_rows() && !first.takes_gaps() && source.rows().dim() == dim &&
                      source.n() * dim <= kMostNumbers;
  std::vector<Column> columns = {{"column"}};
  Summary summary;
  if (summed) {
    summary = summarize(source.rows().view(), source.context());
    columns.insert(columns.end(),
                   {{"smallest", true}, {"mean", true}, {"largest", true}, {"deviation", true}});
  }
  std::vector<std::vector<std::string>> rows;
  for (Index j = 0; j < shown; ++j) {
    rows.push_back({source.column_name(j)});
    if (!summed) continue;
    for (const Vector* figure :
         {&summary.minimum, &summary.mean, &summary.maximum, &summary.deviation})
      rows.back().push_back(brief((*figure)[j], 5));
  }
  const bool others = summed && !source.of_training();
  add_long_table(content.html, others ? "Columns used, of the rows shown" : "Columns used", columns,
                 rows, dim);
}

void add_classes(Content& content) {
  const Labels& labels = content.source.labels();
  if (labels.empty()) return;
  std::vector<Index> counts(labels.classes.size(), 0);
  for (const Index c : labels.of_row) ++counts[static_cast<std::size_t>(c)];
  std::vector<std::vector<std::string>> rows;
  for (std::size_t c = 0; c < std::min(kMostClasses, counts.size()); ++c) {
    const double share = static_cast<double>(counts[c]) /
                         static_cast<double>(std::max<std::size_t>(1, labels.of_row.size()));
    rows.push_back({labels.classes[c].empty() ? "(none)" : labels.classes[c], grouped(counts[c]),
                    fmt::format("{:.1f} %", 100 * share)});
  }
  add_long_table(
      content.html, labels.name.empty() ? "Classes" : fmt::format("Classes in “{}”", labels.name),
      {{"class"}, {"rows", true}, {"share", true}}, rows, static_cast<Index>(counts.size()));
}

}  // namespace

void add_data(Content& content) {
  content.html.open_section("data", "Data");
  content.html.open_facts();
  add_rows_and_gaps(content);
  content.html.close_facts();
  for (const Model* on = content.model().on.get(); on != nullptr; on = on->on.get())
    content.html.paragraph(fmt::format("The method saw the scores of a {} model of {}, {} × {}.",
                                       on->kind(), on->input.name, counted(on->report.n, "row"),
                                       counted(on->report.dim, "column")));
  add_set_aside(content);
  add_encoded(content);
  add_classes(content);
  add_columns(content);
  content.html.close_section();
}

}  // namespace mercer::page::detail
