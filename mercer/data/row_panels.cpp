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

}  // namespace

Index panel_rows(Index dim) {
  const Index rows =
      std::clamp(kPanelNumbers / std::max<Index>(dim, 1), kFewestPanelRows, kMostPanelRows);
  return rows < kSlotRows ? rows : rows / kSlotRows * kSlotRows;
}

Index panel_slots(Index dim) { return (panel_rows(dim) + kSlotRows - 1) / kSlotRows; }

Index panel_slots(Index n, Index dim) {
  return (std::min(n, panel_rows(dim)) + kSlotRows - 1) / kSlotRows;
}

std::uint64_t panel_bytes(Index n, Index dim) {
  return sizeof(double) * static_cast<std::uint64_t>(dim) *
         static_cast<std::uint64_t>(std::min(n, panel_rows(dim)));
}

PanelWalk::PanelWalk(Index n, Index dim, const PanelWork& work, const Context& context)
    : n_(n), work_(work), context_(context), panel_(dim, std::min(n, panel_rows(dim))) {}

// Copies the rows to the columns of the panel after those that are filled.
void PanelWalk::fill(DataView part) {
  const Index slot_begin = filled_ / kSlotRows, end = filled_ + part.n();
  const Index slots = (end + kSlotRows - 1) / kSlotRows - slot_begin;
  const Index before = work_.beside ? 1 : 0;
  parallel_for(context_, slots + before, [&](Index task) {
    if (task < before) return work_.beside(part);
    const Index slot = slot_begin + task - before;
    const Index from = std::max(filled_, slot * kSlotRows),
                to = std::min(end, (slot + 1) * kSlotRows);
    for (Index at = from; at < to; ++at) {
      double* row = panel_.col(at).data();
      part.copy_row(at - filled_, row);
      if (work_.row) work_.row(row, done_ + at - filled_, slot);
    }
  });
}

void PanelWalk::add(DataView chunk) {
  if (done_ + chunk.n() > n_ || chunk.dim() != panel_.rows()) refuse_count(done_ + chunk.n(), n_);
  for (Index begin = 0; begin < chunk.n();) {
    context_.check_cancelled();
    const Index count = std::min(panel_.cols() - filled_, chunk.n() - begin);
    fill(chunk.rows({begin, begin + count}));
    begin += count;
    done_ += count;
    filled_ += count;
    if (filled_ < panel_.cols()) continue;
    if (work_.panel) work_.panel(panel_);
    filled_ = 0;
    context_.report(work_.phase, static_cast<double>(done_) / static_cast<double>(n_));
  }
}

void PanelWalk::end() {
  if (done_ != n_) refuse_count(done_, n_);
  if (filled_ > 0 && work_.panel) work_.panel(panel_.leftCols(filled_));
}

void each_panel(const RowSource& source, const PanelWork& work, const Context& context) {
  PanelWalk walk(source.n(), source.dim(), work, context);
  source.each_chunk([&](DataView chunk) { walk.add(chunk); });
  walk.end();
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
