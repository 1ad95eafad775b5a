// Models whose checksums are right and whose content is not: every value and every array of one
// model of each kind replaced by what it must not be. Loading gives a model or an error of exit
// status 7; what was loaded can be shown, saved and used; and nothing takes more memory than a
// small multiple of the file.
#include "mercer/core/error.h"
#include "mercer/io/json.h"
#include "mercer/io/model_file.h"
#include "mercer/models/kind.h"
#include "tests/io/model_zoo.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>

namespace mercer {
namespace hostile_models_test {

using test::model_zoo;
using test::ZooModel;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryCounts = false;  // sanitizers keep freed memory
#else
constexpr bool kMemoryCounts = true;
#endif

// A line of /proc/self/status, in bytes.
std::uint64_t status_of(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) * 1024;
  return 0;
}

// Largest memory of the process from now on counts anew.
std::uint64_t begin_counting() {
  std::ofstream("/proc/self/clear_refs") << "5";
  return status_of("VmRSS");
}

// The memory since then, for a file of this size.
void expect_little(std::uint64_t before, std::uint64_t size) {
  if (!kMemoryCounts) return;
  EXPECT_LE(status_of("VmHWM"), before + 20 * size + (std::uint64_t{64} << 20));
}

struct Outcome {
  std::string load = "loaded", use = "used";  // or the error
  std::optional<ErrorCode> refused = {};
};

void use(const Model& model) {
  to_json(model.summary());
  encode_model(model.state());
  Context context;
  context.budget.memory = std::uint64_t{64} << 20;
  context.budget.threads = 1;
  if (model.report.dim > 1000) return;
  const Points rows = Points::Constant(2, model.report.dim, 0.5);
  if (const auto* predicts = ability<Predicts>(model)) {
    EXPECT_EQ(predicts->predict(rows, context).rows(), 2);
  }
  const auto* transforms = ability<Transforms>(model);
  if (transforms == nullptr) return;
  const Block scores = transforms->transform(rows, context);
  EXPECT_EQ(scores.rows(), 2);
  EXPECT_EQ(scores.cols(), transforms->score_columns());
  const auto* inverts = ability<Inverts>(model);
  if (inverts == nullptr) return;
  static_cast<void>(inverts->extrapolated(scores));
  EXPECT_EQ(inverts->inverse(scores, context).cols(), model.report.dim);
}

Outcome attempt(const State& state) {
  Outcome outcome;
  std::unique_ptr<Model> model;
  std::uint64_t size = 0;
  const std::uint64_t before = begin_counting();
  try {
    const std::string bytes = encode_model(state);
    size = bytes.size();
    model = model_from(decode_model(bytes));
  } catch (const Error& error) {
    outcome.load = error.message();
    outcome.refused = error.code();
  }
  if (model != nullptr) try {
      use(*model);
    } catch (const Error& error) {
      outcome.use = error.message();
    }
  expect_little(before, size);
  return outcome;
}

// Calls f(name, value) for every member of an object and of its objects, itself included.
using Visit = std::function<void(const std::string& name, Value& value)>;
void walk(Value& value, const std::string& name, const Visit& f) {
  f(name, value);
  if (!value.is_object()) return;
  const Value::Object members = value.as_object();
  for (const auto& member : members)
    walk(value[member.first], name.empty() ? member.first : name + "." + member.first, f);
}

// Values that have no place in a model: of another type, out of range, not printable.
std::vector<Value> strange_values() {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return {Value(),
          true,
          "",
          "\x1b[31mred",
          0,
          1,
          -1,
          600'000'000,
          kMost,
          std::numeric_limits<std::int64_t>::min(),
          -1.5,
          1e308,
          1e-320,
          Value::list(),
          Value::object(),
          Value::List{Value()},
          Value::List{1.5, "x"}};
}

// Lists are also made shorter, longer, and given entries that have no place in them.
std::vector<Value> strange_lists(const Value::List& list) {
  std::vector<Value> all;
  Value::List shorter = list, longer = list;
  if (!shorter.empty()) shorter.pop_back();
  longer.push_back(list.empty() ? Value(1) : list.back());
  all.emplace_back(std::move(shorter));
  all.emplace_back(std::move(longer));
  for (const std::size_t at : {std::size_t{0}, list.size() - 1})
    for (const Value& strange : strange_values()) {
      if (at >= list.size()) continue;
      Value::List changed = list;
      changed[at] = strange;
      all.emplace_back(std::move(changed));
    }
  return all;
}

void expect_refused_well(const Outcome& outcome, const std::string& what) {
  if (!outcome.refused) return;
  EXPECT_EQ(exit_status(*outcome.refused), 7) << what << ": " << outcome.load;
}

TEST(HostileModels, TheZooItselfIsFine) {
  for (const ZooModel& model : model_zoo()) {
    const Outcome outcome = attempt(model.state);
    EXPECT_EQ(outcome.load, "loaded") << model.name;
    EXPECT_EQ(outcome.use, "used") << model.name;
  }
}

TEST(HostileModels, AnyValueMayBeAnything) {
  int tried = 0, refused = 0;
  for (const ZooModel& model : model_zoo()) {
    State state = model.state;
    walk(state.values, "", [&](const std::string& name, Value& value) {
      const Value kept = value;
      std::vector<Value> strange = strange_values();
      if (kept.is_list())
        for (Value& list : strange_lists(kept.as_list())) strange.push_back(std::move(list));
      for (const Value& other : strange) {
        value = other;
        const Outcome outcome = attempt(state);
        const std::string what = model.name + ": " + name + " = " + to_json(other);
        expect_refused_well(outcome, what);
        ++tried;
        refused += outcome.refused ? 1 : 0;
        if (testing::Test::HasFailure()) FAIL() << what;
      }
      value = kept;
    });
  }
  EXPECT_GT(tried, 10'000);
  EXPECT_GT(refused, tried / 2);
}

TEST(HostileModels, AnyMemberMayBeMissing) {
  for (const ZooModel& model : model_zoo()) {
    State state = model.state;
    walk(state.values, "", [&](const std::string& name, Value& value) {
      if (!value.is_object()) return;
      const Value kept = value;
      for (const auto& member : kept.as_object()) {
        Value::Object rest;
        for (const auto& other : kept.as_object())
          if (other.first != member.first) rest.push_back(other);
        value = rest;
        expect_refused_well(attempt(state), model.name + ": " + name + " without " + member.first);
      }
      value = kept;
    });
  }
}

template <class T>
void put(Array& array, bool last, T number) {
  if (array.bytes.size() < sizeof number) return;
  std::memcpy(array.bytes.data() + (last ? array.bytes.size() - sizeof number : 0), &number,
              sizeof number);
}

// An array with one number changed, for every number that its type has and a model should not.
std::vector<Array> strange_numbers(const Array& array) {
  std::vector<Array> all;
  for (const bool last : {false, true}) {
    const auto with = [&](auto number) {
      all.push_back(array);
      put(all.back(), last, number);
    };
    if (array.type == ArrayType::F64)
      for (const double number : {std::nan(""), HUGE_VAL, -1.0, 0.0, 1e308, 1e-320}) with(number);
    if (array.type == ArrayType::F32)
      for (const float number : {std::nanf(""), HUGE_VALF, -1.0f, 3e38f, 1e-44f}) with(number);
    if (array.type == ArrayType::I64)
      for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{0}, INT64_MAX, INT64_MIN})
        with(number);
    if (array.type == ArrayType::I32)
      for (const std::int32_t number : {-1, 0, 600'000'000, INT32_MAX, INT32_MIN}) with(number);
  }
  return all;
}

// Another shape or type, with as many bytes as it needs.
std::vector<Array> strange_shapes(const Array& array) {
  std::vector<Array> all;
  const auto with = [&](ArrayType type, std::vector<Index> shape) {
    all.push_back({array.name, type, std::move(shape), array.bytes});
    all.back().bytes.resize(static_cast<std::size_t>(all.back().count()) * size_of(type),
                            std::byte{0x3F});
  };
  for (const ArrayType type :
       {ArrayType::F64, ArrayType::F32, ArrayType::I64, ArrayType::I32, ArrayType::U8})
    with(type, array.shape);
  for (const Index count : {Index{0}, Index{1}, array.count(), Index{5000}})
    with(array.type, {count});
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
    for (const Index change : {-array.shape[axis], Index{-1}, Index{1}}) {
      std::vector<Index> shape = array.shape;
      shape[axis] = std::max<Index>(0, shape[axis] + change);
      with(array.type, shape);
    }
  with(array.type, {});
  with(array.type, {array.shape.empty() ? 0 : array.shape[0], 0});
  with(array.type, {0, Index{1} << 48});  // nothing, so many times that a loop would not end
  with(array.type, {Index{1} << 48, 0});
  std::vector<Index> deeper = array.shape;
  deeper.push_back(1);
  with(array.type, deeper);
  with(array.type, {array.shape.rbegin(), array.shape.rend()});
  return all;
}

TEST(HostileModels, AnyArrayMayBeAnything) {
  for (const ZooModel& model : model_zoo())
    for (std::size_t i = 0; i < model.state.arrays.size(); ++i) {
      const Array& array = model.state.arrays[i];
      std::vector<Array> strange = strange_shapes(array);
      for (Array& other : strange_numbers(array)) strange.push_back(std::move(other));
      State state = model.state;
      for (const Array& other : strange) {
        state.arrays[i] = other;
        expect_refused_well(attempt(state), model.name + ": array " + array.name);
      }
      state.arrays.erase(state.arrays.begin() + static_cast<std::ptrdiff_t>(i));
      expect_refused_well(attempt(state), model.name + ": no array " + array.name);
    }
}

State zoo_state(const std::string& name) {
  for (ZooModel& model : model_zoo())
    if (model.name == name) return std::move(model.state);
  throw std::logic_error("no model " + name);
}

// What once crashed, read out of bounds or was refused by another code, and what the message says.
TEST(HostileModels, NamesTheField) {
  const Value null, empty = Value::list(), text = "x";
  struct Case {
    const char *model, *object, *field;
    Value value;
    const char* said;
  };
  const Case cases[] = {
      {"pca", "", "residuals", empty, "residuals: has 0 entries instead of 2"},
      {"pca", "", "residuals", null, "residuals: expected a list"},
      {"pca", "", "residuals", Value::List{0.5}, "residuals: has 1 entries instead of 2"},
      {"pca", "", "explained_variance_ratio", empty, "explained_variance_ratio: has 0 entries"},
      {"eigenvalues only", "certificate", "eigenvalue_upper", empty,
       "certificate.eigenvalue_upper: has 0 entries instead of 2"},
      {"pca", "", "variances", empty, "variances: has 0 entries"},
      {"pca", "", "clusters", Value::List{Value::List{1, 9}}, "clusters: 1 to 9 are not among"},
      {"pca", "", "columns", Value::List{"a", "b"}, "columns: has 2 entries instead of 5"},
      {"pca", "", "whiten", text, "whiten: \"x\" is not known"},
      {"pca", "", "n", 0, "n: 0 is not between 1"},
      {"pca", "", "components", 3, "components: 3 is not between 2 and 2"},
      {"pca", "plan", "passes", -1, "plan.passes: -1 is not between"},
      {"pca", "plan", "operator", null, "plan.operator: expected text"},
      {"pca", "label", "classes", Value::List{"a", 7}, "label.classes: entry 2 is not text"},
      {"pca", "missing", "policy", "guess", "missing.policy: \"guess\" is not known"},
      {"pca, whitened", "", "eigenvalues", Value::List{1.0, -1.0},
       "eigenvalues: whitening divides"},
      {"dense, with names", "kernel", "spec", "gaussian:sigma=-1", "kernel.spec: "},
      {"dense, with names", "kernel", "spec", "gaussian", "kernel.spec: a parameter"},
      {"dense, with names", "", "as", text, "as: the model was fitted on an unknown"},
      {"polynomial_features", "features", "degree", std::numeric_limits<std::int64_t>::max(),
       "features.degree: "},
      {"taylor_features", "features", "degree", std::numeric_limits<std::int64_t>::max(),
       "features.degree: "},
      {"taylor_features", "features", "sigma", 0, "features.sigma: "},
      {"fourier_features", "features", "modes", Value::List{1, 1}, "features.modes: "},
  };
  for (const Case& test : cases) {
    State state = zoo_state(test.model);
    Value& object = *test.object == 0 ? state.values : state.values[test.object];
    object[test.field] = test.value;
    const Outcome outcome = attempt(state);
    EXPECT_EQ(outcome.refused, ErrorCode::bad_model_content) << test.field << ": " << outcome.load;
    EXPECT_NE(outcome.load.find(test.said), std::string::npos) << outcome.load;
  }
}

TEST(HostileModels, PointsAreThereAndFinite) {
  State state = zoo_state("dense, with names");
  Array& points = state.array("points");
  put(points, true, std::nan(""));
  EXPECT_EQ(attempt(state).load, "array \"points\" has values that are not finite");
  points.shape[0] = 0;
  points.bytes.clear();
  EXPECT_EQ(attempt(state).load, "array \"points\" has no rows");
}

// Shares of a spectrum that may have negative parts and is not known as a whole are null.
TEST(HostileModels, UnknownSharesAreNoDamage) {
  State state = zoo_state("pca");
  state.values["explained_variance_ratio"] = Value::List{Value(), Value()};
  EXPECT_EQ(attempt(state).load, "loaded");
}

// A polynomial kernel of two columns without offset has degree + 1 features, and makes (degree + 1)
// (degree + 2) / 2 monomials on the way: 2.7 GB for a file of 122 KB.
TEST(HostileModels, MonomialsAreBoundedByTheFile) {
  State state = zoo_state("polynomial_features");
  state.values["kernel"]["spec"] = "polynomial:degree=15000,scale=1,offset=0";
  state.values["features"]["degree"] = 15'000;
  Array& weights = state.array("feature_weights");
  weights.shape[0] = 15'001;
  weights.bytes.resize(static_cast<std::size_t>(weights.count()) * sizeof(double));
  EXPECT_NE(attempt(state).load.find("features.degree: 1.12523e+08 monomials"), std::string::npos)
      << attempt(state).load;
}

// Sparse rows say nothing of the number of columns; 6e8 of them once took 4.8 GB.
TEST(HostileModels, SparseModelsOfManyColumnsTakeLittle) {
  State state = zoo_state("sparse");
  const auto sound = model_from(state);
  state.values["dim"] = 600'000'000;
  state.values["columns"] = Value();
  state.values["named_columns"] = false;
  std::erase_if(state.arrays, [](const Array& array) { return array.name == "fill"; });
  EXPECT_EQ(attempt(state).load, "loaded");

  const std::uint64_t before = begin_counting();
  const auto model = model_from(state);
  SparseRows rows;
  rows.columns = {1, 4};
  rows.values = {1, 2};
  rows.starts = {0, 2};
  const Dataset few(rows, 5);
  const Dataset fresh(std::move(rows), 600'000'000);
  Context context;
  context.budget.threads = 1;
  const Block scores = need<Transforms>(*model).transform(fresh, context);
  EXPECT_LT((scores - need<Transforms>(*sound).transform(few, context)).cwiseAbs().maxCoeff(),
            1e-12);
  expect_little(before, 0);

  // Kernels of sums need the rows in full: refused before they are made.
  state.values["kernel"]["spec"] = "laplacian:length=1";
  context.budget.memory = std::uint64_t{1} << 30;
  try {
    static_cast<void>(need<Transforms>(*model_from(state)).transform(fresh, context));
    ADD_FAILURE() << "transformed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::over_memory) << error.what();
  }
}

}  // namespace hostile_models_test
}  // namespace mercer
