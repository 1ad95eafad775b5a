#include "apps/cli/model_table.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {
namespace {

// Names of `wanted` that `there` lacks, at most five, for a message.
std::string lacking(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  std::vector<std::string> names;
  for (const std::string& name : wanted)
    if (std::ranges::find(there, name) == there.end())
      names.push_back("\"" + printable(name) + "\"");
  if (names.size() > 5) {
    names.resize(5);
    names.emplace_back("…");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_count(const Dataset& data, const Model& model, bool by_name) {
  const auto& wanted = model.input.column_names;
  std::string message =
      fmt::format("the model expects {} columns, got {}", model.report.dim, data.dim());
  const std::string missing = by_name ? lacking(wanted, data.column_names) : "";
  const std::string extra = by_name ? lacking(data.column_names, wanted) : "";
  if (!missing.empty()) message += "; missing: " + missing;
  if (!extra.empty()) message += "; not in the model: " + extra;
  throw Error(ErrorCode::wrong_columns, message,
              missing.empty() && !extra.empty()
                  ? "leave out what the model does not know: --drop " + extra
                  : "give every column the model was fitted on, by --columns if need be");
}

}  // namespace

Dataset match_columns(const Table& table, const Model& model, Terminal& terminal) {
  const std::vector<std::string>& wanted = model.input.column_names;
  const bool by_name = model.input.named_columns && table.named_columns && !wanted.empty();
  const Dataset& data = table.data;
  if (data.dim() != model.report.dim) refuse_count(data, model, by_name);
  if (!by_name || data.column_names == wanted) return data;
  std::vector<Index> order;
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(data.column_names, name);
    if (found == data.column_names.end())
      throw Error(
          ErrorCode::renamed_columns,
          fmt::format("the table lacks {} and has {} instead", lacking(wanted, data.column_names),
                      lacking(data.column_names, wanted)),
          "rename the columns, or match by position with --header no --skip 1");
    order.push_back(static_cast<Index>(found - data.column_names.begin()));
  }
  terminal.line("         columns are in another order than the model's: matched by name");
  return data.columns(order);
}

std::vector<std::string> score_names(Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back(fmt::format("PC{}", i + 1));
  return names;
}

}  // namespace mercer::cli
