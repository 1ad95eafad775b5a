// Every method of the catalogue with the options that change how it works, and a table that it can
// learn from.
#pragma once

#include "mercer/models/kind.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <string>
#include <vector>

namespace mercer::test {

struct ModelCase {
  const ModelKind* kind;
  Value::Object options = {};

  std::string name() const {
    std::string text(kind->name);
    for (const auto& [option, value] : options)
      text += "_" + option + "_" + (value.is_text() ? value.as_text() : "");
    for (char& c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return text;
  }
  /// Whether the kernel's width is found from the rows.
  bool finds_width() const {
    bool given = false;
    for (const auto& [option, value] : options) given = given || option == "kernel";
    return kind->has_option("kernel") && !given;
  }
};

inline std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> cases;
  for (const ModelKind* kind : model_kinds()) {
    cases.push_back({kind, {}});
    if (kind->has_option("kernel"))
      for (const char* kernel : {"linear", "polynomial:degree=2,scale=0.25", "gaussian:gamma=1e-9",
                                 "sigmoid:scale=0.125,offset=0.25", "gaussian:sigma=2+0.5*linear"})
        cases.push_back({kind, {{"kernel", kernel}}});
    for (const char* option : {"scale", "whiten"})
      for (const OptionInfo& info : kind->options())
        for (const std::string& word : info.choices)
          if (info.name == option && word != "none") cases.push_back({kind, {{option, word}}});
  }
  return cases;
}

/// Those whose models have an ability.
inline std::vector<ModelCase> cases_with(Ability ability) {
  std::vector<ModelCase> cases;
  for (const ModelCase& one : model_cases())
    if (one.kind->abilities.has(ability)) cases.push_back(one);
  return cases;
}

/// Rows with what a supervised method needs: classes by the first column, targets linear in all.
struct LearningTable {
  explicit LearningTable(Points points) : x(std::move(points)), y(x.rows(), 2) {
    std::vector<std::string> classes;
    for (Index i = 0; i < x.rows() && x.cols() > 0; ++i) {
      classes.push_back(x(i, 0) < -0.5 ? "low" : x(i, 0) < 0.5 ? "middle" : "high");
      y.row(i) << x.row(i).sum(), 2 * x(i, 0) - x(i, x.cols() - 1) + 1;
    }
    if (x.cols() > 0) labels = Labels::from_texts("class", classes);
  }
  /// With classes and targets as far as the method takes them.
  Training training(const ModelKind& kind) const {
    Training all(x);
    if (kind.takes.labels != Need::no) all.input.labels = labels;
    if (kind.takes.targets != Need::no) all.targets = {DataView(y), {"sum", "slope"}};
    return all;
  }
  Points x, y;
  Labels labels;
};

class OverModels : public testing::TestWithParam<ModelCase> {
 protected:
  const ModelKind& kind() const { return *GetParam().kind; }
  Value options(Index components = 0) const {
    Value all(GetParam().options);
    if (components > 0 && kind().has_option("components")) all["components"] = components;
    return all;
  }
  /// So many components, or as many as the method can have of such a table: some need columns that
  /// are left over. More than there are columns is asked for as it is.
  Index allowed(const LearningTable& learnt, Index components) const {
    if (components > learnt.x.cols()) return components;
    for (; components > 1; --components) {
      try {
        fit_model(kind().name, learnt.training(kind()), options(components));
        break;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::too_many_components) throw;
      }
    }
    return components;
  }
  std::unique_ptr<Model> fit(const LearningTable& learnt, Index components = 3,
                             const Context& context = {}) const {
    return fit_model(kind().name, learnt.training(kind()), options(allowed(learnt, components)),
                     context);
  }
  LearningTable table{random_points({.n = 60, .dim = 5, .seed = 1}) *
                      Vector(Vector::LinSpaced(5, 1, 2)).asDiagonal()};
  Points fresh = random_points({.n = 300, .dim = 5, .seed = 2});
};

}  // namespace mercer::test
