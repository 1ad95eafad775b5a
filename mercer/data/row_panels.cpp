#include "mercer/data/row_panels.h"

#include "mercer/core/parallel.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index kSlotRows = 64;  // divides every panel of more rows
// 16 MiB of doubles: deep enough for matrix products, small beside any budget.
constexpr Index kPanelNumbers = Index{1} << 21;
constexpr Index kMostPanelRows = 4096, kFewestPanelRows = 16;

[[noreturn]] void refuse_count(Index got, Index n) {
  throw Error(ErrorCode::file_changed,
              fmt::format("{} rows were there, now there are {}", grouped(n), grouped(got)),
              "wait until the table's writer has finished");
}

// Copies rows [begin, begin + count) of a chunk to columns [filled, filled + count) of the panel.
void fill(const PanelWork& work, DataView part, Index first, Index filled, Block& panel,
          const Context& context) {
  const Index slot_begin = filled / kSlotRows, end = filled + part.n();
  const Index slots = (end + kSlotRows - 1) / kSlotRows - slot_begin;
  const Index before = work.beside ? 1 : 0;
  parallel_for(context, slots + before, [&](Index task) {
    if (task < before) return work.beside(part);
    const Index slot = slot_begin + task - before;
    const Index from = std::max(filled, slot * kSlotRows),
                to = std::min(end, (slot + 1) * kSlotRows);
    for (Index at = from; at < to; ++at) {
      double* row = panel.col(at).data();
      part.copy_row(at - filled, row);
      if (work.row) work.row(row, first + at - filled, slot);
    }
  });
}

}  // namespace

Index panel_rows(Index dim) {
  const Index rows =
      std::clamp(kPanelNumbers / std::max<Index>(dim, 1), kFewestPanelRows, kMostPanelRows);
  return rows < kSlotRows ? rows : rows / kSlotRows * kSlotRows;
}

Index panel_slots(Index dim) { return (panel_rows(dim) + kSlotRows - 1) / kSlotRows; }

std::uint64_t panel_bytes(Index dim) {
  return sizeof(double) * static_cast<std::uint64_t>(dim) *
         static_cast<std::uint64_t>(panel_rows(dim));
}

void each_panel(const RowSource& source, const PanelWork& work, const Context& context) {
  const Index n = source.n(), most = std::min(n, panel_rows(source.dim()));
  Block panel(source.dim(), most);
  Index filled = 0, done = 0;
  source.each_chunk([&](DataView chunk) {
    if (done + chunk.n() > n || chunk.dim() != source.dim()) refuse_count(done + chunk.n(), n);
    for (Index begin = 0; begin < chunk.n();) {
      context.check_cancelled();
      const Index count = std::min(most - filled, chunk.n() - begin);
      fill(work, chunk.rows({begin, begin + count}), done, filled, panel, context);
      begin += count;
      done += count;
      filled += count;
      if (filled < most) continue;
      if (work.panel) work.panel(panel);
      filled = 0;
      context.report(work.phase, static_cast<double>(done) / static_cast<double>(n));
    }
  });
  if (done != n) refuse_count(done, n);
  if (filled > 0 && work.panel) work.panel(panel.leftCols(filled));
}

void check_row_finite(const double* values, Index dim, Index row) {
  for (Index j = 0; j < dim; ++j)
    if (!std::isfinite(values[j]))
      throw Error(ErrorCode::missing_values,
                  fmt::format("the value is {}", std::isnan(values[j]) ? "NaN" : "infinite"),
                  "remove the row, or fill the value in",
                  fmt::format("row {}, column {}", row + 1, j + 1));
}

}  // namespace mercer
