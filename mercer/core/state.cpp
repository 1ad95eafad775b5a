#include "mercer/core/state.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <algorithm>
#include <utility>

namespace mercer {
namespace {

std::vector<std::byte> bytes_of(const double* values, Index count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(double));
  if (count > 0) std::memcpy(bytes.data(), values, bytes.size());
  return bytes;
}

[[noreturn]] void wrong(const Array& array, const char* wanted) {
  throw Error(ErrorCode::bad_model_content,
              "array \"" + printable(array.name) + "\" is not " + wanted);
}

}  // namespace

Array Array::of(std::string name, const Vector& values) {
  return {std::move(name), ArrayType::F64, {values.size()}, bytes_of(values.data(), values.size())};
}

Array Array::of(std::string name, const Points& values) {
  return {std::move(name),
          ArrayType::F64,
          {values.rows(), values.cols()},
          bytes_of(values.data(), values.size())};
}

Array Array::of_block(std::string name, ConstBlockRef values) {
  return of(std::move(name), Points(values));
}

Vector Array::as_vector() const {
  if (type != ArrayType::F64 || shape.size() != 1) wrong(*this, "a vector of doubles");
  Vector values(shape[0]);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Points Array::as_points() const {
  // Of nothing there may be any number of columns, and loops over them that never end.
  constexpr Index kMostEmpty = Index{1} << 20;
  const bool fits = type == ArrayType::F64 && shape.size() == 2 &&
                    (!bytes.empty() || (shape[0] <= kMostEmpty && shape[1] <= kMostEmpty));
  if (!fits) wrong(*this, "a matrix of doubles");
  Points values(shape[0], shape[1]);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

const Array* State::find(std::string_view name) const {
  const auto found = std::ranges::find(arrays, name, &Array::name);
  return found == arrays.end() ? nullptr : &*found;
}

const Array& State::array(std::string_view name) const {
  if (const Array* found = find(name)) return *found;
  throw Error(ErrorCode::bad_model_content,
              "the model lacks its array \"" + std::string(name) + "\"");
}

Array& State::array(std::string_view name) {
  return const_cast<Array&>(std::as_const(*this).array(name));
}

}  // namespace mercer
