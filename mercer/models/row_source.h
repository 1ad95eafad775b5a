// Rows that come in chunks, for methods that can learn from tables larger than memory: such a
// method walks over them as often as it needs, and never holds more than a chunk.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <functional>

namespace mercer {

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index n() const = 0;
  virtual Index dim() const = 0;
  /// Gives all rows, chunk after chunk in their order, the same at every call.
  virtual void each_chunk(const std::function<void(DataView chunk)>& take) const = 0;

 protected:
  RowSource() = default;
  RowSource(const RowSource&) = default;
  RowSource& operator=(const RowSource&) = default;
};

}  // namespace mercer
