#include "mercer/models/model.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/core/version.h"
#include "mercer/data/summary.h"
#include "mercer/operators/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mercer {

#define MERCER_ENTRY(name, Type) const ModelKind& name##_kind();
#include "mercer/models/catalog.def"
#undef MERCER_ENTRY

std::vector<const ModelKind*> model_kinds() {
  return {
#define MERCER_ENTRY(name, Type) &name##_kind(),
#include "mercer/models/catalog.def"
#undef MERCER_ENTRY
  };
}

namespace {

// Other programs' names of kernel PCA. By letters alone the nearest name to these is pca.
bool means_kernel_pca(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ')
      letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return letters == "kpca" || letters == "kernpca" || letters == "kernelpca";
}

}  // namespace

const ModelKind& model_kind(std::string_view name) {
  std::vector<std::string> known;
  for (const ModelKind* kind : model_kinds()) {
    if (kind->name == name) return *kind;
    known.emplace_back(kind->name);
  }
  throw Error(ErrorCode::unknown_name, fmt::format("unknown method \"{}\"", printable(name)),
              suggest(means_kernel_pca(name) ? "kernel_pca" : name, known, "methods"));
}

namespace {

void check_options(const ModelKind& kind, const FitOptions& options) {
  check_tolerance(options.tolerance);
  if (!(options.tolerance.value() < 1))
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("tolerance = {}: must lie strictly between 0 and 1", options.tolerance.value()),
        "the default is 1e-6");
  const FitOptions defaults;
  if (!kind.uses_kernel && options.kernel != defaults.kernel)
    throw Error(ErrorCode::bad_option_value, fmt::format("method {} has no kernel", kind.name),
                "drop the kernel, or use method kernel_pca");
  if (!kind.uses_kernel && options.as != defaults.as)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("method {} reads a table, not a matrix of pairs", kind.name),
                "use method kernel_pca, or drop --as");
  if (options.as != defaults.as && options.scale != defaults.scale)
    throw Error(ErrorCode::bad_option_value, "a kernel or distance matrix has no columns to scale",
                "drop --scale");
  if (options.as != defaults.as && options.kernel != defaults.kernel)
    throw Error(ErrorCode::bad_option_value,
                "a kernel or distance matrix comes with its kernel already",
                "drop --kernel, or drop --as");
  if (kind.uses_kernel && options.whiten != defaults.whiten)
    throw Error(ErrorCode::bad_option_value, fmt::format("method {} cannot whiten", kind.name),
                "use method pca, or scale = whiten");
}

void check_rows(DataView rows) {
  require(rows.n() > 0, ErrorCode::no_rows, "the table has no rows");
  require(rows.dim() > 0, ErrorCode::nothing_numeric, "the table has no numeric column");
  require(rows.n() >= 2, ErrorCode::too_few_rows, "the table has 1 row; fitting needs at least 2",
          "fit on more rows");
}

std::uint64_t scaled_bytes(DataView rows) {
  return static_cast<std::uint64_t>(rows.n()) * static_cast<std::uint64_t>(rows.dim()) *
         sizeof(double);
}

// Scaling makes a copy, which is counted while it lives.
Dataset scaled_copy(DataView rows, const Scaler& scaler, const Context& context) {
  MemoryAccount::Hold held = context.hold(scaled_bytes(rows), "the scaled rows");
  Dataset copy(scaler.apply(rows, context));
  held = {};
  copy.hold(context);
  return copy;
}

// The rows as the method sees them: themselves, or a scaled copy.
DataView prepared(DataView rows, FitOptions& options, const Context& context, Scaler& scaler,
                  Dataset& copy, Warnings& warnings) {
  check_rows(rows);
  if (options.as != "table") return rows;  // the method looks at a matrix of pairs itself
  const Overview overview = look_over(rows, context);
  if (overview.all_rows_equal && options.center)
    throw Error(ErrorCode::all_rows_equal,
                fmt::format("all {} rows are identical: nothing to find", rows.n()),
                "check that the right columns were read");
  warnings = warnings_about(overview, rows.type());
  scaler = Scaler(options.scale, rows, context);
  if (!scaler.active()) return rows;
  std::erase_if(warnings, [](const Warning& w) { return w.code == WarningCode::scales_differ; });
  copy = scaled_copy(rows, scaler, context);
  options.owner = &copy;
  return copy;
}

FitOptions owned_by(const Dataset& rows, FitOptions options) {
  options.owner = &rows;
  return options;
}

}  // namespace

std::unique_ptr<Model> fit_model(std::string_view method, DataView rows, const FitOptions& asked,
                                 const Context& context) {
  const ModelKind& kind = model_kind(method);
  check_options(kind, asked);
  FitOptions options = asked;
  Scaler scaler;
  Dataset copy;
  Warnings warnings;
  const DataView ready = prepared(rows, options, context, scaler, copy, warnings);
  std::unique_ptr<Model> model = kind.fit(ready, options, context);
  model->scaler = std::move(scaler);
  model->report.warnings.insert(model->report.warnings.begin(), warnings.begin(), warnings.end());
  return model;
}

std::unique_ptr<Model> fit_model(std::string_view method, const Dataset& rows,
                                 const FitOptions& options, const Context& context) {
  return fit_model(method, rows.view(), owned_by(rows, options), context);
}

// Scaled rows are doubles without zeros. The planner looks at sizes, and at the numbers only to see
// whether they are whole or, in few dimensions, where they lie: there they are scaled indeed.
// Elsewhere one number stands for all.
Plan plan_model(std::string_view method, DataView rows, const FitOptions& options,
                const Context& context) {
  const ModelKind& kind = model_kind(method);
  check_options(kind, options);
  check_rows(rows);
  if (options.scale == "none") return kind.plan(rows, options, context);
  FitOptions scaled = options;
  Dataset copy;
  scaled.owner = &copy;
  if (rows.dim() <= kFewColumns) {
    copy = scaled_copy(rows, Scaler(options.scale, rows, context), context);
    return kind.plan(copy, scaled, context);
  }
  Scaler::check(options.scale, rows.dim(), context);
  Context with_copy = context;
  with_copy.budget.taken += scaled_bytes(rows);
  static constexpr double kAny = 0.5;
  return kind.plan(DataView(&kAny, Scalar::f64, rows.n(), rows.dim(), 0, 0), scaled, with_copy);
}

Plan plan_model(std::string_view method, const Dataset& rows, const FitOptions& options,
                const Context& context) {
  return plan_model(method, rows.view(), owned_by(rows, options), context);
}

void Model::check_width(Index columns) const {
  if (columns == report.dim) return;
  if (needs_cross_matrix())
    throw Error(
        ErrorCode::needs_cross_matrix,
        fmt::format(
            "the model was fitted on a matrix of {0} samples: a new row has {0} values, one "
            "for each of them; got {1}",
            report.dim, columns),
        "give the matrix of new against training samples, in their order");
  throw Error(ErrorCode::wrong_columns,
              fmt::format("the model expects {} columns, got {}", report.dim, columns),
              "give the columns the model was fitted on");
}

Points Model::lift_back(ConstBlockRef, const Context&) const { return {}; }

Value Model::summary() const {
  Value value;
  value["schema"] = 1;
  value["version"] = version();
  value["method"] = kind();
  value["n"] = report.n;
  value["dim"] = report.dim;
  value["labels"] = static_cast<std::int64_t>(input.labels.classes.size());
  value["kernel"] = kernel();
  value["scale"] = scaler.kind();
  value["input"] = input.name;
  value["fingerprint"] = input.fingerprint;
  Value& missing = value["missing"];
  missing["policy"] = input.missing;
  missing["rows_dropped"] = input.rows_dropped;
  missing["cells_filled"] = input.cells_filled;
  value["options"] = options;
  report.add_to(value);
  return value;
}

State Model::state() const { return state_with(false); }

State Model::viewed_state() const { return state_with(true); }

State Model::state_with(bool views) const {
  State state;
  state.views = views;
  state.kind = kind();
  state.values = summary();
  if (!input.column_names.empty()) state.values["columns"] = Value::of(input.column_names);
  state.values["named_columns"] = input.named_columns;
  if (input.first_index) state.values["first_index"] = *input.first_index;
  if (!input.labels.empty()) {
    Value& labels = state.values["label"];
    labels["name"] = input.labels.name;
    labels["classes"] = Value::of(input.labels.classes);
    Array rows{"labels", ArrayType::I32, {static_cast<Index>(input.labels.of_row.size())}, {}};
    rows.bytes.resize(input.labels.of_row.size() * sizeof(std::int32_t));
    for (std::size_t i = 0; i < input.labels.of_row.size(); ++i) {
      const auto number = static_cast<std::int32_t>(input.labels.of_row[i]);
      std::memcpy(rows.bytes.data() + i * sizeof number, &number, sizeof number);
    }
    state.arrays.push_back(std::move(rows));
  }
  if (input.fill.size() > 0) state.add("fill", input.fill);
  scaler.save(state);
  save(state);
  return state;
}

namespace {

Labels labels_from(const Fields& label, const Array& rows, Index n) {
  Labels labels{label.text("name"), label.texts("classes"), {}};
  const auto classes = static_cast<std::int32_t>(labels.classes.size());
  if (rows.type != ArrayType::I32 || rows.shape != std::vector<Index>{n})
    throw Error(ErrorCode::bad_model_content,
                fmt::format("array \"labels\" is not one whole number for each of {} rows", n));
  labels.of_row.reserve(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    std::int32_t number = 0;
    std::memcpy(&number, rows.bytes.data() + static_cast<std::size_t>(i) * sizeof number,
                sizeof number);
    require(number >= 0 && number < classes, ErrorCode::bad_model_content,
            "array \"labels\": a row has no class");
    labels.of_row.push_back(number);
  }
  return labels;
}

// Models written before missing values were recorded have none of this.
void load_missing(const State& state, Index dim, InputInfo& input) {
  if (state.values["missing"].is_null()) return;
  const Fields missing = Fields(state.values).object("missing");
  input.missing = missing.text("policy");
  const bool fills = input.missing == "mean" || input.missing == "median";
  if (!fills && input.missing != "error" && input.missing != "drop")
    missing.refuse("policy", fmt::format("\"{}\" is not known", printable(input.missing)));
  input.rows_dropped = missing.count("rows_dropped", 0);
  input.cells_filled = missing.count("cells_filled", 0);
  if (const Array* fill = state.find("fill")) input.fill = fill->as_vector();
  const bool fits = input.fill.size() == 0 || (input.fill.size() == dim && input.fill.allFinite());
  require(fits, ErrorCode::bad_model_content,
          "array \"fill\" is not one finite number for each column");
}

// One level of texts, numbers and flags: what a fit was asked for.
Value options_in(const Fields& fields) {
  if (!fields.has("options")) return {};
  const Fields options = fields.object("options");
  for (const auto& [name, value] : fields["options"].as_object())
    if (value.is_list() || value.is_object())
      options.refuse(printable(name), "expected text, a number, true or false");
  return fields["options"];
}

}  // namespace

void Model::load_common(const State& state) {
  report = FitReport::from(state.values);
  const Fields fields(state.values);
  input.name = fields.text("input");
  input.fingerprint = fields.text("fingerprint");
  options = options_in(fields);
  if (fields.has("columns")) {
    fields.list("columns", report.dim);
    input.column_names = fields.texts("columns");
  }
  input.named_columns = fields.flag("named_columns");
  if (input.named_columns && input.column_names.empty())
    fields.refuse("columns", "the model has named columns and no names");
  if (const Array* rows = state.find("labels"))
    input.labels = labels_from(fields.object("label"), *rows, report.n);
  load_missing(state, report.dim, input);
  if (fields.has("first_index")) input.first_index = fields.count("first_index", 0, 1);
  scaler = Scaler::load(state, report.dim);
}

std::unique_ptr<Model> model_from(State state) {
  for (const ModelKind* kind : model_kinds())
    if (kind->name == state.kind) return kind->load(std::move(state));
  throw Error(ErrorCode::bad_model_content,
              fmt::format("this version knows no model of kind \"{}\"", printable(state.kind)),
              "update Mercer, or fit again");
}

}  // namespace mercer
