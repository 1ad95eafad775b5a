// Value, the JSON-like type of reports and options, to and from Python's own types.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/value.h"

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

namespace mercer::python {

namespace py = pybind11;

/// Text of the library, whose names of files and columns need not be UTF-8.
py::str text_of(std::string_view text);

/// None, bool, int, float, str, list, dict.
py::object object_of(const Value& value);
/// The inverse; numbers and flags of NumPy count as those of Python. Throws TypeError for others.
Value value_of(py::handle object);

/// py::cast that names what it could not cast. Throws TypeError.
template <class T>
T cast_named(const char* name, const py::object& object) {
  try {
    return py::cast<T>(object);
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(name) + " cannot be " + std::string(py::repr(object)));
  }
}

/// A list of dictionaries with code and message.
py::list list_of(const Warnings& warnings);

/// mercer::Error becomes the exception that mercer._errors makes of it.
void translate_errors();

}  // namespace mercer::python
