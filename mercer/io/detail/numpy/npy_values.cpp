#include "mercer/io/detail/numpy/npy_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace mercer::detail {
namespace {

// sign, 5 bits of exponent, 10 bits of fraction.
double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const double fraction = bits & 0x3FF;
  double size = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0) size = std::ldexp(fraction, -24);
  if (exponent == 31) size = fraction == 0 ? HUGE_VAL : std::nan("");
  return bits >> 15 ? -size : size;
}

template <class T>
T load(const char* source, bool swapped) {
  char buffer[sizeof(T)];
  std::memcpy(buffer, source, sizeof(T));
  if (swapped) std::reverse(buffer, buffer + sizeof(T));
  T value;
  std::memcpy(&value, buffer, sizeof(T));
  return value;
}

double load_element(const char* source, const NpyType& type) {
  const auto as_double = [&](auto zero) {
    return static_cast<double>(load<decltype(zero)>(source, type.big_endian));
  };
  switch (type.kind) {
    case 'f':
      if (type.size == 2) return half_value(load<std::uint16_t>(source, type.big_endian));
      return type.size == 4 ? as_double(0.0F) : as_double(0.0);
    case 'i':
      if (type.size == 1) return as_double(std::int8_t{});
      if (type.size == 2) return as_double(std::int16_t{});
      return type.size == 4 ? as_double(std::int32_t{}) : as_double(std::int64_t{});
    case 'u':
      if (type.size == 1) return as_double(std::uint8_t{});
      if (type.size == 2) return as_double(std::uint16_t{});
      return type.size == 4 ? as_double(std::uint32_t{}) : as_double(std::uint64_t{});
    default:
      return *source != 0 ? 1.0 : 0.0;
  }
}

// Position in the file of each column's element of row 0. In Fortran order the first of the later
// extents runs fastest, while a row of ours has the last one running fastest.
std::vector<Index> column_offsets(const NpyMatrix& matrix, const std::vector<Index>& columns) {
  std::vector<Index> offsets;
  offsets.reserve(columns.size());
  for (Index column : columns) {
    if (!matrix.fortran_order) {
      offsets.push_back(column);
      continue;
    }
    Index offset = 0;
    Index stride = columns_of(matrix) * matrix.n;
    for (std::size_t axis = matrix.shape.size(); axis-- > 1;) {
      stride /= matrix.shape[axis];
      offset += column % matrix.shape[axis] * stride;
      column /= matrix.shape[axis];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

struct Layout {
  std::vector<Index> offsets;
  Index row_stride;
};

Layout layout_of(const NpyMatrix& matrix, const std::vector<Index>& columns) {
  return {column_offsets(matrix, columns), matrix.fortran_order ? 1 : columns_of(matrix)};
}

// Rows in bands: within one, each cache line of a Fortran-ordered column is used whole.
template <class Copy>
void in_bands(Index n, Index dim, const Context& context, Copy copy) {
  constexpr Index kBand = 64;  // rows: a cache line of 64 bytes holds 8 to 64 numbers
  for (Index begin = 0; begin < n; begin += kBand) {
    if (begin % 4096 == 0) {
      context.check_cancelled();
      context.report("read", static_cast<double>(begin) / static_cast<double>(n));
    }
    const Index end = std::min(begin + kBand, n);
    for (Index j = 0; j < dim; ++j)
      for (Index i = begin; i < end; ++i) copy(i, j);
  }
}

}  // namespace

Index columns_of(const NpyMatrix& matrix) {
  Index columns = 1;
  for (std::size_t axis = 1; axis < matrix.shape.size(); ++axis) columns *= matrix.shape[axis];
  return columns;
}

Scalar kept_type(const NpyType& type) {
  if (type.kind == 'f' && type.size == 4 && !type.big_endian) return Scalar::f32;
  if (type.kind == 'u' && type.size == 1) return Scalar::u8;
  return Scalar::f64;
}

double element(const NpyMatrix& matrix, Index row, Index column) {
  const Layout layout = layout_of(matrix, {column});
  return load_element(
      matrix.data.data() + (row * layout.row_stride + layout.offsets[0]) * matrix.type.size,
      matrix.type);
}

std::vector<std::byte> gather(const NpyMatrix& matrix, const std::vector<Index>& columns,
                              const Context& context) {
  const Layout layout = layout_of(matrix, columns);
  const auto dim = static_cast<Index>(columns.size());
  const auto out_size = static_cast<Index>(size_of(kept_type(matrix.type)));
  const char* const source = matrix.data.data();
  const Index size = matrix.type.size;
  const bool native = !matrix.type.big_endian && matrix.type.kind == 'f' && size == 8;
  const bool as_stored = native || kept_type(matrix.type) != Scalar::f64;
  std::vector<std::byte> bytes(static_cast<std::size_t>(matrix.n * dim * out_size));
  if (as_stored && !matrix.fortran_order && dim == columns_of(matrix) &&
      std::is_sorted(columns.begin(), columns.end())) {
    std::memcpy(bytes.data(), source, bytes.size());
    return bytes;
  }
  in_bands(matrix.n, dim, context, [&](Index i, Index j) {
    const char* from =
        source + (i * layout.row_stride + layout.offsets[static_cast<std::size_t>(j)]) * size;
    std::byte* to = bytes.data() + (i * dim + j) * out_size;
    if (as_stored) {
      std::memcpy(to, from, static_cast<std::size_t>(out_size));
    } else {
      const double value = load_element(from, matrix.type);
      std::memcpy(to, &value, sizeof value);
    }
  });
  return bytes;
}

}  // namespace mercer::detail
