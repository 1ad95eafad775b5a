// A state with arrays of every type, and what model files are sealed with, for tests of their
// bytes.
#pragma once

#include "mercer/core/random.h"
#include "mercer/io/model_file.h"

#include <xxhash.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace mercer::model_bytes {

inline std::string hex(XXH128_hash_t hash) {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text.data();
}

inline std::uint64_t length_field(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

inline Array raw(std::string name, ArrayType type, std::vector<Index> shape, std::uint64_t seed) {
  Array array{std::move(name), type, std::move(shape), {}};
  array.bytes.resize(static_cast<std::size_t>(array.count()) * size_of(type));
  const Random random(seed);
  for (std::size_t i = 0; i < array.bytes.size(); ++i)
    array.bytes[i] = static_cast<std::byte>(random.bits(i));
  return array;
}

inline State sample(Index rows) {
  State state;
  state.kind = "kernel_pca";
  state.values = Value::Object{{"kernel", "gaussian:sigma=0.5"},
                               {"components", 3},
                               {"tolerance", 1e-6},
                               {"columns", Value::List{"Größe", "λ \"quoted\"", "tab\there"}},
                               {"whole", 2.0},
                               {"nothing", {}}};
  state.arrays = {
      raw("flags", ArrayType::U8, {7}, 1),        raw("means", ArrayType::F64, {rows}, 2),
      raw("index", ArrayType::I32, {rows, 1}, 3), raw("coefficients", ArrayType::F64, {rows, 3}, 4),
      raw("narrow", ArrayType::F32, {3}, 5),      raw("count", ArrayType::I64, {2, 2, 2}, 6)};
  return state;
}

}  // namespace mercer::model_bytes
