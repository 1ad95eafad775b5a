#include "mercer/models/model.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/text.h"
#include "mercer/core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mercer {

void Model::check_width(Index columns) const {
  if (on != nullptr) return on->check_width(columns);
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

void add_columns(const InputInfo& input, Value& value) {
  value["columns"] = input.column_names->empty() ? Value() : Value::of(*input.column_names);
  value["set_aside"] = Value::list();
  for (const SetAside& column : input.use.set_aside) {
    Value entry;
    entry["name"] = column.name;
    entry["reason"] = column.reason;
    value["set_aside"].push_back(std::move(entry));
  }
  value["set_aside_count"] = input.use.set_aside_count;
  value["encoded"] = Value::list();
  for (const Encoding& encoding : input.use.encoded) {
    Value entry;
    entry["column"] = encoding.column;
    entry["as"] = encoding.as;
    entry["levels"] = Value::of(encoding.levels);
    if (!encoding.shares.empty()) {
      entry["shares"] = Value::list();
      for (const double share : encoding.shares) entry["shares"].push_back(share);
    }
    if (!encoding.format.empty()) entry["format"] = encoding.format;
    value["encoded"].push_back(std::move(entry));
  }
}

Value Model::summary() const {
  Value value;
  value["schema"] = 1;
  value["version"] = version();
  value["method"] = kind();
  value["n"] = report.n;
  value["dim"] = report.dim;
  value["labels"] = input.labels->count();
  value["kernel"] = kernel_description();
  add_columns(input, value);
  value["scale"] = scaler.kind();
  value["input"] = input.name;
  value["fingerprint"] = input.fingerprint;
  Value& missing = value["missing"];
  missing["policy"] = input.missing;
  missing["rows_dropped"] = input.rows_dropped;
  missing["cells_filled"] = input.cells_filled;
  value["options"] = options;
  if (on != nullptr) value["on"] = on->summary();
  report.add_to(value);
  return value;
}

namespace {

// Names as the bytes of all of them and where each ends: they may hold anything.
void save_row_names(const std::vector<std::string>& names, State& state) {
  Array bytes{"row_names", ArrayType::U8, {}, {}}, ends{"row_names.ends", ArrayType::I64, {}, {}};
  ends.bytes.resize(names.size() * sizeof(std::int64_t));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* begin = reinterpret_cast<const std::byte*>(names[i].data());
    bytes.bytes.insert(bytes.bytes.end(), begin, begin + names[i].size());
    const auto end = static_cast<std::int64_t>(bytes.bytes.size());
    std::memcpy(ends.bytes.data() + i * sizeof end, &end, sizeof end);
  }
  if (bytes.bytes.empty()) return;
  bytes.shape = {static_cast<Index>(bytes.bytes.size())};
  ends.shape = {static_cast<Index>(names.size())};
  state.arrays.push_back(std::move(bytes));
  state.arrays.push_back(std::move(ends));
}

void save_for_pictures(const Model& model, State& state) {
  save_row_names(*model.input.row_names, state);
  if (model.kept_scores->size() > 0) state.add("training.scores", *model.kept_scores);
  if (model.input.image_shape.empty()) return;
  Value& shape = state.values["image_shape"];
  for (const Index extent : model.input.image_shape) shape.push_back(extent);
}

}  // namespace

State Model::state() const { return state_with(false); }

State Model::viewed_state() const { return state_with(true); }

State Model::state_with(bool views) const {
  State state;
  state.views = views;
  state.kind = kind();
  state.values = summary();
  if (!input.target_names.empty()) state.values["targets"] = Value::of(input.target_names);
  if (input.use.width > 0) state.values["table_columns"] = input.use.width;
  state.values["named_columns"] = input.named_columns;
  if (input.first_index) state.values["first_index"] = *input.first_index;
  if (!input.labels->empty()) {
    Value& labels = state.values["label"];
    labels["name"] = input.labels->name;
    labels["classes"] = Value::of(input.labels->classes);
    Array rows{"labels", ArrayType::I32, {static_cast<Index>(input.labels->of_row.size())}, {}};
    rows.bytes.resize(input.labels->of_row.size() * sizeof(std::int32_t));
    for (std::size_t i = 0; i < input.labels->of_row.size(); ++i) {
      const auto number = static_cast<std::int32_t>(input.labels->of_row[i]);
      std::memcpy(rows.bytes.data() + i * sizeof number, &number, sizeof number);
    }
    state.arrays.push_back(std::move(rows));
  }
  if (input.fill.size() > 0) state.add("fill", input.fill);
  save_for_pictures(*this, state);
  scaler.save(state);
  save(state);
  if (on == nullptr) return state;
  State inner = on->state_with(views);
  state.values["on"] = std::move(inner.values);
  for (Array& array : inner.arrays) {
    array.name = kInnerArrays + array.name;
    state.arrays.push_back(std::move(array));
  }
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
  if (!fills && input.missing != "error" && input.missing != "drop" && input.missing != "model")
    missing.refuse("policy", fmt::format("\"{}\" is not known", printable(input.missing)));
  input.rows_dropped = missing.count("rows_dropped", 0);
  input.cells_filled = missing.count("cells_filled", 0);
  if (const Array* fill = state.find("fill")) input.fill = fill->as_vector();
  const bool fits = input.fill.size() == 0 || (input.fill.size() == dim && input.fill.allFinite());
  require(fits, ErrorCode::bad_model_content,
          "array \"fill\" is not one finite number for each column");
}

Encoding encoding_in(const Fields& fields) {
  Encoding encoding{fields.text("column"), fields.text("as"), fields.texts("levels")};
  const auto refuse_word = [&](const char* name, const std::string& word) {
    fields.refuse(name, fmt::format("\"{}\" is not known", printable(word)));
  };
  if (encoding.as == "date") {
    encoding.format = fields.text("format");
    if (encoding.format != "ymd" && encoding.format != "dmy" && encoding.format != "mdy")
      refuse_word("format", encoding.format);
    if (!encoding.levels.empty()) fields.refuse("levels", "dates have none");
    return encoding;
  }
  if (encoding.as != "onehot" && encoding.as != "ordinal" && encoding.as != "frequency")
    refuse_word("as", encoding.as);
  if (!std::ranges::is_sorted(encoding.levels)) fields.refuse("levels", "they are not sorted");
  if (encoding.as != "frequency") return encoding;
  const Vector shares = fields.numbers("shares", static_cast<Index>(encoding.levels.size()));
  encoding.shares.assign(shares.begin(), shares.end());
  return encoding;
}

// Models written before this was recorded have none of it.
ColumnUse use_in(const Fields& fields) {
  ColumnUse use;
  if (!fields.has("set_aside")) return use;
  for (const Value& entry : fields.list("set_aside")) {
    const Fields column(entry, "set_aside");
    use.set_aside.push_back({column.text("name"), column.text("reason")});
  }
  if (fields.has("encoded"))
    for (const Value& entry : fields.list("encoded"))
      use.encoded.push_back(encoding_in(Fields(entry, "encoded")));
  use.set_aside_count = fields.count("set_aside_count", static_cast<Index>(use.set_aside.size()));
  if (fields.has("table_columns")) use.width = fields.count("table_columns", 1);
  return use;
}

std::vector<std::string> row_names_in(const State& state, Index n) {
  const Array* bytes = state.find("row_names");
  if (bytes == nullptr) return {};
  const Array& ends = state.array("row_names.ends");
  const bool shaped = bytes->type == ArrayType::U8 && bytes->shape.size() == 1 &&
                      ends.type == ArrayType::I64 && ends.shape == std::vector<Index>{n};
  require(shaped, ErrorCode::bad_model_content, "array \"row_names\" is not one name for each row");
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(n));
  std::int64_t begin = 0;
  for (Index i = 0; i < n; ++i) {
    std::int64_t end = 0;
    std::memcpy(&end, ends.bytes.data() + static_cast<std::size_t>(i) * sizeof end, sizeof end);
    require(end >= begin && end <= bytes->shape[0], ErrorCode::bad_model_content,
            "array \"row_names.ends\": a name does not end after its beginning");
    const auto* text = reinterpret_cast<const char*>(bytes->bytes.data());
    names.emplace_back(text + begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return names;
}

Block kept_scores_in(const State& state, Index n) {
  if (state.find("training.scores") == nullptr) return {};
  Block scores = state.array("training.scores").as_points();
  require(scores.rows() == n && scores.allFinite(), ErrorCode::bad_model_content,
          "array \"training.scores\" is not one row of finite numbers for each training row");
  return scores;
}

std::vector<Index> image_shape_in(const Fields& fields, Index dim) {
  if (!fields.has("image_shape")) return {};
  constexpr Index kLongest = 1'000'000;  // sides; so that their product is far from the largest
  std::vector<Index> shape;
  Index product = 1;
  for (const Value& extent : fields.list("image_shape")) {
    const bool fits = extent.is_integer() && extent.as_integer() >= 1 &&
                      extent.as_integer() <= kLongest && shape.size() < 3;
    if (!fits) fields.refuse("image_shape", "expected height, width and perhaps channels");
    shape.push_back(extent.as_integer());
    product *= shape.back();
  }
  if (shape.size() < 2 || product != dim)
    fields.refuse("image_shape", fmt::format("images of {} columns", dim));
  return shape;
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
  report = Report::from(state.values);
  const Fields fields(state.values);
  input.name = fields.text("input");
  input.fingerprint = fields.text("fingerprint");
  options = options_in(fields);
  if (fields.has("version")) written_by = fields.text("version");
  if (fields.has("columns")) {
    fields.list("columns", report.dim);
    input.column_names = fields.texts("columns");
  }
  input.use = use_in(fields);
  if (fields.has("targets")) input.target_names = fields.texts("targets");
  input.named_columns = fields.flag("named_columns");
  if (input.named_columns && input.column_names->empty())
    fields.refuse("columns", "the model has named columns and no names");
  if (const Array* rows = state.find("labels"))
    input.labels = labels_from(fields.object("label"), *rows, report.n);
  load_missing(state, report.dim, input);
  input.row_names = row_names_in(state, report.n);
  input.image_shape = image_shape_in(fields, report.dim);
  kept_scores = kept_scores_in(state, report.n);
  if (fields.has("first_index")) input.first_index = fields.count("first_index", 0, 1);
  scaler = Scaler::load(state, report.dim);
}

const Spectrum& Model::loaded_spectrum(const State& state) const {
  if (!report.spectrum) Fields(state.values).refuse("eigenvalues", "there are none");
  return *report.spectrum;
}

}  // namespace mercer
