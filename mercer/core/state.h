// State: what a model saves. A kind, a Value of options and results, and named arrays. The arrays
// of a state that is only written to a file view the model's memory, so that saving needs no second
// copy of it.
#pragma once

#include "mercer/core/types.h"
#include "mercer/core/value.h"

#include <cstddef>
#include <cstring>
#include <functional>
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

/// Memory of somebody who outlives the view.
struct ArrayView {
  const void* data = nullptr;
  std::size_t size = 0;  // in bytes
  Index stride = 0;      // between columns of column-major doubles; 0: row-major, without gaps
};

/// A dense array in C (row-major) order: bytes of its own, or a view.
struct Array {
  std::string name;
  ArrayType type = ArrayType::F64;
  std::vector<Index> shape;
  std::vector<std::byte> bytes;
  ArrayView view = {};

  /// Bytes, whoever owns them.
  std::size_t size() const { return view.data != nullptr ? view.size : bytes.size(); }
  /// All bytes in row-major order, in pieces of a few megabytes at most where they must be copied.
  void each_piece(const std::function<void(std::string_view)>& take) const;

  Index count() const {
    Index product = 1;
    for (const Index extent : shape) product *= extent;
    return product;
  }

  static Array of(std::string name, const Vector& values);
  static Array of(std::string name, const Points& values);
  /// Column-major in, row-major stored.
  static Array of_block(std::string name, ConstBlockRef values);

  /// Not for views. These throw M703 unless type and number of dimensions fit.
  Vector as_vector() const;
  Points as_points() const;
};

struct State {
  std::string kind;
  Value values;
  std::vector<Array> arrays;
  bool views = false;  // what is added is viewed, not copied: for states that are only written

  void add(std::string name, const Vector& numbers);
  void add(std::string name, const Points& numbers);
  void add(std::string name, const Block& numbers);
  void add(std::string name, ArrayType type, std::vector<Index> shape, const void* data);

  /// The array of this name; throws M703 when it is missing.
  const Array& array(std::string_view name) const;
  Array& array(std::string_view name);
  /// The array of this name, which must be so many finite numbers; else M703.
  Vector vector(std::string_view name, Index size) const;
  /// Null when there is none.
  const Array* find(std::string_view name) const;
};

}  // namespace mercer
