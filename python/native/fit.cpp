// fit and plan: rows, classes or targets, options by name.
#include "mercer/models/kind.h"
#include "mercer/models/kind/kernel_pca.h"

#include "python/native/model.h"
#include "python/native/rows.h"
#include "python/native/values.h"
#include "python/native/work.h"
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer::python {
namespace {

// What Python hands over for a fit, by the names of its members; those that are absent are None.
struct Request {
  explicit Request(const py::dict& given)
      : rows(given["rows"]),
        targets(optional_rows(given, "targets")),
        weights(optional_rows(given, "weights")),
        share(flag(given, "share")) {
    if (share && rows.sharable()) owner.emplace(rows.shared());
    if (const py::object names = member(given, "columns"); !names.is_none())
      columns = py::cast<std::vector<std::string>>(names);
    if (const py::object names = member(given, "target_names"); !names.is_none())
      target_names = py::cast<std::vector<std::string>>(names);
    if (const py::object classes = member(given, "classes"); !classes.is_none()) {
      labels.classes = py::cast<std::vector<std::string>>(classes);
      labels.of_row = py::cast<std::vector<Index>>(member(given, "class_of_row"));
      for (const Index own : labels.of_row)
        if (own < 0 || own >= static_cast<Index>(labels.classes.size()))
          throw py::value_error("a row's class is not among the classes");
    }
  }

  static py::object member(const py::dict& given, const char* name) {
    return given.contains(name) ? py::object(given[name]) : py::none();
  }
  static bool flag(const py::dict& given, const char* name) {
    const py::object value = member(given, name);
    return !value.is_none() && py::cast<bool>(value);
  }
  static std::optional<Rows> optional_rows(const py::dict& given, const char* name) {
    const py::object value = member(given, name);
    if (value.is_none()) return std::nullopt;
    return std::optional<Rows>(std::in_place, value);
  }

  // Views what is kept here.
  Training training() const {
    Training all = owner ? Training(*owner) : Training(rows.view());
    all.input.column_names = columns;
    all.input.named_columns = !columns.empty();
    all.input.labels = labels;
    if (targets) all.targets = {targets->view(), target_names};
    if (weights) all.weights = weights->view();
    return all;
  }

  Rows rows;
  std::optional<Rows> targets, weights;
  bool share;
  std::optional<Dataset> owner;
  std::vector<std::string> columns, target_names;
  Labels labels;
};

std::shared_ptr<Model> fit(const std::string& method, const py::dict& given,
                           const py::dict& options, const py::dict& budget,
                           const py::object& progress) {
  const Request request(given);
  const Value chosen = value_of(options);
  const ModelKind& kind = model_kind(method);
  Work work(budget, progress, request.rows.view().bytes());
  return work.run([&]() -> std::shared_ptr<Model> {
    const Training training = request.training();
    const Context& context = work.context();
    const Prepared prepared = kind.prepare(training, chosen, context);
    const Plan plan = kind.plan(prepared, chosen, context);
    return kind.fit(prepared, chosen, plan, context);
  });
}

py::object plan(const std::string& method, const py::dict& given, const py::dict& options,
                const py::dict& budget) {
  const Request request(given);
  const Value chosen = value_of(options);
  const ModelKind& kind = model_kind(method);
  Work work(budget, py::none(), request.rows.view().bytes());
  const Value report = work.run([&] {
    const Training training = request.training();
    const Prepared prepared = kind.prepare(training, chosen, work.context());
    return kind.plan(prepared, chosen, work.context()).report();
  });
  return object_of(report);
}

// The way back of kernel PCA, learnt after the fit: the kernel may depend on the number of scores.
void learn_inverse(const std::shared_ptr<Model>& model, const py::object& rows,
                   const std::string& kernel, double alpha, const py::dict& budget,
                   const py::object& progress) {
  const Rows training(rows);
  auto* able = dynamic_cast<KernelPca*>(model.get());
  if (able == nullptr) throw py::type_error("only kernel PCA learns a way back");
  Work work(budget, progress, training.view().bytes());
  work.run([&] {
    able->learn_inverse(training.view(), Kernel(kernel), alpha, work.context());
    return true;
  });
}

}  // namespace

void add_fit(py::module_& module) {
  module.def("fit", &fit, py::arg("method"), py::arg("given"), py::arg("options"),
             py::arg("budget"), py::arg("progress"), "Fits a method by name.");
  module.def("plan", &plan, py::arg("method"), py::arg("given"), py::arg("options"),
             py::arg("budget"), "What such a fit would do and take; nothing is run.");
  module.def("learn_inverse", &learn_inverse, py::arg("model"), py::arg("rows"), py::arg("kernel"),
             py::arg("alpha"), py::arg("budget"), py::arg("progress"),
             "The way back from scores to rows.");
  module.def(
      "viewable", [](const py::array& array) { return viewable(array); }, py::arg("array"),
      "Whether rows are seen where they are, without a copy.");
}

}  // namespace mercer::python
