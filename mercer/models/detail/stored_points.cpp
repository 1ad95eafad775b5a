#include "mercer/models/detail/stored_points.h"

#include "mercer/core/check.h"

#include <cmath>
#include <cstring>

namespace mercer::detail {

Dataset stored_points(DataView rows) {
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

Array points_array(const Dataset& points) {
  const ArrayType type = points.type() == Scalar::f64   ? ArrayType::F64
                         : points.type() == Scalar::f32 ? ArrayType::F32
                                                        : ArrayType::U8;
  Array array{"points", type, {points.n(), points.dim()}, {}};
  array.bytes.resize(static_cast<std::size_t>(array.count()) * size_of(type));
  std::memcpy(array.bytes.data(), points.view().data(), array.bytes.size());
  return array;
}

Dataset points_from(const Array& array) {
  const bool known =
      array.type == ArrayType::F64 || array.type == ArrayType::F32 || array.type == ArrayType::U8;
  require(known && array.shape.size() == 2, ErrorCode::bad_model_content,
          "the model's points are not a matrix");
  const Scalar type = array.type == ArrayType::F64   ? Scalar::f64
                      : array.type == ArrayType::F32 ? Scalar::f32
                                                     : Scalar::u8;
  return {array.bytes, type, array.shape[0], array.shape[1]};
}

}  // namespace mercer::detail
