// The first lines of a Matrix Market file: a banner that names the kind of matrix, comments, and
// its sizes.
#pragma once

#include "mercer/core/index.h"

#include <string>
#include <string_view>

namespace mercer::detail {

struct MarketHeader {
  bool sparse = false;   // coordinate, otherwise array
  bool pattern = false;  // entries have no values: they are 1
  enum class Symmetry { general, symmetric, skew } symmetry = Symmetry::general;
  Index rows = 0, columns = 0;
  Index entries = 0;    // in the file: half of a symmetric matrix
  Index line = 0;       // that of the sizes
  std::size_t end = 0;  // where the entries begin
};

/// Whether the text begins with the banner, or with what was meant to be one.
bool has_market_banner(std::string_view head);

/// Throws M442: another banner, a complex matrix, sizes that the text cannot back.
MarketHeader parse_market_header(std::string_view content, const std::string& file);

/// M442 with the line.
[[noreturn]] void refuse_market(Index line, std::string_view message, std::string_view hint,
                                const std::string& file);

/// Cuts off and returns the next line; counts it.
std::string_view next_market_line(std::string_view& rest, Index& line);

}  // namespace mercer::detail
