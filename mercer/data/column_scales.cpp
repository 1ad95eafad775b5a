#include "mercer/data/column_scales.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {
namespace {

// Deviations that differ by this factor are not of comparable units.
constexpr double kScales = 100, kSparseScales = 1e4;
constexpr Index kScaleColumns = 8192;  // at a time
constexpr Index kFewestPixels = 16;

// "300" or "3e+05"; beyond the largest double "1e+610".
std::string times_text(double widest, double narrowest) {
  const double ratio = widest / narrowest;
  if (ratio < 1e4) return fmt::format("{:.0f}", ratio);
  if (std::isfinite(ratio)) return fmt::format("{:.1g}", ratio);
  return fmt::format("1e+{:.0f}", std::log10(widest) - std::log10(narrowest));
}

std::string named_column(Index column, const std::vector<std::string>& names) {
  const auto at = static_cast<std::size_t>(column);
  return at < names.size() ? fmt::format("\"{}\"", printable(names[at]))
                           : fmt::format("column {}", column + 1);
}

}  // namespace

ColumnScales ColumnScales::of(DataView rows, const Context& context) {
  ColumnScales scales;
  for (Index begin = 0; begin < rows.dim(); begin += kScaleColumns) {
    const Range columns{begin, std::min(begin + kScaleColumns, rows.dim())};
    const Summary figures = summarize(rows.columns(columns), context);
    for (Index j = 0; j < columns.size(); ++j)
      scales.take(begin + j, figures.minimum[j], figures.maximum[j], figures.deviation[j]);
  }
  return scales;
}

void ColumnScales::take(Index column, double minimum, double maximum, double deviation) {
  if (!(deviation > 0)) return;  // a constant column has no scale
  ++varying_;
  if (deviation > widest_) widest_column_ = column;
  if (deviation < narrowest_) narrowest_column_ = column;
  widest_ = std::max(widest_, deviation);
  narrowest_ = std::min(narrowest_, deviation);
  if (minimum <= least_) at_least_ = minimum < least_ ? 1 : at_least_ + 1;
  if (maximum >= most_) at_most_ = maximum > most_ ? 1 : at_most_ + 1;
  least_ = std::min(least_, minimum);
  most_ = std::max(most_, maximum);
}

// Of measurements in units of their own one column has the largest value; of pixels, many.
bool ColumnScales::shared_unit() const {
  return varying_ >= kFewestPixels && 2 * at_least_ >= varying_ &&
         at_most_ >= std::max<Index>(2, varying_ / 16);
}

Warnings ColumnScales::warnings(const std::vector<std::string>& names) const {
  if (!(widest_ > 0) || !(widest_ >= kScales * narrowest_) || shared_unit()) return {};
  return {{WarningCode::scales_differ,
           fmt::format("{} varies {} times as much as {}; consider scaling the columns (--scale "
                       "standard)",
                       named_column(widest_column_, names), times_text(widest_, narrowest_),
                       named_column(narrowest_column_, names))}};
}

Warnings warnings_about_scales(DataView rows, const Overview& overview,
                               const std::vector<std::string>& names, const Context& context) {
  if (!(overview.widest > 0) || rows.type() == Scalar::u8) return {};
  const double least = rows.sparse() ? kSparseScales : kScales;
  if (!(overview.widest >= least * overview.narrowest)) return {};
  if (!rows.sparse()) return ColumnScales::of(rows, context).warnings(names);
  return {{WarningCode::scales_differ,
           fmt::format("the widest column varies {} times as much as the narrowest; consider "
                       "scaling the columns (--scale standard)",
                       times_text(overview.widest, overview.narrowest))}};
}

}  // namespace mercer
