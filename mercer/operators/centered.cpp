#include "mercer/operators/centered.h"

#include "mercer/core/parallel.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr Index kColumns = 64;   // per task
constexpr Index kSummed = 1024;  // of a column, at once

// Sum with a running correction (Neumaier): the result is as good as a sum in twice the precision.
class CarefulSum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    carry_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  double total() const { return sum_ + carry_; }

 private:
  double sum_ = 0, carry_ = 0;
};

}  // namespace

// Sums of parts are added: an error of rounding grows with the length of a part, not of the column.
void remove_means(BlockRef block) {
  const auto n = static_cast<double>(block.rows());
  for (Index j = 0; j < block.cols(); ++j) {
    double sum = 0;
    for (Index i = 0; i < block.rows(); i += kSummed)
      sum += block.col(j).segment(i, std::min(kSummed, block.rows() - i)).sum();
    block.col(j).array() -= sum / n;
  }
}

Vector center_in_place(BlockRef matrix, const Context& context) {
  const Index n = matrix.rows();
  Vector means(n);
  if (n == 0) return means;
  const double pivot = matrix(0, 0);
  const std::vector<Range> chunks = tiles_of(n, kColumns);
  const auto tasks = static_cast<Index>(chunks.size());
  parallel_for(context, tasks, [&](Index t) {
    for (Index j = chunks[static_cast<std::size_t>(t)].begin;
         j < chunks[static_cast<std::size_t>(t)].end; ++j) {
      CarefulSum sum;
      for (Index i = 0; i < n; ++i) sum.add(matrix(i, j) - pivot);
      means[j] = sum.total() / static_cast<double>(n);
    }
  });
  CarefulSum total;
  for (Index i = 0; i < n; ++i) total.add(means[i]);
  const double grand = total.total() / static_cast<double>(n);
  parallel_for(context, tasks, [&](Index t) {
    for (Index j = chunks[static_cast<std::size_t>(t)].begin;
         j < chunks[static_cast<std::size_t>(t)].end; ++j)
      for (Index i = 0; i < n;
           ++i)  // r_i + r_j is the same both ways: the result stays exactly symmetric
        matrix(i, j) = ((matrix(i, j) - pivot) - (means[i] + means[j])) + grand;
  });
  return means;
}

Vector Centered::diagonal(const Context& context) const {
  const Block ones = Block::Ones(size(), 1);
  Block image(size(), 1);
  inner_.apply(ones, image, nullptr, context);
  const Vector row_means = image.col(0) / static_cast<double>(size());
  return (inner_.diagonal(context) - 2 * row_means).array() + row_means.mean();
}

void Centered::apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const {
  Block centred = x;
  remove_means(centred);
  inner_.apply(centred, y, sums, context);
  remove_means(y);
  if (sums != nullptr) center_sums(*sums);
}

// |P A P|_F^2 = |A|_F^2 - 2 n |r|^2 + n^2 g^2 and tr(P A P) = tr A - n g, with the digits that the
// differences cost.
void Centered::center_sums(PassSums& sums) const {
  const auto n = static_cast<double>(size());
  const Vector r = sums.row_sums / n;
  const double grand = r.mean(), before = sums.frobenius_squared;
  const double spread = (r.array() - grand).matrix().squaredNorm();
  // -2 n |r|^2 + n^2 g^2 = -2 n |r - g|^2 - n^2 g^2, which cancels less.
  sums.frobenius_squared = std::max(0.0, before - 2 * n * spread - n * n * grand * grand);
  sums.trace -= n * grand;
  sums.frobenius_error =
      sums.frobenius_squared > 0 ? sums.frobenius_error * before / sums.frobenius_squared : 1;
  sums.row_sums = Vector::Zero(size());
  const std::lock_guard lock(mutex_);
  means_ = r;
}

void Centered::form(BlockRef out, const Context& context) const {
  inner_.form(out, context);
  Vector means = center_in_place(out, context);
  const std::lock_guard lock(mutex_);
  means_ = std::move(means);
}

// The pass runs outside the lock: an observer may do as it likes. Two threads that are first at
// the same time find the same numbers.
Vector Centered::means(const Context& context) const {
  {
    const std::lock_guard lock(mutex_);
    if (means_.size() == size()) return means_;
  }
  const Block ones = Block::Ones(size(), 1);
  Block image(size(), 1);
  inner_.apply(ones, image, nullptr, context);
  const std::lock_guard lock(mutex_);
  if (means_.size() != size()) means_ = image.col(0) / static_cast<double>(size());
  return means_;
}

}  // namespace mercer
