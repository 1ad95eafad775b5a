#include "mercer/models/detail/stored_points.h"

#include "mercer/core/check.h"
#include "mercer/data/sparse.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace mercer::detail {
namespace {

ArrayType array_type(Scalar type) {
  return type == Scalar::f64   ? ArrayType::F64
         : type == Scalar::f32 ? ArrayType::F32
                               : ArrayType::U8;
}

template <class T>
std::vector<T> values_of(const Array& array, ArrayType type) {
  require(array.type == type && array.shape.size() == 1, ErrorCode::bad_model_content,
          "the arrays \"points.*\" of the model's sparse points are not of their types");
  std::vector<T> values(static_cast<std::size_t>(array.count()));
  MERCER_ASSERT(array.bytes.size() == values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

bool rising_from_zero(const std::vector<Index>& starts, Index end) {
  return !starts.empty() && starts.front() == 0 && starts.back() == end &&
         std::is_sorted(starts.begin(), starts.end());
}

// Every row's columns rise strictly and lie within the width.
bool columns_in_order(const SparseRows& rows, Index dim) {
  for (std::size_t i = 0; i + 1 < rows.starts.size(); ++i) {
    Index last = -1;
    for (Index k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      const Index column = rows.columns[static_cast<std::size_t>(k)];
      if (column <= last || column >= dim) return false;
      last = column;
    }
  }
  return true;
}

Dataset load_sparse(const State& state, Index dim) {
  static_assert(sizeof(Index) == sizeof(std::int64_t));
  SparseRows rows;
  rows.starts = values_of<Index>(state.array("points.starts"), ArrayType::I64);
  rows.columns = values_of<std::int32_t>(state.array("points.columns"), ArrayType::I32);
  rows.values = values_of<double>(state.array("points.values"), ArrayType::F64);
  const bool fits = rows.columns.size() == rows.values.size() &&
                    rising_from_zero(rows.starts, static_cast<Index>(rows.values.size())) &&
                    columns_in_order(rows, dim);
  require(fits, ErrorCode::bad_model_content,
          "the arrays \"points.*\" of the model's sparse points are not rows of its columns");
  require(rows.starts.size() > 1, ErrorCode::bad_model_content,
          "array \"points.starts\" has no rows");
  const bool finite = std::all_of(rows.values.begin(), rows.values.end(),
                                  [](double value) { return std::isfinite(value); });
  require(finite, ErrorCode::bad_model_content,
          "array \"points.values\" has values that are not finite");
  return {std::move(rows), dim};
}

}  // namespace

Dataset stored_points(DataView rows, const Dataset* owner) {
  if (owner != nullptr) return owner->numbers();
  if (rows.sparse()) return {sparse_copy(rows), rows.dim()};
  const std::size_t size = size_of(rows.type());
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows.n() * rows.dim()) * size);
  if (rows.contiguous_rows()) {
    if (!bytes.empty()) std::memcpy(bytes.data(), rows.data(), bytes.size());
    return {std::move(bytes), rows.type(), rows.n(), rows.dim()};
  }
  rows.visit([&](const auto* first) {
    using T = std::remove_cvref_t<decltype(*first)>;
    for (Index i = 0; i < rows.n(); ++i)
      for (Index j = 0; j < rows.dim(); ++j) {
        const auto value = static_cast<T>(rows.at(i, j));
        std::memcpy(bytes.data() + static_cast<std::size_t>(i * rows.dim() + j) * size, &value,
                    size);
      }
  });
  return {std::move(bytes), rows.type(), rows.n(), rows.dim()};
}

void save_points(State& state, const Dataset& points) {
  if (!points.sparse())
    return state.add("points", array_type(points.type()), {points.n(), points.dim()},
                     points.view().data());
  const SparseRows& rows = points.sparse_rows();
  const auto stored = static_cast<Index>(rows.values.size());
  state.add("points.starts", ArrayType::I64, {points.n() + 1}, rows.starts.data());
  state.add("points.columns", ArrayType::I32, {stored}, rows.columns.data());
  state.add("points.values", ArrayType::F64, {stored}, rows.values.data());
}

namespace {

// Bytes are finite. A vector of bytes is aligned for every number.
template <class T>
bool all_finite(const std::vector<std::byte>& bytes) {
  const auto* values = reinterpret_cast<const T*>(bytes.data());
  return std::all_of(values, values + bytes.size() / sizeof(T),
                     [](T value) { return std::isfinite(value); });
}

bool all_finite(const Array& array) {
  return array.type == ArrayType::F64   ? all_finite<double>(array.bytes)
         : array.type == ArrayType::F32 ? all_finite<float>(array.bytes)
                                        : true;
}

}  // namespace

Dataset load_points(State& state, Index dim) {
  if (state.find("points.starts")) return load_sparse(state, dim);
  Array& array = state.array("points");
  const bool known =
      array.type == ArrayType::F64 || array.type == ArrayType::F32 || array.type == ArrayType::U8;
  require(known && array.shape.size() == 2 && array.shape[1] == dim, ErrorCode::bad_model_content,
          "array \"points\" is not a matrix of the model's columns");
  require(array.shape[0] > 0, ErrorCode::bad_model_content, "array \"points\" has no rows");
  require(all_finite(array), ErrorCode::bad_model_content,
          "array \"points\" has values that are not finite");
  const Scalar type = array.type == ArrayType::F64   ? Scalar::f64
                      : array.type == ArrayType::F32 ? Scalar::f32
                                                     : Scalar::u8;
  return {std::move(array.bytes), type, array.shape[0], array.shape[1]};
}

}  // namespace mercer::detail
