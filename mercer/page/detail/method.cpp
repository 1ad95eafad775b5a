// The method with its formula and options, the plan with what was weighed against it, and how all
// of it is made again.
#include "mercer/core/cpu.h"
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/core/version.h"
#include "mercer/models/kind.h"
#include "mercer/page/detail/content.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::page::detail {
namespace {

void add_kernel(const Value& kernel, Html& html) {
  if (kernel.is_null()) return;
  html.open_facts();
  html.fact("Kernel", kernel["name"].as_text(), kernel["formula"].as_text());
  if (kernel["spec"].is_text())
    html.fact("In full", kernel["spec"].as_text(), "as --kernel takes it");
  if (kernel["gamma"].is_number())
    html.fact("gamma", brief(kernel["gamma"].as_number(), 5),
              "the same width as other tools have it");
  html.close_facts();
}

void add_options(const Model& model, Html& html) {
  std::vector<std::vector<std::string>> rows;
  std::size_t changed = 0;
  for (const OptionInfo& option : model_kind(model.kind()).options()) {
    const Value& value = model.options[option.name];
    if (value.is_null()) continue;
    const bool usual = value == option.initial;
    // What is on by itself is called after the flag that switches it off, as its help is.
    const bool off = option.type == OptionType::flag && option.initial == Value(true);
    const auto said = [&](const Value& one) {
      return cell_text(off ? Value(one != Value(true)) : one);
    };
    std::vector<std::string> row = {(off ? "no-" : "") + option.name, said(value),
                                    usual ? "" : said(option.initial), option.help};
    rows.insert(usual ? rows.end() : rows.begin() + static_cast<std::ptrdiff_t>(changed++), row);
  }
  if (rows.empty()) return;
  html.open_details(fmt::format("Options of the fit ({}, {} not as usual)", rows.size(), changed));
  html.table("Options of the fit", {{"option"}, {"value"}, {"usually"}, {"what it is"}}, rows);
  html.close_details();
}

// The options of the fit that are not as usual, and the width that was found.
Value given_options(const Model& model) {
  Value given = Value::object();
  for (const OptionInfo& option : model_kind(model.kind()).options()) {
    const Value& value = model.options[option.name];
    if (!value.is_null() && value != option.initial) given[option.name] = value;
  }
  const Value kernel = model.kernel_description();
  const bool of_rows = model.options["kernel"].is_text() && !model.needs_cross_matrix();
  if (of_rows && kernel["spec"].is_text()) given["kernel"] = kernel["spec"];
  return given;
}

// The plan such a fit would have now, weighed on the rows that the model or the table has; empty
// where that cannot be.
Plan plan_now(const Content& content) {
  const Model& model = content.model();
  const plot::PlotSource& source = content.source;
  constexpr Index kMostNumbers = 20'000'000;  // a look at more takes longer than a page may
  const bool able = model.on == nullptr && source.has_rows() && source.of_training() &&
                    !model.options.is_null() && source.n() * model.report.dim <= kMostNumbers;
  if (!able) return {};
  try {
    const ModelKind& kind = model_kind(model.kind());
    Dataset rows = source.rows();
    Training training(rows);
    training.input.labels = model.input.labels;
    const Value given = given_options(model);
    const Prepared prepared = kind.prepare(training, given, source.context());
    return kind.plan(prepared, given, source.context());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    return {};
  }
}

// The pairs that could run, and for each operator that could not, why.
std::vector<std::vector<std::string>> candidate_rows(const Plan& plan) {
  std::vector<const Candidate*> able;
  std::vector<std::vector<std::string>> rows, refused;
  for (const Candidate& one : plan.candidates) {
    if (one.possible()) {
      able.push_back(&one);
      continue;
    }
    const bool told = std::ranges::any_of(refused, [&](const auto& row) {
      return row[0] == one.operator_name && row[4] == one.verdict;
    });
    if (!told) refused.push_back({one.operator_name, "—", "—", "—", one.verdict});
  }
  std::ranges::stable_sort(able, [](const Candidate* a, const Candidate* b) {
    return a->chosen() != b->chosen() ? a->chosen() : a->seconds < b->seconds;
  });
  for (const Candidate* one : able)
    rows.push_back({one->operator_name + " + " + one->solver_name, bytes(one->bytes),
                    duration(one->seconds), one->error, one->verdict});
  rows.insert(rows.end(), refused.begin(), refused.end());
  return rows;
}

}  // namespace

void add_method(Content& content) {
  const Model& model = content.model();
  Html& html = content.html;
  html.open_section("method", "Method");
  html.paragraph(fmt::format("{}: {}.", model.kind(), model_kind(model.kind()).summary));
  if (const std::vector<std::string> formulas = model.formulas(); !formulas.empty())
    html.code(formulas);
  add_kernel(model.kernel_description(), html);
  if (const auto& chosen = content.report().chosen)
    html.paragraph(fmt::format("The number of components, {}, was chosen by {}.",
                               grouped(chosen->count), chosen->by));
  add_options(model, html);
  html.close_section();
}

void add_plan(Content& content) {
  const Plan& plan = content.report().plan;
  if (plan.operator_name.empty()) return;
  Html& html = content.html;
  html.open_section("plan", "Plan");
  html.open_facts();
  html.fact("Operator", plan.operator_name, "how the matrix was applied");
  html.fact("Solver", plan.solver_name, "how eigenvalues were sought");
  html.fact("Precision", precision_text(plan.precision, plan.solver_name));
  if (plan.passes > 0) html.fact("Passes", grouped(plan.passes), "products with the whole matrix");
  html.close_facts();
  const std::vector<std::vector<std::string>> rows = candidate_rows(plan_now(content));
  if (rows.empty()) {
    html.remark(
        "What else was weighed is not kept in a model: mercer plan TABLE, with the options of the "
        "fit, shows it.");
  } else {
    html.remark(fmt::format(
        "The candidates, weighed again when this page was made, with {} of memory: what was chosen "
        "in the fit may differ on another machine.",
        bytes(content.source.context().budget.memory)));
    html.open_details(fmt::format("Candidates ({})", rows.size()));
    html.table("Candidates",
               {{"operator + solver"}, {"memory", true}, {"time", true}, {"error"}, {"verdict"}},
               rows);
    html.close_details();
  }
  html.close_section();
}

void add_origin(Content& content) {
  const Model& model = content.model();
  Html& html = content.html;
  html.open_section("origin", "How it was made");
  if (!content.options.commands.empty()) {
    html.paragraph("The commands that make the model and this page again:");
    html.code(content.options.commands);
    html.remark(
        "Options by which the table was read are not kept in a model; where guesses were overruled "
        "in the fit, they must be given again.");
  }
  html.open_facts();
  html.fact("Fitted by", model.written_by.empty() ? "not recorded" : "Mercer " + model.written_by);
  html.fact("Page made by", fmt::format("Mercer {}", version()));
  html.fact("Processor level", name_of(cpu_level()), "of the machine that made the page");
  html.close_facts();
  html.close_section();
}

}  // namespace mercer::page::detail
