// mercer list [kernels|methods|operators|solvers|formats|data]: the catalogues.
#include "apps/cli/command.h"
#include "apps/cli/render/table.h"
#include "apps/cli/report_text.h"
#include "mercer/data/generator.h"
#include "mercer/io/table.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/kind.h"
#include "mercer/operators/recipe.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <array>
#include <functional>

namespace mercer::cli {
namespace list_command {
namespace {

const std::array<std::string, 6>& catalogues() {
  static const std::array<std::string, 6> kAll = {"kernels", "methods", "operators",
                                                  "solvers", "formats", "data"};
  return kAll;
}

struct Row {
  std::string name, summary, detail;
};

std::vector<Row> rows_of(const std::string& catalogue) {
  std::vector<Row> rows;
  if (catalogue == "kernels")
    for (const FamilyInfo& family : kernel_families())
      rows.push_back(
          {family.alias.empty() ? family.name : fmt::format("{} ({})", family.name, family.alias),
           family.formula, fmt::format("{}   {}", family.parameters, family.summary)});
  if (catalogue == "methods")
    for (const ModelKind* kind : model_kinds())
      rows.push_back(
          {std::string(kind->name), std::string(kind->summary), abilities_text(kind->abilities)});
  if (catalogue == "operators")
    for (const OperatorRecipe* recipe : operator_recipes())
      rows.push_back({std::string(recipe->name), std::string(recipe->summary), ""});
  if (catalogue == "solvers")
    for (const SolverRecipe* recipe : solver_recipes())
      rows.push_back({std::string(recipe->name), std::string(recipe->summary),
                      recipe->variants.empty()
                          ? ""
                          : fmt::format("{}:{}", recipe->name, fmt::join(recipe->variants, "|"))});
  if (catalogue == "formats")
    for (const TableFormat* format : table_formats())
      rows.push_back({std::string(format->name), std::string(format->summary),
                      fmt::format("{}{}{}", fmt::join(format->extensions, " "),
                                  format->extensions.empty() ? "" : ", ",
                                  format->write == nullptr ? "read only" : "read and written")});
  if (catalogue == "data")
    for (const Generator* generator : generators())
      rows.push_back({std::string(generator->name), std::string(generator->summary), ""});
  return rows;
}

// What other programs need to call a method, beside its name and summary.
void add_description(const ModelKind& kind, Value& entry) {
  const Value description = kind.describe();
  for (const auto& [member, value] : description.as_object())
    if (member != "name" && member != "summary") entry[member] = value;
}

int run(const std::string& chosen, Terminal& terminal) {
  const std::array<std::string, 6>& all = catalogues();
  if (!chosen.empty() && std::ranges::find(all, chosen) == all.end())
    throw Error(ErrorCode::unknown_name, fmt::format("unknown catalogue \"{}\"", chosen),
                suggest(chosen, all, "catalogues"));
  Value value;
  value["schema"] = 1;
  std::string text;
  for (const std::string& catalogue : all) {
    if (!chosen.empty() && catalogue != chosen) continue;
    TextTable table({catalogue, "", ""});
    Value& list = value[catalogue];
    list = Value::list();
    for (const Row& row : rows_of(catalogue)) {
      table.add({"  " + row.name, row.summary, row.detail});
      Value entry;
      entry["name"] = row.name.substr(0, row.name.find(' '));
      entry[catalogue == "kernels" ? "formula" : "summary"] = row.summary;
      if (!row.detail.empty()) entry["detail"] = row.detail;
      if (catalogue == "methods") add_description(model_kind(row.name), entry);
      list.push_back(std::move(entry));
    }
    text += table.text() + (chosen.empty() && catalogue != all.back() ? "\n" : "");
  }
  if (terminal.json)
    terminal.result(value);
  else
    terminal.data(text);
  return 0;
}

}  // namespace
}  // namespace list_command

void add_list(Program& program) {
  using namespace list_command;
  const auto chosen = std::make_shared<std::string>();
  Command command = program.command(
      "list", "the catalogues: kernels, methods, operators, solvers, formats, data");
  command.positional("CATALOGUE", *chosen, "one of them (default: all)", false)
      .choices.assign(catalogues().begin(), catalogues().end());
  command.quick();
  command.run([chosen](Terminal& terminal) { return run(*chosen, terminal); });
}

}  // namespace mercer::cli
