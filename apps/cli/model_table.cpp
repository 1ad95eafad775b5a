#include "apps/cli/model_table.h"

#include "apps/cli/arguments.h"
#include "apps/cli/report_text.h"
#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/data/sparse.h"
#include "mercer/io/encoding.h"
#include "mercer/models/ability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// Those of the names that the table has, but not as numbers: "x" (text).
std::string set_aside_among(const std::vector<std::string>& wanted, const ColumnUse& use) {
  std::vector<std::string> names;
  for (const SetAside& column : use.set_aside)
    if (names.size() < 5 && std::ranges::find(wanted, column.name) != wanted.end())
      names.push_back(fmt::format("\"{}\" ({})", printable(column.name), printable(column.reason)));
  return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_count(const Table& table, const Model& model, bool by_name) {
  const Dataset& data = table.data;
  if (model.needs_cross_matrix()) model.check_width(data.dim());
  const std::vector<std::string>& wanted = model.input.column_names;
  std::string message = fmt::format("the model expects {}, got {}",
                                    number_of(model.report.dim, "column"), data.dim());
  const std::string missing = by_name ? lacking(wanted, data.column_names) : "";
  const std::string extra = by_name ? lacking(data.column_names, wanted) : "";
  if (!missing.empty()) message += "; missing: " + missing;
  if (!extra.empty()) message += "; not in the model: " + extra;
  const std::string aside = by_name ? set_aside_among(wanted, table.use) : "";
  if (!aside.empty()) message += "; set aside here: " + aside;
  throw Error(ErrorCode::wrong_columns, message,
              missing.empty() && !extra.empty()
                  ? "leave out what the model does not know: --drop " + extra
                  : "give every column the model was fitted on, by --columns if need be");
}

[[noreturn]] void refuse_width(const Dataset& data, const Model& model) {
  const Index known = model.report.dim, extra = data.dim() - known;
  throw Error(ErrorCode::wrong_columns,
              fmt::format("the model expects {}, got {}", number_of(known, "column"), data.dim()),
              extra == 1
                  ? fmt::format("leave out what the model does not know: --drop {}", known + 1)
                  : "give rows with the columns the model was fitted on, or fit it again");
}

// A changed copy of the rows, counted from before it is made.
template <class Make>
Dataset counted(const Dataset& data, const Context& context, Make&& make) {
  MemoryAccount::Hold held = context.hold(data.bytes(), "the rows with the model's columns");
  Dataset made = make();
  if (made.view().data() == data.view().data()) return made;  // nothing had to be changed
  held = {};
  made.hold(context);
  return made;
}

Dataset widened(const Dataset& data, const Model& model, Terminal& terminal) {
  const Index dim = model.report.dim;
  Dataset wide(sparse_copy(data), dim);
  wide.column_names = *model.input.column_names;
  wide.labels = data.labels;
  wide.ids = data.ids;
  terminal.line(fmt::format("         the model has {} columns: those after {} are zero here",
                            grouped(dim), grouped(data.dim())));
  return wide;
}

// Where the columns of a model of a table without names stood in it: they are called col3, col7.
std::vector<Index> places_known_to(const Model& model) {
  std::vector<Index> places;
  if (model.input.named_columns || model.input.use.width == 0) return places;
  for (const std::string& name : *model.input.column_names) {
    const auto number = name.starts_with("col") ? parse_number(name.substr(3)) : std::nullopt;
    if (!number || !(*number >= 1 && *number <= static_cast<double>(model.input.use.width)) ||
        *number != std::floor(*number))
      return {};
    places.push_back(static_cast<Index>(*number) - 1);
  }
  return places;
}

// Of a table of as many columns as the model's had, both without names: where its columns stand
// among those that were read; empty where they cannot be told, or are in order.
std::vector<Index> by_place(const Table& table, const Model& model) {
  const std::vector<Index> places = places_known_to(model);
  if (places.empty() || table.use.width != model.input.use.width) return {};
  std::unordered_map<Index, Index> there;
  for (Index j = 0; j < table.data.dim(); ++j) there.emplace(table.use.place(j), j);
  std::vector<Index> order;
  for (const Index place : places) {
    const auto found = there.find(place);
    if (found == there.end()) return {};
    order.push_back(found->second);
  }
  const bool as_it_is =
      static_cast<Index>(order.size()) == table.data.dim() && std::ranges::is_sorted(order);
  return as_it_is ? std::vector<Index>() : order;
}

bool fills(std::string_view policy) { return policy == "mean" || policy == "median"; }

bool has_figures(const Model& model) {
  return fills(model.input.missing) && model.input.fill.size() == model.report.dim;
}

void check_figures(const std::string& policy, const Model& model) {
  if (policy == "model" && !model.takes_gaps())
    throw Error(ErrorCode::bad_option_value,
                "--missing model: this model needs rows without missing values",
                ability<Imputes>(model) != nullptr
                    ? "fill them in first: mercer impute MODEL TABLE"
                    : "use --missing drop, or fit another model with --missing model");
  const bool any = has_figures(model);
  if (!fills(policy) || (any && model.input.missing == policy)) return;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("the model holds no column {}s{}", policy,
                          any ? ", but " + model.input.missing + "s" : ""),
              fmt::format("{}fit it with --missing {}",
                          any ? "use --missing " + model.input.missing + ", or " : "", policy));
}

// What to do about missing values depends on what the model holds, which no reader knows.
std::string hint_for(const std::string& policy, const Model& model) {
  const std::string skip = policy == "error" ? "skip those rows with --missing drop, leave their "
                                               "results empty with --missing keep, or "
                                             : "";
  if (model.takes_gaps()) return skip + "leave them to the model with --missing model";
  if (model.needs_cross_matrix())  // its columns are samples, which have no figures
    return policy == "error" ? skip + "complete them"
                             : "complete those rows: the model needs a value for each sample";
  if (!has_figures(model)) return skip + "fit the model with --missing mean to fill them in";
  return fmt::format("{0}fill them in by the training rows' {1}s with --missing {1}", skip,
                     model.input.missing);
}

Table read_for(const std::string& path, const ReadOptions& options, const Model& model,
               const Context& context, Terminal& terminal) {
  try {
    return read_and_tell(path, options, context, terminal);
  } catch (const Error& error) {
    // Infinite values have another hint, which stands.
    const bool gaps = error.code() == ErrorCode::missing_values &&
                      error.hint().find("--missing mean") != std::string::npos;
    if (!gaps) throw;
    throw Error(error.code(), error.message(), hint_for(options.columns.missing, model),
                error.place());
  }
}

// What is done about missing values where nobody says: what was done in the fit, if the model can.
std::string policy_of(const ColumnOptions& columns, const Model& model) {
  if (columns.missing_given) return columns.missing;
  const std::string& own = model.input.missing;
  const bool able =
      fills(own) ? has_figures(model) : own == "drop" || (own == "model" && model.takes_gaps());
  return able ? own : "error";
}

}  // namespace

KnownColumns columns_known_to(const Model& first) {
  KnownColumns known;
  if (first.input.named_columns)
    known.names = source_names(first.input.column_names, first.input.use.encoded);
  known.encoded = first.input.use.encoded;
  known.places = places_known_to(first);
  known.width = first.input.use.width;
  // A column that happens to be empty in the new rows is still a column; indices count as they did.
  known.keep_empty = true;
  return known;
}

ReadOptions reading_for(const Model& model, ReadOptions options) {
  if (!options.columns.encode.empty())
    throw Error(ErrorCode::bad_option_value, "--encode: a model encodes columns as in its fit",
                "drop --encode");
  const Model& first = model.first();  // the rows are those of its table
  if (options.columns.unknown_is_zero && first.input.use.encoded.empty())
    throw Error(ErrorCode::bad_option_value, "--encode-unknown zero: the model encodes no column",
                "drop --encode-unknown");
  KnownColumns& known = options.columns.known;
  known = columns_known_to(first);
  known.label = model.input.labels->name;
  known.targets = model.input.target_names;
  known.keep_targets = true;
  known.first_index = first.input.first_index;
  options.columns.missing = policy_of(options.columns, first);
  return options;
}

Dataset match_columns(const Table& table, const Model& model, const Context& context,
                      Terminal& terminal) {
  const std::vector<std::string>& wanted = model.input.column_names;
  const bool by_name = model.input.named_columns && table.named_columns && !wanted.empty();
  const Dataset& data = table.data;
  if (const std::vector<Index> order = by_place(table, model); !order.empty())
    return counted(data, context, [&] { return data.columns(order); });
  if (data.sparse() && !by_name) {
    if (data.dim() > model.report.dim) refuse_width(data, model);
    if (data.dim() == model.report.dim) return data;
    return counted(data, context, [&] { return widened(data, model, terminal); });
  }
  if (data.dim() != model.report.dim) refuse_count(table, model, by_name);
  if (!by_name || data.column_names == wanted) return data;
  std::vector<Index> order;
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(data.column_names, name);
    if (found == data.column_names.end())
      throw Error(
          ErrorCode::renamed_columns,
          fmt::format("the table lacks {} and has {} instead", lacking(wanted, data.column_names),
                      lacking(data.column_names, wanted)),
          table.format == "csv"
              ? "rename the columns, or match by position with --header no --skip 1"
              : "rename the columns");
    order.push_back(static_cast<Index>(found - data.column_names.begin()));
  }
  terminal.line("         columns are in another order than the model's: matched by name");
  return counted(data, context, [&] { return data.columns(order); });
}

NewRows read_new_rows(const std::string& path, ReadOptions options, const Model& model,
                      const Context& context, Terminal& terminal, bool with_gaps) {
  const Model& first = model.first();
  options = reading_for(model, std::move(options));
  const std::string policy = options.columns.missing;
  check_figures(policy, first);
  if (fills(policy)) options.columns.missing = "keep";  // the columns may still be in another order
  const Table table = read_for(path, options, first, context, terminal);
  NewRows rows{about(path, [&] { return match_columns(table, first, context, terminal); }),
               table.targets,
               {},
               table.ids_name,
               table.warnings,
               {},
               table.image_shape};
  Index filled = 0;
  if (fills(policy)) {
    rows.data = counted(rows.data, context, [&] {
      WithoutMissing whole = fill_missing(rows.data, first.input.fill, context);
      filled = whole.cells_filled;
      return std::move(whole.data);
    });
  }
  if (rows.data.held_bytes() == 0) rows.data.hold(context);  // it is a copy
  if (filled > 0)
    terminal.line(fmt::format("         {} missing value{} filled in by the training rows' {}s",
                              grouped(filled), filled == 1 ? "" : "s", policy));
  rows.missing["policy"] = policy;
  rows.missing["rows_dropped"] = table.gaps.rows_dropped;
  rows.written = WrittenRows(rows.data);
  if (policy == "keep" && !with_gaps)
    rows.written.leave_out_gaps(rows.data, rows.targets, context, terminal);
  rows.missing["rows_empty"] = rows.written.n() - rows.data.n();
  rows.missing["cells_filled"] = filled;
  return rows;
}

void remember_missing(const Table& table, const std::string& policy, InputInfo& input) {
  input.missing = policy;
  input.fill = table.gaps.fill;
  input.rows_dropped = table.gaps.rows_dropped;
  input.cells_filled = table.gaps.cells_filled;
}

Warnings inherited_warnings(const Model& model) {
  Warnings warnings;
  for (const Warning& warning : model.report.warnings)
    if (warning.code == WarningCode::tolerance_not_reached ||
        warning.code == WarningCode::not_complete || warning.code == WarningCode::time_ran_out)
      warnings.push_back({warning.code, "when the model was fitted: " + warning.message});
  return warnings;
}

Value warning_list(const Warnings& warnings) {
  Value list = Value::list();
  for (const Warning& warning : warnings) {
    Value entry;
    entry["code"] = code_text(warning.code);
    entry["message"] = warning.message;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<std::string> score_names(Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back(fmt::format("PC{}", i + 1));
  return names;
}

}  // namespace mercer::cli
