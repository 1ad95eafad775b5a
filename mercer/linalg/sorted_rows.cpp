#include "mercer/linalg/sorted_rows.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index kParts = 16;  // counted apart: the order does not depend on threads
constexpr Index kChunk = 4096;
constexpr double kMostBins = 1 << 17;
constexpr double kRowsPerBin = 8;

/// Equal boxes, numbered row-major.
class Bins {
 public:
  Bins(Index n, const Vector& reach) : reach_(reach) {
    const auto dim = static_cast<double>(std::max<Index>(1, (reach.array() > 0).count()));
    const double wanted = std::min(kMostBins, static_cast<double>(n) / kRowsPerBin);
    along_ = std::max<Index>(1, static_cast<Index>(std::pow(wanted, 1 / dim)));
    for (Index i = 0; i < reach.size(); ++i)
      if (reach[i] > 0) count_ *= along_;
  }
  Index count() const { return count_; }
  std::uint32_t of(const double* row) const {
    Index bin = 0;
    for (Index i = 0; i < reach_.size(); ++i) {
      if (!(reach_[i] > 0)) continue;
      const double share = std::clamp(0.5 + 0.5 * row[i] / reach_[i], 0.0, 1.0);
      bin = bin * along_ +
            std::min(along_ - 1, static_cast<Index>(share * static_cast<double>(along_)));
    }
    return static_cast<std::uint32_t>(bin);
  }

 private:
  const Vector& reach_;
  Index along_ = 1, count_ = 1;
};

// Calls use(part, row number, row) in order within every part.
template <class Use>
void over_rows(Index n, Index dim, const SortedRows::Source& source, const Context& context,
               const Use& use) {
  const std::vector<Range> parts = tiles_of(n, (n + kParts - 1) / kParts);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    std::vector<double> rows(static_cast<std::size_t>(kChunk * dim));
    for (Index begin = part.begin; begin < part.end; begin += kChunk) {
      const Range chunk{begin, std::min(part.end, begin + kChunk)};
      source(chunk, rows.data());
      context.check_cancelled();
      for (Index i = chunk.begin; i < chunk.end; ++i) use(t, i, rows.data() + (i - begin) * dim);
    }
  });
}

}  // namespace

SortedRows::SortedRows(Index n, const Vector& reach, const Source& source, const Context& context)
    : rows_(n, reach.size()), order_(static_cast<std::size_t>(n)) {
  MERCER_ASSERT(n < (Index{1} << 32));
  if (n == 0) return;
  const Index dim = reach.size();
  const Bins bins(n, reach);
  std::vector<std::uint32_t> places(static_cast<std::size_t>(bins.count() * kParts), 0);
  over_rows(n, dim, source, context, [&](Index part, Index, const double* row) {
    ++places[static_cast<std::size_t>(part * bins.count() + bins.of(row))];
  });
  // Counts become first places: bin after bin, within a bin part after part.
  std::uint32_t next = 0;
  for (Index bin = 0; bin < bins.count(); ++bin)
    for (Index part = 0; part < kParts; ++part) {
      std::uint32_t& place = places[static_cast<std::size_t>(part * bins.count() + bin)];
      const std::uint32_t count = place;
      place = next;
      next += count;
    }
  over_rows(n, dim, source, context, [&](Index part, Index i, const double* row) {
    const std::uint32_t place =
        places[static_cast<std::size_t>(part * bins.count() + bins.of(row))]++;
    order_[place] = static_cast<std::uint32_t>(i);
    std::copy(row, row + dim, rows_.data() + static_cast<Index>(place) * dim);
  });
}

}  // namespace mercer
