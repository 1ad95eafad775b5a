// A fitted model as Python has it: results go straight into the array that is returned, block by
// block, and the arrays of the model are seen where they are.
#include "python/native/model.h"

#include "mercer/io/model.h"
#include "mercer/io/model_file.h"
#include "mercer/models/ability.h"
#include "mercer/models/kind.h"

#include "python/native/rows.h"
#include "python/native/values.h"
#include "python/native/work.h"
#include <pybind11/stl.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mercer::python {
namespace {

using Shared = std::shared_ptr<Model>;

// How a call is made: what it may use, whom it tells.
struct Call {
  py::dict budget;
  py::object progress;
};

// Blocks of rows as they come, written into one array of doubles or floats.
class Collected {
 public:
  Collected(Index n, Index columns, bool single)
      : array_(single ? py::array(py::dtype::of<float>(), {n, columns})
                      : py::array(py::dtype::of<double>(), {n, columns})),
        out_(array_.mutable_data()),
        columns_(columns),
        single_(single) {}

  void take(DataView block) {
    for (Index i = 0; i < block.n(); ++i, ++row_) {
      if (!single_) {
        block.copy_row(i, static_cast<double*>(out_) + row_ * columns_);
        continue;
      }
      narrow_.resize(static_cast<std::size_t>(columns_));
      block.copy_row(i, narrow_.data());
      for (Index j = 0; j < columns_; ++j)
        static_cast<float*>(out_)[row_ * columns_ + j] =
            static_cast<float>(narrow_[static_cast<std::size_t>(j)]);
    }
  }
  py::array array() const { return array_; }

 private:
  py::array array_;
  void* out_;
  Index columns_, row_ = 0;
  bool single_;
  std::vector<double> narrow_;
};

template <class Blocks>
py::array collect(const Rows& rows, Index columns, bool single, const Call& call,
                  const Blocks& blocks) {
  const DataView view = rows.view();
  Collected results(view.n(), columns, single);
  Work work(call.budget, call.progress, view.bytes());
  work.run([&] {
    blocks(view, work.context(), [&](DataView block) { results.take(block); });
    return true;
  });
  return results.array();
}

py::tuple transform(const Shared& model, const py::object& given, bool single,
                    const py::dict& budget, const py::object& progress) {
  const auto& able = need<Transforms>(*model);
  const Rows rows(given);
  RowCount doubtful;
  const py::array scores =
      collect(rows, able.score_columns(), single, {budget, progress},
              [&](DataView view, const Context& context, const TakeRows& take) {
                able.transform_blocks(view, context, take, &doubtful);
              });
  return py::make_tuple(scores, doubtful.count, doubtful.first);
}

py::array training_scores(const Shared& model, const py::object& given, bool single,
                          const py::dict& budget) {
  const auto& able = need<Transforms>(*model);
  const Rows rows(given);
  return collect(rows, able.score_columns(), single, {budget, py::none()},
                 [&](DataView view, const Context& context, const TakeRows& take) {
                   able.training_score_blocks(view, context, take);
                 });
}

py::tuple inverse(const Shared& model, const py::object& given, bool single,
                  const py::dict& budget) {
  const auto& able = need<Inverts>(*model);
  const Rows rows(given);
  std::vector<Index> far;
  const py::array points =
      collect(rows, model->first().report.dim, single, {budget, py::none()},
              [&](DataView view, const Context& context, const TakeRows& take) {
                able.inverse_blocks(view, context, take);
              });
  return py::make_tuple(points, far);
}

py::array predict(const Shared& model, const py::object& given, const py::dict& budget,
                  const py::object& progress) {
  const auto& able = need<Predicts>(*model);
  const Rows rows(given);
  return collect(rows, static_cast<Index>(able.prediction_names().size()), false,
                 {budget, progress},
                 [&](DataView view, const Context& context, const TakeRows& take) {
                   able.predict_blocks(view, context, take);
                 });
}

py::array impute(const Shared& model, const py::object& given, const py::dict& budget) {
  const auto& able = need<Imputes>(*model);
  const Rows rows(given);
  return collect(rows, model->report.dim, false, {budget, py::none()},
                 [&](DataView view, const Context& context, const TakeRows& take) {
                   able.impute_blocks(view, context, take);
                 });
}

// One number for each row.
py::array figures(const py::object& given, const py::dict& budget,
                  const std::function<Vector(DataView, const Context&)>& of) {
  const Rows rows(given);
  Work work(budget, py::none(), rows.view().bytes());
  return array_of(work.run([&] { return of(rows.view(), work.context()); }));
}

py::array rate(const Shared& model, const py::object& rows, const py::dict& budget) {
  const auto& able = need<Rates>(*model);
  return figures(rows, budget,
                 [&](DataView view, const Context& context) { return able.rate(view, context); });
}

py::array log_density(const Shared& model, const py::object& rows, const py::dict& budget) {
  const auto& able = need<Likelihood>(*model);
  return figures(rows, budget, [&](DataView view, const Context& context) {
    return able.log_density(view, context);
  });
}

py::array sample(const Shared& model, Index n, std::uint64_t seed, const py::dict& budget) {
  const auto& able = need<Samples>(*model);
  Work work(budget, py::none(), 0);
  const Points points = work.run([&] { return able.sample(n, seed, work.context()); });
  return py::array_t<double>({points.rows(), points.cols()}, points.data());
}

py::list abilities(const Shared& model) {
  const Abilities& all = model_kind(model->kind()).abilities;
  py::list names;
  for (int i = 0; i < kAbilities; ++i) {
    const auto one = static_cast<Ability>(i);
    const bool able = one == Ability::inverts ? ability<Inverts>(*model) != nullptr : all.has(one);
    if (able) names.append(text_of(name_of(one)));
  }
  return names;
}

py::dtype type_of(ArrayType type) {
  switch (type) {
    case ArrayType::F32:
      return py::dtype::of<float>();
    case ArrayType::I64:
      return py::dtype::of<std::int64_t>();
    case ArrayType::I32:
      return py::dtype::of<std::int32_t>();
    case ArrayType::U8:
      return py::dtype::of<std::uint8_t>();
    case ArrayType::F64:
      break;
  }
  return py::dtype::of<double>();
}

// Of a view with the strides it has; the model lives as long as the array.
py::array viewed(const Array& array, const py::capsule& keeper) {
  const auto size = static_cast<py::ssize_t>(size_of(array.type));
  std::vector<py::ssize_t> strides(array.shape.size(), size);
  if (array.view.stride > 0) {
    strides = {size, array.view.stride * size};
  } else {
    for (std::size_t i = array.shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * std::max<Index>(1, array.shape[i]);
  }
  return {type_of(array.type), array.shape, strides, array.view.data, keeper};
}

// Everything the model keeps, by the names of the model file; nothing can be changed.
py::dict arrays(const Shared& model) {
  const State state = model->viewed_state();
  const py::capsule keeper(new Shared(model),
                           [](void* pointer) { delete static_cast<Shared*>(pointer); });
  py::dict all;
  for (const Array& array : state.arrays) {
    py::array made = array.view.data != nullptr ? viewed(array, keeper)
                                                : py::array(type_of(array.type), array.shape);
    if (array.view.data == nullptr && !array.bytes.empty())
      std::memcpy(made.mutable_data(), array.bytes.data(), array.bytes.size());
    made.attr("setflags")(py::arg("write") = false);
    all[text_of(array.name)] = made;
  }
  return all;
}

class Counter final : public Sink {
 public:
  void write(std::string_view part) override { size += part.size(); }
  std::size_t size = 0;
};

class Filler final : public Sink {
 public:
  explicit Filler(char* to) : to_(to) {}
  void write(std::string_view part) override {
    std::memcpy(to_, part.data(), part.size());
    to_ += part.size();
  }

 private:
  char* to_;
};

// The bytes of a model file. Its size is counted first, so that they are there once.
py::bytes bytes_of(const Shared& model) {
  Counter counter;
  {
    const py::gil_scoped_release released;
    write_model(*model, counter);
  }
  PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(counter.size));
  if (made == nullptr) throw py::error_already_set();
  auto bytes = py::reinterpret_steal<py::bytes>(made);
  Filler filler(PyBytes_AS_STRING(made));
  const py::gil_scoped_release released;
  write_model(*model, filler);
  return bytes;
}

Shared from_bytes(const py::bytes& bytes) {
  const std::string_view view(PyBytes_AS_STRING(bytes.ptr()),
                              static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
  const py::gil_scoped_release released;
  return model_from(decode_model(view));
}

void save(const Shared& model, const std::string& path) {
  const py::gil_scoped_release released;
  save_model(path, *model);
}

Shared load(const std::string& path, const py::dict& budget) {
  Work work(budget, py::none(), 0);
  return work.run([&]() -> Shared { return load_model(path, work.context()); });
}

py::dict input_of(const Shared& model) {
  const InputInfo& input = model->first().input;
  py::dict facts;
  facts["named_columns"] = input.named_columns;
  facts["columns"] = object_of(Value::of(*input.column_names));
  facts["targets"] = object_of(Value::of(model->input.target_names));
  facts["classes"] = object_of(Value::of(model->input.labels->classes));
  return facts;
}

}  // namespace

void add_model(py::module_& module) {
  py::class_<Model, Shared>(module, "Model", "A fitted model of any method.")
      .def_property_readonly("kind", [](const Shared& model) { return text_of(model->kind()); })
      .def_property_readonly("abilities", &abilities)
      .def_property_readonly("n", [](const Shared& model) { return model->report.n; })
      .def_property_readonly("dim", [](const Shared& model) { return model->first().report.dim; })
      .def_property_readonly("input", &input_of)
      .def_property_readonly("options",
                             [](const Shared& model) { return object_of(model->options); })
      .def_property_readonly(
          "plan", [](const Shared& model) { return object_of(model->report.plan.report()); })
      .def_property_readonly("warnings",
                             [](const Shared& model) { return list_of(model->report.warnings); })
      .def_property_readonly("cross",
                             [](const Shared& model) { return model->needs_cross_matrix(); })
      .def_property_readonly("gaps", [](const Shared& model) { return model->takes_gaps(); })
      .def_property_readonly(
          "score_columns",
          [](const Shared& model) { return need<Transforms>(*model).score_columns(); })
      .def_property_readonly(
          "classifies", [](const Shared& model) { return need<Predicts>(*model).classifies(); })
      .def_property_readonly(
          "prediction_names",
          [](const Shared& model) { return need<Predicts>(*model).prediction_names(); })
      .def("summary", [](const Shared& model) { return object_of(model->summary()); })
      .def("arrays", &arrays)
      .def("transform", &transform, py::arg("rows"), py::arg("single"), py::arg("budget"),
           py::arg("progress"))
      .def("training_scores", &training_scores, py::arg("rows"), py::arg("single"),
           py::arg("budget"))
      .def("inverse", &inverse, py::arg("rows"), py::arg("single"), py::arg("budget"))
      .def("predict", &predict, py::arg("rows"), py::arg("budget"), py::arg("progress"))
      .def("rate", &rate, py::arg("rows"), py::arg("budget"))
      .def("log_density", &log_density, py::arg("rows"), py::arg("budget"))
      .def("impute", &impute, py::arg("rows"), py::arg("budget"))
      .def("sample", &sample, py::arg("n"), py::arg("seed"), py::arg("budget"))
      .def("save", &save, py::arg("path"))
      .def("to_bytes", &bytes_of)
      .def_static("from_bytes", &from_bytes, py::arg("data"))
      .def_static("load", &load, py::arg("path"), py::arg("budget"))
      .def(py::pickle([](const Shared& model) { return bytes_of(model); },
                      [](const py::bytes& bytes) { return from_bytes(bytes); }));
}

}  // namespace mercer::python
