#include "python/native/values.h"

#include <exception>

namespace mercer::python {

py::str text_of(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::object object_of(const Value& value) {
  if (value.is_bool()) return py::bool_(value.as_bool());
  if (value.is_integer()) return py::int_(value.as_integer());
  if (value.is_number()) return py::float_(value.as_number());
  if (value.is_text()) return text_of(value.as_text());
  if (value.is_list()) {
    py::list list;
    for (const Value& entry : value.as_list()) list.append(object_of(entry));
    return list;
  }
  if (!value.is_object()) return py::none();
  py::dict members;
  for (const auto& [name, member] : value.as_object()) members[text_of(name)] = object_of(member);
  return members;
}

namespace {

Value list_value(py::handle object) {
  Value list = Value::list();
  for (const py::handle entry : object) list.push_back(value_of(entry));
  return list;
}

Value object_value(const py::dict& members) {
  Value value = Value::object();
  for (const auto& [name, member] : members) value[py::cast<std::string>(name)] = value_of(member);
  return value;
}

}  // namespace

Value value_of(py::handle object) {
  if (object.is_none()) return {};
  if (py::isinstance<py::bool_>(object)) return py::cast<bool>(object);
  if (py::isinstance<py::str>(object)) return py::cast<std::string>(object);
  if (PyIndex_Check(object.ptr()) != 0)
    return py::cast<std::int64_t>(py::int_(py::reinterpret_borrow<py::object>(object)));
  if (PyNumber_Check(object.ptr()) != 0)
    return py::cast<double>(py::float_(py::reinterpret_borrow<py::object>(object)));
  if (py::isinstance<py::dict>(object))
    return object_value(py::reinterpret_borrow<py::dict>(object));
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object))
    return list_value(object);
  throw py::type_error("expected None, a number, text, a list or a dict, got " +
                       py::cast<std::string>(py::str(object.get_type().attr("__name__"))));
}

py::list list_of(const Warnings& warnings) {
  py::list list;
  for (const Warning& warning : warnings) {
    py::dict entry;
    entry["code"] = code_text(warning.code);
    entry["message"] = text_of(warning.message);
    list.append(entry);
  }
  return list;
}

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const py::object made =
          py::module_::import("mercer._errors")
              .attr("error_of")(code_text(error.code()), text_of(error.message()),
                                text_of(error.hint()), text_of(error.place()));
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
    }
  });
}

}  // namespace mercer::python
