#include "mercer/kernels/integer_rows.h"

#include "mercer/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace mercer {
namespace {

constexpr Index kChunkRows = 512;  // whole panels: no two tasks write to the same one
constexpr double kMostSpan = 255;
// Keeps every sum of products with offsets below 2^53: 16384 (2^19 + 255)^2.
constexpr double kMostMagnitude = 0x1p18;

struct Extremes {
  double low = HUGE_VAL, high = -HUGE_VAL;
  bool whole = true;

  void join(const Extremes& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    whole = whole && other.whole;
  }
  bool fit() const {
    return whole && high - low <= kMostSpan && low >= -kMostMagnitude && high <= kMostMagnitude;
  }
};

Extremes extremes_of(const double* values, Index count) {
  const Eigen::Map<const Eigen::ArrayXd> x(values, count);
  // Adding 1.5 * 2^52 rounds to a whole number. A sum and not a test of each: it is vectorised, and
  // NaN stays NaN in it.
  constexpr double kShift = 0x1.8p52;
  const double fractions = (((x + kShift) - kShift) - x).abs().sum();
  if (!(fractions == 0)) return {.whole = false};
  return {.low = x.minCoeff(), .high = x.maxCoeff()};
}

// The values of one row as doubles, in place where they are.
const double* row_values(DataView rows, Index i, Vector& buffer) {
  if (rows.type() == Scalar::f64 && rows.contiguous_rows())
    return static_cast<const double*>(rows.data()) + i * rows.dim();
  buffer.resize(rows.dim());
  rows.copy_row(i, buffer.data());
  return buffer.data();
}

Extremes extremes_of(DataView rows, const Context& context) {
  // Tables of fractions mostly show it in their first row.
  Vector first;
  if (!extremes_of(row_values(rows, 0, first), rows.dim()).fit()) return {.whole = false};
  const std::vector<Range> chunks = tiles_of(rows.n(), kChunkRows);
  std::vector<Extremes> parts(chunks.size());
  std::atomic<bool> spoilt = false;
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector buffer;
    const Range chunk = chunks[static_cast<std::size_t>(t)];
    Extremes& part = parts[static_cast<std::size_t>(t)];
    for (Index i = chunk.begin; i < chunk.end && !spoilt; ++i) {
      part.join(extremes_of(row_values(rows, i, buffer), rows.dim()));
      if (!part.fit()) spoilt = true;
    }
  });
  if (spoilt) return {.whole = false};
  Extremes all;
  for (const Extremes& part : parts) all.join(part);
  return all;
}

// Zero where all values are bytes then, since products need no correction; else the unused part of
// the range of a byte lies on both sides of the values.
std::optional<std::int64_t> offset_for(DataView rows, const Context& context) {
  const bool sizes = rows.dim() >= 1 && rows.dim() <= IntegerRows::kMostColumns;
  if (rows.sparse() || !sizes) return std::nullopt;
  if (rows.type() == Scalar::u8 || rows.n() == 0) return 0;
  const Extremes extremes = extremes_of(rows, context);
  if (!extremes.fit()) return std::nullopt;
  if (extremes.low >= 0 && extremes.high <= kMostSpan) return 0;
  const double room = kMostSpan - (extremes.high - extremes.low);
  return static_cast<std::int64_t>(extremes.low - std::floor(room / 2));
}

std::size_t panel_bytes(Index n, Index dim) {
  const Index panels = (n + IntegerRows::kPanelRows - 1) / IntegerRows::kPanelRows;
  return static_cast<std::size_t>(panels * IntegerRows::kPanelRows * ((dim + 3) / 4 * 4));
}

}  // namespace

IntegerRows::IntegerRows(Index n, Index dim, std::int64_t offset)
    : dim_(dim),
      offset_(offset),
      panels_(static_cast<Index>(panel_bytes(n, dim))),
      sums_(static_cast<std::size_t>(n)),
      norms_(static_cast<std::size_t>(n)) {
  const Index last = steps() * 4 * kPanelRows;  // the only panel that may be part empty
  if (n % kPanelRows != 0) panels_.tail(last).setZero();
}

// `padded` has zeros up to a multiple of four columns.
void IntegerRows::set_row(Index i, const std::uint8_t* padded) {
  const Index panel = i / kPanelRows, lane = i % kPanelRows;
  std::uint8_t* out = panels_.data() + (panel * steps() * kPanelRows + lane) * 4;
  std::int32_t sum = 0, norm = 0;
  for (Index k = 0; k < steps(); ++k) {
    std::memcpy(out + k * 4 * kPanelRows, padded + 4 * k, 4);
    for (Index c = 4 * k; c < 4 * k + 4; ++c) {
      const std::int32_t byte = padded[c];
      sum += byte;
      norm += byte * byte;
    }
  }
  sums_[static_cast<std::size_t>(i)] = sum;
  norms_[static_cast<std::size_t>(i)] = norm;
}

std::optional<IntegerRows> IntegerRows::pack(DataView rows, const Context& context) {
  const std::optional<std::int64_t> offset = offset_for(rows, context);
  if (!offset) return std::nullopt;
  IntegerRows packed(rows.n(), rows.dim(), *offset);
  const bool bytes = rows.type() == Scalar::u8 && rows.contiguous_rows();
  const auto shift = static_cast<double>(*offset);
  const std::vector<Range> chunks = tiles_of(rows.n(), kChunkRows);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector buffer;
    std::vector<std::uint8_t> line(static_cast<std::size_t>(packed.steps() * 4));
    const Range chunk = chunks[static_cast<std::size_t>(t)];
    for (Index i = chunk.begin; i < chunk.end; ++i) {
      if (bytes) {
        const auto* from = static_cast<const std::uint8_t*>(rows.data()) + i * rows.dim();
        std::copy(from, from + rows.dim(), line.begin());
      } else {
        const double* from = row_values(rows, i, buffer);
        std::transform(from, from + rows.dim(), line.begin(), [&](double value) {
          return static_cast<std::uint8_t>(static_cast<std::int32_t>(value - shift));
        });
      }
      packed.set_row(i, line.data());
    }
  });
  return packed;
}

bool IntegerRows::can_pack(DataView rows, const Context& context) {
  return offset_for(rows, context).has_value();
}

double IntegerRows::bytes(Index n, Index dim) {
  return static_cast<double>(panel_bytes(n, dim)) + 8 * static_cast<double>(n);
}

std::int64_t IntegerRows::squared_norm(Index i) const {
  const auto at = static_cast<std::size_t>(i);
  return norms_[at] + 2 * offset_ * sums_[at] + dim_ * offset_ * offset_;
}

IntegerRows IntegerRows::gathered(std::span<const Index> chosen) const {
  IntegerRows part(static_cast<Index>(chosen.size()), dim_, offset_);
  std::vector<std::uint8_t> line(static_cast<std::size_t>(steps() * 4));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Index panel = chosen[i] / kPanelRows, lane = chosen[i] % kPanelRows;
    const std::uint8_t* from = panels_.data() + (panel * steps() * kPanelRows + lane) * 4;
    for (Index k = 0; k < steps(); ++k)
      std::memcpy(line.data() + 4 * k, from + k * 4 * kPanelRows, 4);
    part.set_row(static_cast<Index>(i), line.data());
  }
  return part;
}

}  // namespace mercer
