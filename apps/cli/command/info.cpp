// mercer info MODEL: what a model is, how it was made, how good it is.
#include "apps/cli/command.h"
#include "apps/cli/fit_arguments.h"
#include "apps/cli/render/bars.h"
#include "apps/cli/render/table.h"
#include "mercer/core/text.h"
#include "mercer/io/model.h"

#include <fmt/format.h>

namespace mercer::cli {
namespace {

std::string spectrum_table(const FitReport& report) {
  TextTable table({"component", "eigenvalue", "variance", "share", "residual"});
  constexpr Index kShown = 20;
  for (Index i = 0; i < std::min(kShown, report.eigenvalues.size()); ++i)
    table.add({fmt::format("PC{}", i + 1), brief(report.eigenvalues[i], 8),
               brief(report.eigenvalues[i] / static_cast<double>(report.n), 8),
               fmt::format("{:.2f} %", 100 * report.ratios[i]),
               brief(report.certificate.residuals[i], 2)});
  if (report.eigenvalues.size() > kShown)
    table.add({fmt::format("… {} more", report.eigenvalues.size() - kShown), "", "", "", ""});
  return table.text();
}

int run(const std::string& path, Terminal& terminal) {
  const std::unique_ptr<Model> model = load_model(path);
  if (terminal.json) {
    terminal.result(model->summary());
    return 0;
  }
  const FitReport& report = model->report;
  std::string text =
      fmt::format("Model    {}   {} rows × {} columns, from {}\n", model->kind(), grouped(report.n),
                  grouped(report.dim), printable(model->input.name));
  if (const Value kernel = model->kernel(); !kernel.is_null())
    text +=
        fmt::format("Kernel   {}   {}\n", kernel["spec"].as_text(), kernel["formula"].as_text());
  if (!model->input.labels.empty())
    text += fmt::format("Labels   {} classes{}\n", model->input.labels.classes.size(),
                        model->input.labels.name.empty()
                            ? ""
                            : fmt::format(" in \"{}\"", printable(model->input.labels.name)));
  if (model->scaler.active()) text += fmt::format("Scaling  {}\n", model->scaler.kind());
  text += fmt::format("Plan     {} + {}, {} precision\n", report.plan.operator_name,
                      report.plan.solver_name,
                      precision_text(report.plan.precision, report.plan.solver_name));
  text += fmt::format("Quality  {}, completeness: {} ({})\n", accuracy_text(report),
                      completeness_text(report.certificate), report.certificate.kind);
  text += fmt::format(
      "Variance first {}: {:.1f} % of {}   {}\n\n", report.ratios.size(), 100 * report.ratios.sum(),
      brief(report.trace / static_cast<double>(report.n), 6), spark_bars(report.ratios, 40));
  terminal.data(text + spectrum_table(report));
  for (const Warning& warning : report.warnings) terminal.warn(warning);
  return 0;
}

}  // namespace

void add_info(Program& program) {
  const auto path = std::make_shared<std::string>();
  Command command = program.command("info", "what a model is, how it was made, how good it is");
  command.positional("MODEL", *path, "model file");
  command.run([path](Terminal& terminal) { return run(*path, terminal); });
}

}  // namespace mercer::cli
