// What the library has, as lists of dictionaries.
#include "mercer/core/cpu.h"
#include "mercer/core/version.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/kernel_matrix.h"
#include "mercer/linalg/blas_info.h"
#include "mercer/models/kind.h"
#include "mercer/operators/recipe.h"
#include "mercer/solvers/recipe.h"

#include "python/native/model.h"
#include "python/native/rows.h"
#include "python/native/values.h"
#include "python/native/work.h"

#include <string>

namespace mercer::python {
namespace {

py::list methods() {
  py::list all;
  for (const ModelKind* kind : model_kinds()) all.append(object_of(kind->describe()));
  return all;
}

py::list kernels() {
  py::list all;
  for (const FamilyInfo& family : kernel_families()) {
    py::dict entry;
    entry["name"] = family.name;
    entry["alias"] = family.alias;
    entry["summary"] = family.summary;
    entry["formula"] = family.formula;
    entry["parameters"] = family.parameters;
    all.append(entry);
  }
  return all;
}

template <class Recipe>
py::list recipes(const std::vector<const Recipe*>& listed) {
  py::list all;
  for (const Recipe* recipe : listed) {
    py::dict entry;
    entry["name"] = text_of(recipe->name);
    entry["summary"] = text_of(recipe->summary);
    all.append(entry);
  }
  return all;
}

py::dict blas() {
  const BlasInfo& info = blas_info();
  py::dict facts;
  facts["library"] = info.library;
  facts["kernels"] = info.kernels;
  facts["better"] = info.better;
  facts["cpu_level"] = text_of(name_of(cpu_level()));
  return facts;
}

py::list codes() {
  py::list all;
  for (const CodeInfo& info : all_codes()) {
    py::dict entry;
    entry["letter"] = std::string(1, info.letter);
    entry["number"] = info.number;
    entry["name"] = text_of(info.name);
    entry["summary"] = text_of(info.summary);
    entry["text"] = text_of(info.text);
    all.append(entry);
  }
  return all;
}

py::object describe_kernel(const std::string& spec) { return object_of(Kernel(spec).describe()); }

// Values of the plain formula, for looking at a kernel; parameters of the data are those of `a`.
py::array kernel_values(const std::string& spec, const py::object& a, const py::object& b,
                        const py::dict& budget) {
  const Rows left(a), right(b);
  Work work(budget, py::none(), left.view().bytes() + right.view().bytes());
  const Points values = work.run([&] {
    const Kernel kernel = Kernel(spec).resolve(right.view(), work.context());
    return kernel_matrix(left.view(), right.view(), kernel, work.context());
  });
  return py::array_t<double>({values.rows(), values.cols()}, values.data());
}

}  // namespace

void add_catalogues(py::module_& module) {
  module.def("version", [] { return text_of(version()); });
  module.def("methods", &methods);
  module.def("kernels", &kernels);
  module.def("operators", [] { return recipes(operator_recipes()); });
  module.def("solvers", [] { return recipes(solver_recipes()); });
  module.def("codes", &codes);
  module.def("blas", &blas);
  module.def("describe_kernel", &describe_kernel, py::arg("spec"));
  module.def("kernel_values", &kernel_values, py::arg("spec"), py::arg("a"), py::arg("b"),
             py::arg("budget"));
}

}  // namespace mercer::python
