#include "mercer/io/table_rows.h"

#include "mercer/core/check.h"

namespace mercer {

void TableRows::each_block(const Take& take) const {
  if (is_there_) return take(there_);
  Index done = 0;
  make_([&](DataView block) {
    MERCER_ASSERT(block.dim() == dim_ && done + block.n() <= n_);
    done += block.n();
    take(block);
  });
  MERCER_ASSERT(done == n_);
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
