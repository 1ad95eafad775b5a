#include "mercer/core/state.h"

#include "mercer/core/check.h"
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

// Column-major doubles are turned into rows strip by strip.
void Array::each_piece(const std::function<void(std::string_view)>& take) const {
  constexpr Index kStrip = Index{1} << 19;  // numbers
  const auto text = [](const void* data, std::size_t size) {
    return std::string_view(static_cast<const char*>(data), size);
  };
  if (view.data == nullptr) return take(text(bytes.data(), bytes.size()));
  if (view.stride == 0) return take(text(view.data, view.size));
  const Eigen::Map<const Block, 0, Eigen::OuterStride<>> columns(
      static_cast<const double*>(view.data), shape[0], shape[1], Eigen::OuterStride<>(view.stride));
  const Index step = std::max<Index>(1, kStrip / std::max<Index>(1, shape[1]));
  Points strip;
  for (Index begin = 0; begin < shape[0]; begin += step) {
    strip = columns.middleRows(begin, std::min(step, shape[0] - begin));
    take(text(strip.data(), static_cast<std::size_t>(strip.size()) * sizeof(double)));
  }
}

Vector Array::as_vector() const {
  MERCER_ASSERT(view.data == nullptr);
  if (type != ArrayType::F64 || shape.size() != 1) wrong(*this, "a vector of doubles");
  Vector values(shape[0]);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Points Array::as_points() const {
  MERCER_ASSERT(view.data == nullptr);
  // Of nothing there may be any number of columns, and loops over them that never end.
  constexpr Index kMostEmpty = Index{1} << 20;
  const bool fits = type == ArrayType::F64 && shape.size() == 2 &&
                    (!bytes.empty() || (shape[0] <= kMostEmpty && shape[1] <= kMostEmpty));
  if (!fits) wrong(*this, "a matrix of doubles");
  Points values(shape[0], shape[1]);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void State::add(std::string name, const Vector& numbers) {
  add(std::move(name), ArrayType::F64, {numbers.size()}, numbers.data());
}

void State::add(std::string name, const Points& numbers) {
  add(std::move(name), ArrayType::F64, {numbers.rows(), numbers.cols()}, numbers.data());
}

void State::add(std::string name, const Block& numbers) {
  if (!views) return arrays.push_back(Array::of_block(std::move(name), numbers));
  add(std::move(name), ArrayType::F64, {numbers.rows(), numbers.cols()}, numbers.data());
  arrays.back().view.stride = numbers.cols() > 1 ? numbers.outerStride() : 0;
}

void State::add(std::string name, ArrayType type, std::vector<Index> shape, const void* data) {
  Array array{std::move(name), type, std::move(shape), {}};
  const std::size_t size = static_cast<std::size_t>(array.count()) * size_of(type);
  if (views && size > 0) {
    array.view = {data, size, 0};
  } else if (size > 0) {
    array.bytes.resize(size);
    std::memcpy(array.bytes.data(), data, size);
  }
  arrays.push_back(std::move(array));
}

Vector State::vector(std::string_view name, Index size) const {
  Vector numbers = array(name).as_vector();
  if (numbers.size() == size && numbers.allFinite()) return numbers;
  throw Error(ErrorCode::bad_model_content,
              fmt::format("array \"{}\" is not {} finite numbers", name, size));
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
