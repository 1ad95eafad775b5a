#include "mercer/io/table_rows.h"

#include "mercer/core/check.h"

#include <algorithm>

namespace mercer {
namespace {

constexpr Index kPartNumbers = Index{1} << 18;  // between two looks at the context

}  // namespace

void TableRows::each_block(const Take& take) const {
  if (is_there_ && context_ != nullptr) return each_part(take);
  if (is_there_) return take(there_);
  Index done = 0;
  make_([&](DataView block) {
    MERCER_ASSERT(block.dim() == dim_ && done + block.n() <= n_);
    done += block.n();
    take(block);
  });
  MERCER_ASSERT(done == n_);
}

// Of rows that are there.
void TableRows::each_part(const Take& take) const {
  const Index rows = std::max<Index>(1, kPartNumbers / std::max<Index>(1, dim_));
  for (Index begin = 0; begin < n_; begin += rows) {
    context_->check_cancelled();
    context_->report("write", static_cast<double>(begin) / static_cast<double>(n_));
    take(there_.rows({begin, std::min(n_, begin + rows)}));
  }
}

DataView TableRows::all() {
  if (is_there_) return there_;
  held_ = context_->hold(static_cast<std::uint64_t>(n_ * dim_) * sizeof(double),
                         "the rows that are written");
  made_.resize(n_, dim_);
  Index first = 0;
  each_block([&](DataView block) {
    for (Index i = 0; i < block.n(); ++i) block.copy_row(i, made_.row(first + i).data());
    first += block.n();
  });
  there_ = made_;
  is_there_ = true;
  return there_;
}

void TableRows::collect_if_small() {
  if (is_there_) return;
  const std::uint64_t room = context_->memory_left();  // half of it: making them takes some too
  if (static_cast<std::uint64_t>(n_ * dim_) * sizeof(double) <= room / 2) all();
}

}  // namespace mercer
