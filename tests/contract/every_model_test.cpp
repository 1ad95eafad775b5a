// What every method must satisfy, found through the catalogue: its options, its report, its file,
// what it refuses.
#include "mercer/data/fingerprint.h"
#include "mercer/io/model.h"
#include "mercer/io/model_file.h"
#include "tests/contract/model_cases.h"
#include "tests/support/dense.h"
#include "tests/support/errors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>

namespace mercer {
namespace every_model_test {

namespace fs = std::filesystem;
using test::code_of;
using test::LearningTable;

class EveryModel : public test::OverModels {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryModel, testing::ValuesIn(test::model_cases()),
                         [](const auto& tested) { return tested.param.name(); });

TEST_P(EveryModel, ComesBackFromItsFileWithEveryBit) {
  const auto model = fit(table);
  const fs::path folder = fs::temp_directory_path() / ("mercer_model_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "model.mercer").string();
  save_model(path, *model);
  const auto loaded = load_model(path);
  fs::remove_all(folder);
  EXPECT_EQ(encode_model(loaded->state()), encode_model(model->state()));
  EXPECT_EQ(loaded->summary(), model->summary());
  EXPECT_EQ(loaded->input.labels->of_row, model->input.labels->of_row);
  EXPECT_EQ(loaded->input.target_names, model->input.target_names);
  if (const auto* transforms = ability<Transforms>(*model)) {
    const auto& again = need<Transforms>(*loaded);
    EXPECT_TRUE(again.transform(fresh) == transforms->transform(fresh));
    EXPECT_TRUE(again.training_scores(table.x) == transforms->training_scores(table.x));
  }
  if (const auto* predicts = ability<Predicts>(*model)) {
    EXPECT_TRUE(need<Predicts>(*loaded).predict(fresh) == predicts->predict(fresh));
  }
  if (const auto* rates = ability<Rates>(*model)) {
    EXPECT_TRUE(need<Rates>(*loaded).rate(fresh) == rates->rate(fresh));
  }
  if (const auto* likely = ability<Likelihood>(*model)) {
    EXPECT_TRUE(need<Likelihood>(*loaded).log_density(fresh) == likely->log_density(fresh));
  }
  if (const auto* samples = ability<Samples>(*model)) {
    EXPECT_TRUE(need<Samples>(*loaded).sample(20, 3) == samples->sample(20, 3));
  }
}

TEST_P(EveryModel, ThreadsDoNotChangeABit) {
  Context one, three;
  one.budget.threads = 1;
  three.budget.threads = 3;
  EXPECT_EQ(encode_model(fit(table, 3, one)->state()), encode_model(fit(table, 3, three)->state()));
}

TEST_P(EveryModel, RemembersOptionsInputAndFingerprint) {
  Dataset data{Points(table.x)};
  data.column_names = {"a", "b", "c", "d", "e"};
  data.labels = table.labels;
  Training training(data);
  if (kind().takes.targets != Need::no) training.targets = {DataView(table.y), {"sum", "slope"}};
  const auto model = fit_model(kind().name, training, options(2));
  EXPECT_EQ(model->input.fingerprint, fingerprint(data));
  EXPECT_EQ(*model->input.column_names, data.column_names);
  EXPECT_EQ(model->input.labels->classes, table.labels.classes);
  for (const OptionInfo& option : kind().options())
    EXPECT_FALSE(model->options[option.name].is_null()) << option.name;
  for (const auto& [name, value] : GetParam().options)
    if (name != "kernel") {
      EXPECT_EQ(model->options[name], value);
    }
}

TEST_P(EveryModel, ItsReportIsWhole) {
  const auto model = fit(table);
  const Report& report = model->report;
  EXPECT_EQ(model->kind(), kind().name);
  EXPECT_EQ(report.n, 60);
  EXPECT_EQ(report.dim, 5);
  EXPECT_TRUE(report.converged);
  if (!report.spectrum) return;
  const Spectrum& spectrum = *report.spectrum;
  EXPECT_EQ(spectrum.certificate.residuals.size(), spectrum.eigenvalues.size());
  EXPECT_LE(spectrum.ratios.sum(), 1 + 60 * test::kUnit);
  for (Index i = 1; i < spectrum.eigenvalues.size(); ++i)
    EXPECT_GE(spectrum.eigenvalues[i - 1], spectrum.eigenvalues[i]);
  EXPECT_FALSE(report.plan.operator_name.empty());
  EXPECT_GE(report.plan.candidates.size(), 3U);
}

// What is shown as the plan is what runs: the same object goes into the fit.
TEST_P(EveryModel, RunsThePlanThatItShows) {
  const Training training = table.training(kind());
  const Value asked = options(allowed(table, 3));
  const Prepared prepared = kind().prepare(training, asked, {});
  const Plan plan = kind().plan(prepared, asked, {});
  const auto model = kind().fit(prepared, asked, plan, {});
  EXPECT_EQ(model->report.plan.operator_name, plan.operator_name);
  EXPECT_EQ(model->report.plan.solver_name, plan.solver_name);
  EXPECT_EQ(model->report.plan.predicted.seconds, plan.predicted.seconds);
  EXPECT_EQ(encode_model(model->state()), encode_model(fit(table)->state()));
}

TEST_P(EveryModel, RefusesWhatItCannotFit) {
  const auto code = [&](const Points& rows) { return code_of([&] { fit(LearningTable(rows)); }); };
  EXPECT_EQ(code(Points(0, 5)), "M202");
  EXPECT_EQ(code(Points(5, 0)), "M211");
  EXPECT_EQ(code(table.x.topRows(1)), "M230");
  EXPECT_EQ(code(table.x.row(0).replicate(9, 1)), "M231");
  Points bad = table.x;
  bad(7, 2) = std::nan("");
  if (!kind().takes.missing && kind().takes.targets == Need::no) {
    EXPECT_EQ(code(bad), "M212");
  }
  if (kind().has_option("components")) {
    EXPECT_EQ(code_of([&] { fit(table, 60); }), "M233");
  }
  EXPECT_EQ(code_of([&] {
              fit_model(kind().name, table.training(kind()), Value::Object{{"no_such_option", 1}});
            }),
            "M101");
}

TEST_P(EveryModel, SaysWhatItNeedsToLearnFrom) {
  const Training rows(table.x);
  const auto code = code_of([&] { fit_model(kind().name, rows, options()); });
  const bool labels = kind().takes.labels == Need::must,
             targets = kind().takes.targets == Need::must;
  EXPECT_EQ(code, labels ? "M250" : targets ? "M251" : "no error");
  Training more = table.training(kind());
  more.targets = {DataView(table.y), {"sum", "slope"}};
  if (kind().takes.targets == Need::no) {
    EXPECT_EQ(code_of([&] { fit_model(kind().name, more, options()); }), "M102");
  }
}

TEST_P(EveryModel, RefusesAbilitiesThatItHasNot) {
  const auto model = fit(table);
  const Abilities able = kind().abilities;
  EXPECT_EQ(ability<Transforms>(*model) != nullptr, able.has(Ability::transforms));
  EXPECT_EQ(ability<Inverts>(*model) != nullptr, able.has(Ability::inverts));
  EXPECT_EQ(ability<Predicts>(*model) != nullptr, able.has(Ability::predicts));
  if (!able.has(Ability::inverts)) {
    EXPECT_EQ(code_of([&] { need<Inverts>(*model); }), "M714");
  }
  if (!able.has(Ability::predicts)) {
    EXPECT_EQ(code_of([&] { need<Predicts>(*model); }), "M715");
  }
  if (!able.has(Ability::samples)) {
    EXPECT_EQ(code_of([&] { need<Samples>(*model); }), "M715");
  }
}

// One word means one thing: an option that two methods have is of one type and on by default in
// both or in none.
TEST(EveryMethod, HasOptionsThatAgreeWithThoseOfOthers) {
  std::map<std::string, OptionInfo> known;
  for (const ModelKind* kind : model_kinds())
    for (const OptionInfo& option : kind->options()) {
      EXPECT_FALSE(option.help.empty()) << kind->name << ' ' << option.name;
      const auto [place, added] = known.emplace(option.name, option);
      EXPECT_EQ(place->second.type, option.type) << kind->name << ' ' << option.name;
      if (option.type == OptionType::flag) {
        EXPECT_EQ(place->second.initial, option.initial) << kind->name << ' ' << option.name;
      }
    }
}

TEST(EveryMethod, ReadsItsOptionsAsItWritesThem) {
  for (const ModelKind* kind : model_kinds()) {
    const Value defaults = kind->record({});
    EXPECT_EQ(defaults.as_object().size(), kind->options().size()) << kind->name;
    EXPECT_EQ(kind->record(defaults), defaults) << kind->name;
    for (const OptionInfo& option : kind->options())
      EXPECT_EQ(defaults[option.name], option.initial) << kind->name << ' ' << option.name;
  }
}

}  // namespace every_model_test
}  // namespace mercer
