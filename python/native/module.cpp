// mercer._native: the library as Python sees it. Small and general; what users meet is the package
// around it (python/mercer).
#include "python/native/model.h"
#include "python/native/values.h"

PYBIND11_MODULE(_native, module) {
  module.doc() = "The library behind the package mercer.";
  mercer::python::translate_errors();
  mercer::python::add_model(module);
  mercer::python::add_fit(module);
  mercer::python::add_catalogues(module);
  mercer::python::add_tables(module);
  mercer::python::add_plot(module);
}
