#include "mercer/models/kind.h"

#include "mercer/core/check.h"
#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>

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

// Other programs' names of the default method. By letters alone another one is nearer to these.
bool means_default(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ')
      letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return letters == "kpca" || letters == "kernpca" || letters == "kernelpca";
}

std::string methods_with(Ability ability) {
  std::vector<std::string> names;
  for (const ModelKind* kind : model_kinds()) {
    const std::string_view option =
        ability == Ability::inverts ? kind->abilities.inverse_option() : std::string_view();
    if (!option.empty()) names.push_back(fmt::format("{} with {}", kind->name, option));
    if (kind->abilities.has(ability)) names.emplace_back(kind->name);
  }
  return names.empty() ? "" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const ModelKind& model_kind(std::string_view name) {
  std::vector<std::string> known;
  for (const ModelKind* kind : model_kinds()) {
    if (kind->name == name) return *kind;
    known.emplace_back(kind->name);
  }
  throw Error(ErrorCode::unknown_name, fmt::format("unknown method \"{}\"", printable(name)),
              suggest(means_default(name) ? kDefaultMethod : name, known, "methods"));
}

bool ModelKind::has_option(std::string_view option) const {
  const std::vector<OptionInfo> all = options();
  return std::ranges::find(all, option, &OptionInfo::name) != all.end();
}

Value ModelKind::describe() const {
  Value entry;
  entry["name"] = name;
  entry["summary"] = summary;
  entry["abilities"] = Value::list();
  for (int i = 0; i < kAbilities; ++i)
    if (abilities.has(static_cast<Ability>(i)))
      entry["abilities"].push_back(name_of(static_cast<Ability>(i)));
  const auto word = [](Need need) {
    return need == Need::must ? "must" : need == Need::may ? "may" : "no";
  };
  if (!abilities.inverse_option().empty()) entry["inverse_option"] = abilities.inverse_option();
  Value& learns = entry["takes"];
  learns["labels"] = word(takes.labels);
  learns["targets"] = word(takes.targets);
  learns["missing"] = takes.missing;
  learns["pairs"] = takes.pairs;
  learns["weights"] = takes.weights;
  learns["sparse"] = takes.sparse;
  entry["options"] = Value::list();
  for (const OptionInfo& option : options()) entry["options"].push_back(option.describe());
  return entry;
}

std::unique_ptr<Model> fit_model(std::string_view method, const Training& training,
                                 const Value& options, const Context& context) {
  const ModelKind& kind = model_kind(method);
  const Prepared prepared = kind.prepare(training, options, context);
  const Plan plan = kind.plan(prepared, options, context);
  return kind.fit(prepared, options, plan, context);
}

namespace {

// The state of the model that one stands on, taken out of its own.
State inner_state(State& state) {
  State inner{state.values["on"]["method"].as_text(), state.values["on"], {}};
  std::vector<Array> own;
  for (Array& array : state.arrays) {
    const bool of_inner = array.name.starts_with(kInnerArrays);
    if (of_inner) array.name.erase(0, kInnerArrays.size());
    (of_inner ? inner.arrays : own).push_back(std::move(array));
  }
  state.arrays = std::move(own);
  return inner;
}

std::unique_ptr<Model> model_from(State state, int depth) {
  constexpr int kDeepest = 8;  // of models that stand on others
  std::shared_ptr<const Model> on;
  if (state.values.is_object() && state.values["on"].is_object()) {
    require(depth < kDeepest, ErrorCode::bad_model_content,
            "more than 8 models stand on each other");
    on = model_from(inner_state(state), depth + 1);
  }
  for (const ModelKind* kind : model_kinds()) {
    if (kind->name != state.kind) continue;
    std::unique_ptr<Model> model = kind->load(std::move(state));
    if (on != nullptr) stand_on(*model, std::move(on));
    return model;
  }
  throw Error(ErrorCode::bad_model_content,
              fmt::format("this version knows no model of kind \"{}\"", printable(state.kind)),
              "update Mercer, or fit again");
}

}  // namespace

std::unique_ptr<Model> model_from(State state) { return model_from(std::move(state), 0); }

void stand_on(Model& model, std::shared_ptr<const Model> on) {
  const auto* transforms = ability<Transforms>(*on);
  if (transforms == nullptr || transforms->score_columns() != model.report.dim)
    throw Error(ErrorCode::bad_model_content,
                fmt::format("a {} model of {} columns cannot stand on the scores of this {} model",
                            model.kind(), model.report.dim, on->kind()));
  model.on = std::move(on);
}

void refuse_ability(Ability ability, const Model& model) {
  const std::string able = methods_with(ability);
  const std::string hint =
      able.empty() ? "no method of this version can" : "methods that can: " + able;
  if (ability == Ability::inverts) {
    const auto* may = dynamic_cast<const Inverts*>(&model);
    throw Error(ErrorCode::no_inverse, fmt::format("this {} model has no inverse", model.kind()),
                may != nullptr ? fmt::format("fit it with {}", may->inverse_with()) : hint);
  }
  throw Error(ErrorCode::lacks_ability,
              fmt::format("a {} model cannot {}", model.kind(), name_of(ability)), hint);
}

void refuse_start(std::string_view method) {
  std::vector<std::string_view> able;
  for (const ModelKind* kind : model_kinds())
    if (kind->takes.start) able.push_back(kind->name);
  throw Error(ErrorCode::bad_option_value, fmt::format("method {} has no use for a start", method),
              fmt::format("drop --start; methods that can begin from another model: {}",
                          fmt::join(able, ", ")));
}

namespace detail {

void complete(Model& model, const Prepared& prepared, Value options) {
  // A method that walked over chunks found these itself.
  if (prepared.source == nullptr) model.scaler = prepared.scaler;
  const std::string found = std::move(model.input.fingerprint);
  model.input = prepared.input;
  if (prepared.source != nullptr) model.input.fingerprint = found;
  model.options = std::move(options);
  Report& report = model.report;
  report.n = prepared.rows.n();
  report.dim = prepared.rows.dim();
  report.warnings.insert(report.warnings.begin(), prepared.warnings.begin(),
                         prepared.warnings.end());
}

}  // namespace detail
}  // namespace mercer
