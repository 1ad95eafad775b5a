// mercer info MODEL: what a model is, how it was made, how good it is. Of a checkpoint: which fit
// it belongs to, how far that came, how it goes on.
#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "apps/cli/render/bars.h"
#include "apps/cli/render/table.h"
#include "apps/cli/report_text.h"
#include "apps/cli/shell.h"
#include "mercer/core/cpu.h"
#include "mercer/core/text.h"
#include "mercer/core/version.h"
#include "mercer/io/checkpoint_content.h"
#include "mercer/io/json.h"
#include "mercer/io/model.h"
#include "mercer/models/kind.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer::cli {
namespace info_command {
namespace {

// Shares that are not known have a bound.
std::string share_text(double share, double bound, int digits) {
  if (!std::isfinite(bound)) return "unknown";
  return fmt::format("{}{:.{}f} %", std::isfinite(share) ? "" : "≤ ", 100 * bound, digits);
}

std::string spectrum_table(const Spectrum& report, Index n) {
  TextTable table({"component", "eigenvalue", "variance", "share", "residual"});
  constexpr Index kShown = 20;
  const Vector ratios = report.ratio_bounds();
  for (Index i = 0; i < std::min(kShown, report.eigenvalues.size()); ++i)
    table.add({fmt::format("PC{}", i + 1), brief(report.eigenvalues[i], 8),
               brief(report.eigenvalues[i] / static_cast<double>(n), 8),
               share_text(report.ratios[i], ratios[i], 2),
               brief(report.certificate.residuals[i], 2)});
  if (report.eigenvalues.size() > kShown)
    table.add({fmt::format("… {} more", report.eigenvalues.size() - kShown), "", "", "", ""});
  return table.text();
}

std::string text_of(const Value& value) {
  return value.is_text() ? printable(value.as_text()) : "unknown";
}

std::string count_of(const Value& value) {
  return value.is_integer() ? grouped(value.as_integer()) : "unknown";
}

// The command stands in the checkpoint as it was given; the file may have moved since.
std::string way_on(const Value& work, const std::string& path) {
  const Value& command = work["command"];
  return fmt::format("{} --resume {}",
                     command.is_text() ? printable(command.as_text())
                                       : "mercer fit TABLE with the options of that fit and",
                     printable(quoted_path(path)));
}

Value checkpoint_json(const CheckpointContent& content, const std::string& path) {
  const Value& work = content.work;
  Value value;
  value["schema"] = 1;
  value["checkpoint"] = path;
  value["version"] = work["version"];
  value["cpu_level"] = work["processor level"];
  value["method"] = work["method"];
  value["table"] = work["table"];
  value["n"] = work["data"]["rows"];
  value["dim"] = work["data"]["columns"];
  value["options"] = work["options"];
  for (const char* name : {"operator", "solver", "precision"})
    value["plan"][name] = work["plan"][name];
  value["passes"] = content.passes;
  value["bytes"] = content.bytes;
  value["go_on"] = way_on(work, path);
  return value;
}

int tell_checkpoint(const std::string& path, Terminal& terminal) {
  const CheckpointContent content = read_checkpoint(path);
  if (terminal.json) {
    terminal.result(checkpoint_json(content, path));
    return 0;
  }
  const Value& work = content.work;
  const Value& options = work["options"];
  std::string text = "Checkpoint of a fit that did not come to its end: not a model\n";
  text += fmt::format("Table    {}   {} rows × {} columns\n", text_of(work["table"]),
                      count_of(work["data"]["rows"]), count_of(work["data"]["columns"]));
  text += fmt::format(
      "Fit      {}   {}components {}   tolerance {}\n", text_of(work["method"]),
      options["kernel"].is_text() ? fmt::format("kernel {}   ", text_of(options["kernel"])) : "",
      text_of(options["components"]), text_of(options["tolerance"]));
  text += fmt::format("Plan     {} + {}, {} precision\n", text_of(work["plan"]["operator"]),
                      text_of(work["plan"]["solver"]), text_of(work["plan"]["precision"]));
  text += fmt::format("Kept     {} pass{}, {}\n", grouped(content.passes),
                      content.passes == 1 ? "" : "es", bytes(content.bytes));
  const Value here_version = version(), here_level = name_of(cpu_level());
  if (work["version"] != here_version || work["processor level"] != here_level)
    text += fmt::format("Note     only Mercer {} on a processor of level {} can go on from it\n",
                        text_of(work["version"]), text_of(work["processor level"]));
  terminal.data(text + fmt::format("Go on    {}\n", way_on(work, path)));
  return 0;
}

// What shares are of. With negative eigenvalues the trace is no measure of it.
std::string whole_text(const Spectrum& spectrum, Index n, bool raised) {
  const auto each = [&](double sum) { return brief(sum / static_cast<double>(n), 6); };
  if (!(spectrum.total > 0)) return each(spectrum.trace) + ", the trace / n";
  if (raised && spectrum.negative_share > 0)
    return fmt::format("{}, the sum of all eigenvalues, raised, / n", each(spectrum.total));
  if (spectrum.negative_share > 0)
    return fmt::format("{}, the sum of all |eigenvalues| / n (trace / n: {})", each(spectrum.total),
                       each(spectrum.trace));
  return each(spectrum.total);
}

std::string variance_text(const Spectrum& spectrum, Index n, bool raised) {
  if (spectrum.drowned()) return "Variance unknown: rounding may be all there is\n\n";
  const Vector ratios = spectrum.ratio_bounds();
  return fmt::format("Variance first {}: {} of {}   {}\n\n", ratios.size(),
                     share_text(spectrum.ratios.sum(), ratios.sum(), 1),
                     whole_text(spectrum, n, raised), spark_bars(ratios, 40));
}

std::string spectrum_text(const Model& model) {
  const Report& report = model.report;
  const bool raised = model.options["indefinite"] == Value("shift");
  const Spectrum& spectrum = *report.spectrum;
  return fmt::format("Quality  {}, completeness: {} ({})\n", accuracy_text(spectrum),
                     completeness_text(spectrum.certificate), name_of(spectrum.certificate.kind)) +
         variance_text(spectrum, report.n, raised) + spectrum_table(spectrum, report.n);
}

// The options of the fit that are not as they are where nothing is said.
std::string changed_options_of(const Model& model) {
  std::string text;
  for (const OptionInfo& option : model_kind(model.kind()).options()) {
    const Value& value = model.options[option.name];
    if (value.is_null() || value == option.initial) continue;
    const std::string word = value.is_text() ? printable(value.as_text()) : to_json(value);
    const std::string name = option.type != OptionType::flag ? option.name + " " + word
                             : value == Value(true)          ? option.name
                                                             : "no-" + option.name;
    text += (text.empty() ? "" : "   ") + name;
  }
  return text;
}

std::string levels_text(const std::vector<std::string>& levels) {
  constexpr std::size_t kShown = 8;
  std::string text = fmt::format(", {} levels: ", levels.size());
  for (std::size_t i = 0; i < std::min(kShown, levels.size()); ++i)
    text += (i == 0 ? "" : ", ") + printable(levels[i]);
  return text + (levels.size() > kShown ? ", …" : "");
}

// ", from digits.csv"; rows of Python or C++ have no name.
std::string source_text(const InputInfo& input) {
  return input.name.empty() ? "" : ", from " + printable(input.name);
}

std::string text_of(const Model& model) {
  const Report& report = model.report;
  std::string text =
      fmt::format("Model    {}   {} × {}{}\n", model.kind(), number_of(report.n, "row"),
                  number_of(report.dim, "column"), source_text(model.input));
  text += fmt::format("Can      {}\n", abilities_text(model_kind(model.kind()).abilities));
  for (const Model* on = model.on.get(); on != nullptr; on = on->on.get())
    text += fmt::format("On       the scores of a {} model   {} rows × {} columns{}\n", on->kind(),
                        grouped(on->report.n), grouped(on->report.dim), source_text(on->input));
  if (const Value kernel = model.kernel_description(); !kernel.is_null())
    text += fmt::format("Kernel   {}   {}\n", text_of(kernel["spec"]), text_of(kernel["formula"]));
  if (const std::string columns = columns_text(model.input); !columns.empty())
    text += fmt::format("Columns  {}\n", columns);
  for (const Encoding& encoding : model.input.use.encoded)
    text += fmt::format("Encoded  {} as {}{}\n", printable(encoding.column), encoding.as,
                        encoding.as == "date" ? fmt::format(", written {}", encoding.format)
                                              : levels_text(encoding.levels));
  const Labels& labels = model.input.labels;
  if (!labels.empty())
    text +=
        fmt::format("Labels   {}{}\n", number_of(labels.count(), "class", "classes"),
                    labels.name.empty() ? "" : fmt::format(" in \"{}\"", printable(labels.name)));
  if (!model.input.target_names.empty())
    text += fmt::format("Targets  {}\n",
                        printable(fmt::format("{}", fmt::join(model.input.target_names, ", "))));
  if (const std::string options = changed_options_of(model); !options.empty())
    text += fmt::format("Options  {}\n", options);
  if (report.chosen) text += fmt::format("Chosen   {}\n", printable(chosen_text(*report.chosen)));
  if (model.scaler.active()) text += fmt::format("Scaling  {}\n", model.scaler.kind());
  if (const std::string remark = model.remark(); !remark.empty())
    text += fmt::format("Note     {}\n", remark);
  if (!report.plan.operator_name.empty())
    text += fmt::format("Plan     {} + {}, {} precision\n", printable(report.plan.operator_name),
                        printable(report.plan.solver_name),
                        precision_text(report.plan.precision, report.plan.solver_name));
  if (!report.figures.empty())
    text += fmt::format("Figures\n{}", all_figures_text(report, model.input.column_names));
  if (report.spectrum) text += spectrum_text(model);
  return text;
}

int run(const std::string& path, Terminal& terminal) {
  Files files(terminal);
  files.reads("the model", path);
  if (!terminal.json) files.writes("the description", "-");
  files.check();
  if (looks_like_checkpoint(path)) return tell_checkpoint(path, terminal);
  const std::unique_ptr<Model> model = load_model(path);
  if (terminal.json) {
    terminal.result(model->summary());
    return 0;
  }
  terminal.data(text_of(*model));
  for (const Warning& warning : model->report.warnings) terminal.warn(warning);
  return 0;
}

}  // namespace
}  // namespace info_command

void add_info(Program& program) {
  using namespace info_command;
  const auto path = std::make_shared<std::string>();
  Command command = program.command("info", "what a model is, how it was made, how good it is");
  command.positional("MODEL", *path, "model file, or the checkpoint of a fit");
  command.quick();
  command.run([path](Terminal& terminal) { return run(*path, terminal); });
}

}  // namespace mercer::cli
