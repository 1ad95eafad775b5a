#include "mercer/operators/journaled.h"

#include <array>

namespace mercer {
namespace {

std::span<double> numbers_of(Block& block) {
  return {block.data(), static_cast<std::size_t>(block.size())};
}

// What a pass gives beside the product, in one vector: row sums, trace, sum of squares, its error.
Vector packed(const PassSums& sums) {
  const Index n = sums.row_sums.size();
  Vector numbers(n + 3);
  numbers << sums.row_sums, sums.trace, sums.frobenius_squared, sums.frobenius_error;
  return numbers;
}

PassSums unpacked(const Vector& numbers) {
  const Index n = numbers.size() - 3;
  return {numbers.head(n), numbers[n], numbers[n + 1], numbers[n + 2]};
}

}  // namespace

void Journaled::apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const {
  Block input = x;  // without gaps between the columns
  Block product(y.rows(), y.cols());
  Vector extra(sums != nullptr ? size() + 3 : 0);
  const std::array result = {numbers_of(product),
                             std::span(extra.data(), static_cast<std::size_t>(extra.size()))};
  if (journal_.replay(numbers_of(input), result)) {
    y = product;
    if (sums != nullptr) *sums = unpacked(extra);
    return;
  }
  inner_->apply(input, product, sums, context);
  if (sums != nullptr) extra = packed(*sums);
  const std::array<Journal::ConstNumbers, 2> made = {
      numbers_of(product), std::span(extra.data(), static_cast<std::size_t>(extra.size()))};
  journal_.record(made);
  y = product;
}

}  // namespace mercer
