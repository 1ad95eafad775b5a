#include "python/native/rows.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace mercer::python {
namespace {

std::optional<Scalar> scalar_of(const py::array& array) {
  if (py::isinstance<py::array_t<double>>(array)) return Scalar::f64;
  if (py::isinstance<py::array_t<float>>(array)) return Scalar::f32;
  if (py::isinstance<py::array_t<std::uint8_t>>(array)) return Scalar::u8;
  return std::nullopt;
}

bool aligned(const py::array& array) {
  return (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

// Strides of a single row or column say nothing: NumPy may give any.
std::pair<Index, Index> strides_of(const py::array& array) {
  const Index n = array.shape(0), dim = array.shape(1), size = array.itemsize();
  Index row = array.strides(0) / size, column = array.strides(1) / size;
  if (dim <= 1) column = 1;
  if (n <= 1) row = std::max<Index>(1, dim) * std::max<Index>(1, column);
  return {row, column};
}

// No number is stored twice, as it is in a window that slides, and strides go forward.
bool apart(Index n, Index dim, Index row, Index column) {
  if (n <= 1 && dim <= 1) return true;
  if (row < 1 || column < 1) return false;
  return row >= column ? row >= column * dim : column >= row * n;
}

[[noreturn]] void refuse_sparse(const char* reason) {
  throw py::value_error(std::string("not compressed sparse rows: ") + reason);
}

template <class T>
const T* vector_data(const py::handle& object, Index& size) {
  if (!py::isinstance<py::array_t<T>>(object)) refuse_sparse("an array of another type");
  const auto array = py::reinterpret_borrow<py::array>(object);
  if (array.ndim() != 1 || !aligned(array) ||
      (array.size() > 1 && array.strides(0) != array.itemsize()))
    refuse_sparse("an array with gaps");
  size = array.size();
  return static_cast<const T*>(array.data());
}

// The library trusts its views: what somebody put together by hand is looked at once.
DataView sparse_view(const py::tuple& parts) {
  if (parts.size() != 4) refuse_sparse("four parts are needed");
  Index starts_size = 0, columns_size = 0, values_size = 0;
  const auto* starts = vector_data<std::int64_t>(parts[0], starts_size);
  const auto* columns = vector_data<std::int32_t>(parts[1], columns_size);
  const auto* values = vector_data<double>(parts[2], values_size);
  const auto dim = py::cast<Index>(parts[3]);
  const Index n = starts_size - 1;
  if (n < 0 || starts[0] != 0 || !std::is_sorted(starts, starts + starts_size) ||
      starts[n] > std::min(columns_size, values_size))
    refuse_sparse("row starts that do not rise from 0 to the number of values");
  for (Index i = 0; i < n; ++i) {
    Index last = -1;
    for (Index k = starts[i]; k < starts[i + 1]; ++k) {
      if (columns[k] <= last || columns[k] >= dim)
        refuse_sparse("columns of a row that do not rise within the width");
      last = columns[k];
    }
  }
  static_assert(sizeof(Index) == sizeof(std::int64_t));
  return {reinterpret_cast<const Index*>(starts), columns, values, n, dim};
}

// Drops what a data set kept alive, from whichever thread lets it go.
struct LetGo {
  PyObject* object;
  void operator()(const std::byte*) const {
    const py::gil_scoped_acquire gil;
    Py_DECREF(object);
  }
};

template <class T>
py::array_t<T> copied(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::dtype type_of(Scalar type) {
  return type == Scalar::f64   ? py::dtype::of<double>()
         : type == Scalar::f32 ? py::dtype::of<float>()
                               : py::dtype::of<std::uint8_t>();
}

}  // namespace

bool viewable(const py::array& array) {
  if (array.ndim() != 2 || !scalar_of(array) || !aligned(array)) return false;
  const Index n = array.shape(0), dim = array.shape(1), size = array.itemsize();
  if ((n > 1 && array.strides(0) % size != 0) || (dim > 1 && array.strides(1) % size != 0))
    return false;
  const auto [row, column] = strides_of(array);
  return apart(n, dim, row, column);
}

Rows::Rows(const py::object& object) : kept_(object) {
  if (py::isinstance<py::tuple>(object)) {
    view_ = sparse_view(py::reinterpret_borrow<py::tuple>(object));
    return;
  }
  if (!py::isinstance<py::array>(object))
    throw py::type_error("rows are a NumPy array or a tuple of sparse ones");
  const auto array = py::reinterpret_borrow<py::array>(object);
  if (!viewable(array)) throw py::type_error("rows are an array that can be viewed as it is");
  const auto [row, column] = strides_of(array);
  view_ = DataView(array.data(), *scalar_of(array), array.shape(0), array.shape(1), row, column);
}

Dataset Rows::shared() const {
  if (!sharable()) throw py::type_error("only dense rows in C order can be shared");
  PyObject* const object = kept_.ptr();
  Py_INCREF(object);
  const std::shared_ptr<const std::byte> bytes(static_cast<const std::byte*>(view_.data()),
                                               LetGo{object});
  return {bytes, view_.type(), view_.n(), view_.dim()};
}

py::object array_of(const Dataset& data) {
  if (data.sparse()) {
    const SparseRows& rows = data.sparse_rows();
    return py::make_tuple(copied(rows.starts), copied(rows.columns), copied(rows.values),
                          data.dim());
  }
  const auto kept = std::make_unique<Dataset>(data.numbers());
  const DataView view = kept->view();
  const auto size = static_cast<py::ssize_t>(size_of(view.type()));
  auto owner = std::make_unique<Dataset>(*kept);
  const py::capsule base(owner.release(),
                         [](void* pointer) { delete static_cast<Dataset*>(pointer); });
  return py::array(type_of(view.type()), {view.n(), view.dim()}, {view.dim() * size, size},
                   view.data(), base);
}

py::array_t<double> array_of(const Vector& values) {
  return py::array_t<double>(values.size(), values.data());
}

}  // namespace mercer::python
