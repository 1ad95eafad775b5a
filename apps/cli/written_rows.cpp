#include "apps/cli/written_rows.h"

#include "mercer/core/text.h"
#include "mercer/data/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace mercer::cli {

void WrittenRows::leave_out_gaps(Dataset& data, Dataset& targets, const Context& context,
                                 Terminal& terminal) {
  const MemoryAccount::Hold list =
      context.hold(static_cast<std::uint64_t>(data.n()) * sizeof(Index), "the rows without gaps");
  places_ = rows_without_missing(data, context);
  some_are_empty_ = static_cast<Index>(places_.size()) < n_;
  if (!some_are_empty_) return;
  const Index empty = n_ - static_cast<Index>(places_.size());
  MemoryAccount::Hold copy = context.hold(data.bytes() + bytes_of(data.ids) + data.labels.bytes(),
                                          "the rows without gaps");
  ids_ = data.ids;
  labels_ = data.labels;
  data = data.rows(places_);
  if (targets.n() > 0) targets = targets.rows(places_);
  copy = {};
  data.hold(context);
  terminal.line(fmt::format("         {} row{} with missing values: empty in the result",
                            grouped(empty), empty == 1 ? "" : "s"));
}

std::string WrittenRows::row_text(Index row, const Dataset& data) const {
  const std::vector<std::string>& names = ids(data);
  const Index at = place(row);
  return names.empty() ? fmt::format("row {}", at + 1)
                       : fmt::format("row {}", printable(names[static_cast<std::size_t>(at)]));
}

Labels WrittenRows::spread(Labels labels) const {
  if (!some_are_empty_) return labels;
  Labels all{std::move(labels.name), std::move(labels.classes), {}};
  const auto none = static_cast<Index>(all.classes.size());
  all.classes.emplace_back();
  all.of_row.assign(static_cast<std::size_t>(n_), none);
  for (std::size_t i = 0; i < places_.size(); ++i)
    all.of_row[static_cast<std::size_t>(places_[i])] = labels.of_row[i];
  return all;
}

void WrittenRows::make(Index columns, const std::function<void(const TakeRows&)>& make,
                       const TakeRows& take) const {
  if (!some_are_empty_) return make(take);
  Index written = 0;
  std::size_t got = 0;
  // Rows up to `end`, of which those at the next places are the block's.
  const auto write_to = [&](Index end, const DataView* block, std::size_t first) {
    while (written < end) {
      const Index rows = std::min(end - written, kBlockRows);
      Points part = Points::Constant(rows, columns, std::numeric_limits<double>::quiet_NaN());
      for (; got < places_.size() && places_[got] < written + rows; ++got)
        block->copy_row(static_cast<Index>(got - first), part.row(places_[got] - written).data());
      take(part);
      written += rows;
    }
  };
  if (!places_.empty())
    make([&](DataView block) {
      const std::size_t last = got + static_cast<std::size_t>(block.n());
      if (block.n() > 0) write_to(places_[last - 1] + 1, &block, got);
    });
  write_to(n_, nullptr, got);
}

}  // namespace mercer::cli
