// The .mercer file: a valid safetensors file (8-byte little-endian header length, JSON header, raw
// arrays) with a format version, the model's values and XXH3-128 checksums in its metadata. Written
// atomically; everything is verified when it is opened.
#pragma once

#include "mercer/core/state.h"
#include "mercer/io/sink.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace mercer {

/// Raised only when old readers could misunderstand a file; every older format stays readable.
constexpr int kModelFormat = 1;

/// The bytes of a model file; equal states give equal bytes.
std::string encode_model(const State& state);

/// Throws M700 (not a model; says what it looks like), M701 (damaged; names the part), M702 (newer
/// format), M703. Never allocates more than the input's size justifies.
State decode_model(std::string_view bytes);

/// The same bytes in pieces: arrays that view a model's memory are not copied.
void write_state(const State& state, Sink& sink);

/// The same into a file, atomically.
void save_state(const std::string& path, const State& state);

/// The model of a file, a pipe, or standard input for "-". Throws what decode_model does, what the
/// system refuses, and M301 for a model of more than `limit` bytes, before its arrays are read;
/// errors name the file.
State load_state(const std::string& path,
                 std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());

/// Whether the file begins as a .mercer file does.
bool looks_like_model(const std::string& path);
/// Whether it holds something that is none; false where that cannot be told.
bool holds_something_else(const std::string& path);

}  // namespace mercer
