#include "mercer/data/whole_moments.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/byte_products.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

// Rows whose products are added at once: their bytes stay in the cache. 2048 * 255^2 < 2^31.
constexpr Index kPieceRows = 2048;
// Of a task that packs: sums of 64 bytes fit 16 bits; whole steps of four rows.
constexpr Index kPackedRows = 64;
constexpr Index kTileSide = 96;  // columns: twice three panels, what the loops take at once
constexpr double kMostByte = 255;
// Whole numbers below this are exact as floats, and sums of so many rows as doubles.
constexpr double kMostMagnitude = 0x1p18;

Index panels_of(Index dim) { return (dim + ByteRows::kPanel - 1) / ByteRows::kPanel; }

// Whole slots, no more than there are rows for.
Index piece_rows(Index n) {
  return std::min(kPieceRows, (n + kPackedRows - 1) / kPackedRows * kPackedRows);
}

double power_of_two_above(double magnitude) {
  int exponent = 0;
  if (magnitude > 0) std::frexp(magnitude, &exponent);
  return std::ldexp(1.0, -exponent);
}

// Adding 1.5 times the unit's reciprocal rounds to a whole number, which then stands in the lowest
// bits.
template <class T>
struct Shifted;
template <>
struct Shifted<float> {
  using Word = std::uint32_t;
  static constexpr float kShift = 0x1.8p23F;
};
template <>
struct Shifted<double> {
  using Word = std::uint64_t;
  static constexpr double kShift = 0x1.8p52;
};

// x - offset of one row as bytes; false where one is none. Nothing in it that keeps the compiler
// from doing several numbers at once.
template <class T>
bool row_to_bytes(const T* __restrict x, Index n, T offset, std::uint8_t* __restrict out) {
  using Word = typename Shifted<T>::Word;
  constexpr T shift = Shifted<T>::kShift;
  constexpr Word zero = std::bit_cast<Word>(shift);
  Word spoilt = 0;
  for (Index j = 0; j < n; ++j) {
    const T shifted = (x[j] - offset) + shift;
    const Word whole = std::bit_cast<Word>(shifted) - zero;
    const T back = (shifted - shift) + offset;
    spoilt |= (whole & ~Word{255}) | static_cast<Word>(back != x[j]);
    out[j] = static_cast<std::uint8_t>(whole);
  }
  return spoilt == 0;
}

bool row_to_bytes(const std::uint8_t* x, Index n, std::uint8_t /*offset*/, std::uint8_t* out) {
  std::copy(x, x + n, out);
  return true;
}

// What bytes are counted from, where the first rows are such rows: zero where all are bytes; else
// what is unused of a byte lies on both sides.
std::optional<double> offset_of(DataView chunk) {
  if (chunk.sparse() || chunk.n() == 0) return std::nullopt;
  if (chunk.type() == Scalar::u8) return 0;
  double low = HUGE_VAL, high = -HUGE_VAL;
  Vector row(chunk.dim());
  for (Index i = 0; i < std::min(chunk.n(), kPackedRows); ++i) {
    chunk.copy_row(i, row.data());
    if (!(row.array().round() == row.array()).all()) return std::nullopt;
    low = std::min(low, row.minCoeff());
    high = std::max(high, row.maxCoeff());
    if (!(high - low <= kMostByte)) return std::nullopt;
  }
  if (!(low >= -kMostMagnitude && high <= kMostMagnitude)) return std::nullopt;
  if (low >= 0 && high <= kMostByte) return 0;
  return low - std::floor((kMostByte - (high - low)) / 2);
}

// Bytes and 16-bit numbers may overlap for all that the compiler knows.
void add_line(const std::uint8_t* __restrict line, Index n, std::uint8_t* __restrict low,
              std::uint8_t* __restrict high, std::uint16_t* __restrict sums) {
  for (Index j = 0; j < n; ++j) {
    low[j] = line[j] < low[j] ? line[j] : low[j];
    high[j] = line[j] > high[j] ? line[j] : high[j];
    sums[j] = static_cast<std::uint16_t>(sums[j] + line[j]);
  }
}

}  // namespace

bool WholeMoments::begin_with(DataView chunk) { return offset_of(chunk).has_value(); }

WholeMoments::WholeMoments(Index n, Index dim, const MomentsWanted& wanted, const Context& context)
    : context_(context),
      n_(n),
      dim_(dim),
      bytes_(panels_of(dim) * ByteRows::kPanel * piece_rows(n)),
      piece_sums_(static_cast<std::size_t>(panels_of(dim) * ByteRows::kPanel)),
      slots_(static_cast<std::size_t>(piece_rows(n) / kPackedRows)),
      products_(Block::Zero(dim, dim)),
      sums_(Vector::Zero(dim)) {
  const auto width = static_cast<std::size_t>(dim);
  for (SlotSums& slot : slots_) {
    slot.low.assign(width, std::numeric_limits<std::uint8_t>::max());
    slot.high.assign(width, 0);
    slot.sums.assign(width, 0);
  }
  if (wanted.fingerprint) hash_.emplace(n, dim);
  const std::vector<Range> parts = tiles_of(dim, kTileSide);
  for (const Range rows : parts)
    for (const Range cols : parts)
      if (cols.begin <= rows.begin) tiles_.emplace_back(rows, cols);
}

void WholeMoments::add(DataView chunk) {
  if (done_ == 0) offset_ = offset_of(chunk).value_or(0);
  // Whoever walks next says what is wrong with their number.
  if (done_ + chunk.n() > n_ || chunk.dim() != dim_) throw NotWhole{};
  for (Index begin = 0; begin < chunk.n(); begin += kPieceRows) {
    const DataView piece = chunk.rows({begin, std::min(chunk.n(), begin + kPieceRows)});
    pack(piece);
    add_products();
    done_ += piece.n();
    context_.report("rows", static_cast<double>(done_) / static_cast<double>(n_));
  }
}

RowMoments WholeMoments::end() {
  if (done_ != n_) throw NotWhole{};
  const auto n = static_cast<double>(n_);
  RowMoments moments;
  moments.n = n_;
  extremes(moments.minimum, moments.maximum);
  moments.scale = power_of_two_above(
      std::max(moments.minimum.cwiseAbs().maxCoeff(), moments.maximum.cwiseAbs().maxCoeff()));
  moments.mean = moments.rest = Vector(dim_);
  for (Index j = 0; j < dim_; ++j) {
    const double total = n * offset_ + sums_[j], mean = total / n;
    moments.mean[j] = mean * moments.scale;
    moments.rest[j] = std::fma(-mean, n, total) / n * moments.scale;
  }
  centre(moments.scale * moments.scale);
  moments.scatter = std::move(products_);
  moments.squares = moments.scatter.diagonal();
  if (hash_) moments.fingerprint = hash_->text();
  return moments;
}

template <class T>
bool WholeMoments::bytes_of(DataView piece, const T* data, Index i, Vector& buffer,
                            std::uint8_t* out) const {
  if (piece.contiguous_rows())
    return row_to_bytes(data + i * dim_, dim_, static_cast<T>(offset_), out);
  piece.copy_row(i, buffer.data());
  return row_to_bytes(buffer.data(), dim_, offset_, out);
}

// Four rows, padded to whole panels, to where step `step` of every panel stands.
void WholeMoments::put_step(const std::uint8_t* four, Index step) {
  constexpr Index side = ByteRows::kPanel;
  const Index panels = panels_of(dim_), width = panels * side, stride = steps_ * 64;
  std::uint8_t* out = bytes_.data() + step * 64;
  for (Index panel = 0; panel < panels; ++panel, out += stride) {
    const std::uint8_t* __restrict from = four + panel * side;
    std::uint8_t put[side * ByteRows::kStep];
    for (Index c = 0; c < side; ++c)
      for (Index r = 0; r < ByteRows::kStep; ++r) put[4 * c + r] = from[r * width + c];
    std::copy(put, put + sizeof put, out);
  }
}

bool WholeMoments::pack_slot(DataView piece, Range rows, SlotSums& slot) {
  const Index width = panels_of(dim_) * ByteRows::kPanel;
  std::vector<std::uint8_t> four(static_cast<std::size_t>(ByteRows::kStep * width));
  Vector buffer(dim_);
  std::fill(slot.sums.begin(), slot.sums.end(), std::uint16_t{0});
  for (Index begin = rows.begin; begin < rows.end; begin += ByteRows::kStep) {
    const Index count = std::min(ByteRows::kStep, rows.end - begin);
    for (Index r = 0; r < ByteRows::kStep; ++r) {
      std::uint8_t* line = four.data() + r * width;
      if (r >= count) {
        std::fill(line, line + dim_, std::uint8_t{0});
        continue;
      }
      const bool good = piece.visit(
          [&](const auto* data) { return bytes_of(piece, data, begin + r, buffer, line); });
      if (!good) return false;
      add_line(line, dim_, slot.low.data(), slot.high.data(), slot.sums.data());
    }
    put_step(four.data(), begin / ByteRows::kStep);
  }
  return true;
}

void WholeMoments::pack(DataView piece) {
  steps_ = (piece.n() + ByteRows::kStep - 1) / ByteRows::kStep;
  const std::vector<Range> parts = tiles_of(piece.n(), kPackedRows);
  const Index before = hash_ ? 1 : 0;
  std::atomic<bool> spoilt = false;
  parallel_for(context_, static_cast<Index>(parts.size()) + before, [&](Index task) {
    if (task < before) return hash_->add(piece);
    const auto at = static_cast<std::size_t>(task - before);
    if (!spoilt && !pack_slot(piece, parts[at], slots_[at])) spoilt = true;
  });
  if (spoilt) throw NotWhole{};
  std::fill(piece_sums_.begin(), piece_sums_.end(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t j = 0; j < static_cast<std::size_t>(dim_); ++j)
      piece_sums_[j] += slots_[p].sums[j];
  for (Index j = 0; j < dim_; ++j) sums_[j] += piece_sums_[static_cast<std::size_t>(j)];
}

void WholeMoments::extremes(Vector& minimum, Vector& maximum) const {
  minimum = maximum = Vector(dim_);
  for (Index j = 0; j < dim_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    std::uint8_t low = std::numeric_limits<std::uint8_t>::max(), high = 0;
    for (const SlotSums& slot : slots_) {
      low = std::min(low, slot.low[at]);
      high = std::max(high, slot.high[at]);
    }
    minimum[j] = offset_ + low;
    maximum[j] = offset_ + high;
  }
}

// From sums of products to the scatter, times the square of the scale.
void WholeMoments::centre(double square) {
  const auto n = static_cast<double>(n_);
  const Vector nearest = (sums_ / n).array().round();
  const Vector excess = sums_ - n * nearest;
  const std::vector<Range> columns = tiles_of(dim_, kTileSide);
  parallel_for(context_, static_cast<Index>(columns.size()), [&](Index t) {
    const Range part = columns[static_cast<std::size_t>(t)];
    for (Index j = part.begin; j < part.end; ++j) {
      const double r = nearest[j], s = sums_[j], e = excess[j] / n;
      for (Index i = j; i < dim_; ++i) {
        const double exact = products_(i, j) - nearest[i] * s - r * sums_[i] + n * nearest[i] * r;
        products_(i, j) = (exact - excess[i] * e) * square;
      }
    }
  });
  products_.triangularView<Eigen::StrictlyUpper>() = products_.transpose();
}

void WholeMoments::add_products() {
  const ByteRows packed{bytes_.data(), piece_sums_.data(), steps_};
  parallel_for(context_, static_cast<Index>(tiles_.size()), [&](Index t) {
    const auto [rows, cols] = tiles_[static_cast<std::size_t>(t)];
    Points tile(rows.size(), cols.size());
    byte_products(packed, rows, cols, tile.data(), cols.size());
    products_.block(rows.begin, cols.begin, rows.size(), cols.size()) += tile;
  });
}

std::uint64_t whole_moments_bytes(Index n, Index dim) {
  const auto d = static_cast<std::uint64_t>(dim), rows = static_cast<std::uint64_t>(piece_rows(n));
  const auto width = static_cast<std::uint64_t>(panels_of(dim) * ByteRows::kPanel);
  return width * (rows + 4) + 4 * (rows / kPackedRows) * d + 8 * d * d + 64 * d;
}

}  // namespace mercer
