#include "mercer/models/detail/regress/fold_scaling.h"

#include <algorithm>

namespace mercer::detail {
namespace {

Points rows_without(DataView rows, std::span<const Index> left_out) {
  Points others(rows.n() - static_cast<Index>(left_out.size()), rows.dim());
  Index next = 0;
  for (Index i = 0; i < rows.n(); ++i)
    if (!std::ranges::binary_search(left_out, i)) rows.copy_row(i, others.row(next++).data());
  return others;
}

}  // namespace

void with_fold_scaled(DataView rows, Choice<Scaling> scale, std::span<const Index> left_out,
                      const Context& context, const std::function<void(DataView rows)>& use) {
  const MemoryAccount::Hold held =
      context.hold(2 * sizeof(double) * static_cast<std::uint64_t>(rows.n()) *
                       static_cast<std::uint64_t>(rows.dim()),
                   "the scaled rows of a fold");
  Points scaled;
  {
    const Points learnt = rows_without(rows, left_out);
    scaled = Scaler(scale, learnt, context).apply(rows, context);
  }
  use(scaled);
}

}  // namespace mercer::detail
