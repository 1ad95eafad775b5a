// State: what a model saves. A kind, a Value of options and results, and named arrays.
#pragma once

#include "mercer/core/types.h"
#include "mercer/core/value.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mercer {

/// Element types an array may have; the names are those of the safetensors format.
enum class ArrayType { F64, F32, I64, I32, U8 };

constexpr std::size_t size_of(ArrayType type) {
  switch (type) {
    case ArrayType::F64:
    case ArrayType::I64:
      return 8;
    case ArrayType::F32:
    case ArrayType::I32:
      return 4;
    case ArrayType::U8:
      break;
  }
  return 1;
}

/// A dense array in C (row-major) order.
struct Array {
  std::string name;
  ArrayType type = ArrayType::F64;
  std::vector<Index> shape;
  std::vector<std::byte> bytes;

  Index count() const {
    Index product = 1;
    for (const Index extent : shape) product *= extent;
    return product;
  }

  static Array of(std::string name, const Vector& values);
  static Array of(std::string name, const Points& values);
  /// Column-major in, row-major stored.
  static Array of_block(std::string name, ConstBlockRef values);

  /// These throw M703 unless type and number of dimensions fit.
  Vector as_vector() const;
  Points as_points() const;
};

struct State {
  std::string kind;
  Value values;
  std::vector<Array> arrays;

  /// The array of this name; throws M703 when it is missing.
  const Array& array(std::string_view name) const;
  Array& array(std::string_view name);
  /// Null when there is none.
  const Array* find(std::string_view name) const;
};

}  // namespace mercer
