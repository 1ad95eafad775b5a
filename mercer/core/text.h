// Numbers, bytes, durations and names as people read and write them. Nothing here depends on the
// locale.
#pragma once

#include "mercer/core/index.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// "1797", "60 000": digits in groups of three above 9999.
std::string grouped(Index count);
/// Shortest text that reads back as the same double.
std::string exact(double value);
/// A few significant digits, as in a summary.
std::string brief(double value, int digits = 4);
/// "1.6 GiB", "512 B".
std::string bytes(std::uint64_t count);
/// "48 s", "2 min", "0.12 s".
std::string duration(double seconds);

/// The whole text as a finite or infinite number; nothing else may stand in it.
std::optional<double> parse_number(std::string_view text);
/// "4G", "512M", "1000": bytes, or nothing when not understood.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// "90", "500ms", "90s", "10m" or "10min", "1.5h", "2d": seconds, or nothing when not understood.
std::optional<double> parse_seconds(std::string_view text);

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);

/// The text with control characters and broken UTF-8 made visible, so that names from files cannot
/// steer a terminal.
std::string printable(std::string_view text);

/// Whether the bytes are well-formed UTF-8.
bool is_utf8(std::string_view text);

}  // namespace mercer
