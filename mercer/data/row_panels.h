// Rows walked over in panels of doubles, a row of the table per column. A panel has the same rows
// whatever chunks they come in, so that what is computed from panels does not depend on chunks, nor
// on where the rows lie.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/row_source.h"

#include <functional>
#include <string_view>

namespace mercer {

/// What is done on a walk. Rows of one slot come in order, in one thread at a time; different slots
/// at the same time.
struct PanelWork {
  std::string_view phase;  // for progress
  /// A row has been copied to its column of the panel: `row` points there. `number` counts from 0.
  std::function<void(double* row, Index number, Index slot)> row = {};
  /// The panel is complete: dim x (at most panel_rows) numbers.
  std::function<void(BlockRef panel)> panel = {};
  /// Sees all rows in order, in one thread, while they are copied; may be empty.
  std::function<void(DataView part)> beside = {};
};

/// Rows of a panel; the last one may have fewer.
Index panel_rows(Index dim);
/// Slots of a panel; of that of a walk over n rows, which may be short.
Index panel_slots(Index dim);
Index panel_slots(Index n, Index dim);
/// Bytes of the panel of a walk over n rows.
std::uint64_t panel_bytes(Index n, Index dim);

/// A walk that is given its chunks in order. Throws M405 where there are more or fewer rows than n.
class PanelWalk {
 public:
  PanelWalk(Index n, Index dim, const PanelWork& work, const Context& context);
  void add(DataView chunk);
  void end();

 private:
  void fill(DataView part);

  Index n_;
  const PanelWork& work_;
  const Context& context_;
  Block panel_;
  Index filled_ = 0, done_ = 0;
};

/// Walks over all rows.
void each_panel(const RowSource& source, const PanelWork& work, const Context& context);

/// Throws M212 for the first value that is not finite; `row` counts from 0.
void check_row_finite(const double* values, Index dim, Index row);

}  // namespace mercer
