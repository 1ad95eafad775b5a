// Rows that come in chunks, for methods that can learn from tables larger than memory: such a
// method walks over them as often as it needs, and never holds more than a chunk.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <cstdint>
#include <functional>

namespace mercer {

class RowSource {
 public:
  using Take = std::function<void(DataView chunk)>;

  virtual ~RowSource() = default;
  virtual Index n() const = 0;
  virtual Index dim() const = 0;
  /// What the numbers are stored as.
  virtual Scalar type() const { return Scalar::f64; }
  /// Bytes that a walk holds besides what the taker makes of a chunk.
  virtual std::uint64_t chunk_bytes() const { return 0; }
  /// Gives all rows, chunk after chunk in their order, the same at every call.
  virtual void each_chunk(const Take& take) const = 0;

 protected:
  RowSource() = default;
  RowSource(const RowSource&) = default;
  RowSource& operator=(const RowSource&) = default;
};

/// Rows in memory, as one chunk.
class ViewSource final : public RowSource {
 public:
  explicit ViewSource(DataView rows) : rows_(rows) {}
  Index n() const override { return rows_.n(); }
  Index dim() const override { return rows_.dim(); }
  Scalar type() const override { return rows_.type(); }
  void each_chunk(const Take& take) const override { take(rows_); }

 private:
  DataView rows_;
};

/// Stands for rows of this number and width where only sizes are asked: one number is all there is.
inline DataView sizes_view(const RowSource& source) {
  static constexpr double kAny = 0.5;
  return {&kAny, source.type(), source.n(), source.dim(), 0, 0};
}

}  // namespace mercer
