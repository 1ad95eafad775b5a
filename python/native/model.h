// The class Model of the module: a fitted model with what it can do.
#pragma once

#include <pybind11/pybind11.h>

namespace mercer::python {

void add_model(pybind11::module_& module);
/// fit and plan.
void add_fit(pybind11::module_& module);
/// What the library has: methods, kernels, codes; the BLAS, the version.
void add_catalogues(pybind11::module_& module);
/// read and generate: tables from files and toy data.
void add_tables(pybind11::module_& module);
/// Pictures of models.
void add_plot(pybind11::module_& module);

}  // namespace mercer::python
