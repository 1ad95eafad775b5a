// What a reader wants to know first, and what they must not overlook.
#include "mercer/core/text.h"
#include "mercer/models/kind.h"
#include "mercer/page/detail/content.h"
#include "mercer/plot/svg.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::page::detail {
namespace {

std::string proof_in_brief(const Report& report) {
  const Spectrum& spectrum = *report.spectrum;
  if (spectrum.certificate.complete) return "residuals measured, nothing missing";
  return "residuals measured, completeness not shown";
}

void add_spectrum_facts(Content& content) {
  const Spectrum& spectrum = *content.report().spectrum;
  const Vector bounds = spectrum.ratio_bounds();
  const Index k = spectrum.eigenvalues.size();
  const std::string share = share_text(spectrum.ratios.sum(), bounds.sum());
  if (!share.empty())
    content.html.fact("Variance explained", share,
                      fmt::format("by the first {}", counted(k, "component")));
  content.html.fact("Answer", content.report().converged ? "as exact as asked" : "not as asked",
                    proof_in_brief(content.report()));
}

// A number, also where it stands alone in a list: of one target, say.
const Value* number_in(const Value& value) {
  if (value.is_number()) return &value;
  const bool one = value.is_list() && value.as_list().size() == 1;
  return one ? number_in(value.as_list()[0]) : nullptr;
}

// Numbers by which such a method is judged stand among the first figures.
void add_first_figures(Content& content) {
  constexpr int kMostFigures = 4;
  int shown = 0;
  for (const mercer::Figure& figure : content.report().figures) {
    const Value* number = number_in(figure.value);
    // How many components there are is told of the scores.
    if (shown == kMostFigures || number == nullptr || figure.name == "components") continue;
    content.html.fact(figure.name, cell_text(*number));
    ++shown;
  }
}

}  // namespace

void add_glance(Content& content) {
  const plot::PlotSource& source = content.source;
  const Model& model = content.model();
  Html& html = content.html;
  html.open_section("glance", "At a glance");
  html.open_facts();
  html.fact("Method", model.kind(), model_kind(model.kind()).summary);
  html.fact("Table", model.first().input.name,
            fmt::format("{} × {}", counted(model.first().report.n, "row"),
                        counted(model.first().report.dim, "column")));
  if (!source.of_training()) html.fact("Rows shown", counted(source.n(), "new row"));
  if (const Value kernel = model.kernel_description(); kernel["spec"].is_text())
    html.fact("Kernel", kernel["name"].as_text(), kernel["formula"].as_text());
  if (const Index k = source.score_columns(); k > 0)
    html.fact("Scores", counted(k, "component"), "columns that stand for each row");
  if (const Labels& labels = source.labels(); !labels.empty())
    html.fact("Classes", grouped(labels.count()),
              labels.name.empty() ? "" : fmt::format("in “{}”", labels.name));
  if (!model.input.target_names.empty()) {
    std::vector<std::string> names = model.input.target_names;
    if (names.size() > 6) {
      names.resize(6);
      names.emplace_back("…");
    }
    html.fact("Predicted", fmt::format("{}", fmt::join(names, ", ")));
  }
  if (content.report().spectrum) add_spectrum_facts(content);
  add_first_figures(content);
  html.close_facts();
  if (const std::string remark = model.remark(); !remark.empty()) html.remark(remark);
  html.close_section();
}

void add_warnings(Content& content) {
  const Warnings& warnings = content.report().warnings;
  if (warnings.empty()) return;
  Html& html = content.html;
  html.open_section("warnings", "Warnings");
  for (const Warning& warning : warnings) {
    const std::string code = code_text(warning.code);
    html.raw(fmt::format("<div class=\"warning\">\n<p><strong>{}</strong> {}</p>\n", code,
                         plot::escaped(warning.message)));
    for (const CodeInfo& info : all_codes())
      if (fmt::format("{}{:03}", info.letter, info.number) == code) html.remark(info.text);
    html.raw("</div>\n");
  }
  html.close_section();
}

}  // namespace mercer::page::detail
