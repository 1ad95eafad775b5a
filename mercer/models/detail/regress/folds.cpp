#include "mercer/models/detail/regress/folds.h"

#include "mercer/core/random.h"
#include "mercer/core/text.h"
#include "mercer/models/linear_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::detail {
namespace {

constexpr Index kDefaultFolds = 10;

}  // namespace

std::vector<std::vector<Index>> folds_of(Index n, Index count, FoldType type, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  if (type == FoldType::random) {
    const Random random(seed);
    std::ranges::stable_sort(order, {},
                             [&](Index i) { return random.bits(static_cast<std::uint64_t>(i)); });
  }
  std::vector<std::vector<Index>> folds(static_cast<std::size_t>(count));
  for (Index i = 0; i < n; ++i) {
    // Consecutive: the first n mod count folds have one row more.
    const Index size = n / count, longer = n % count, in_longer = longer * (size + 1);
    const Index fold = type != FoldType::consecutive ? i % count
                       : i < in_longer               ? i / (size + 1)
                                                     : longer + (i - in_longer) / size;
    folds[static_cast<std::size_t>(fold)].push_back(order[static_cast<std::size_t>(i)]);
  }
  for (std::vector<Index>& fold : folds) std::ranges::sort(fold);
  return folds;
}

void check_folds(const Components& components, Index folds) {
  if (folds == 1 || folds < 0)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("folds = {}: cross-validation needs at least 2", folds),
                "give 0 for none, or 2 and more");
  const std::string& rule = components.rule();
  if (!rule.empty() && rule != "one-se" && rule != "min")
    throw Error(ErrorCode::bad_option_value,
                fmt::format("components = {}: there is no such rule", printable(components.text())),
                "give auto, auto:one-se or auto:min");
}

ChosenComponents chosen_by_folds(const Components& components, Index count) {
  if (components.rule() == "min") return {count, "min", "cross-validation (the least error)"};
  return {count, "one-se", "cross-validation (one standard error)"};
}

Index fold_count(const Components& components, Index folds, Index n) {
  if (folds > n)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("{} folds were asked for; there are {} rows", folds, n),
                fmt::format("ask for at most {}: one row left out at a time", n));
  if (folds > 0) return folds;
  return components.is_automatic() ? std::min(kDefaultFolds, n) : 0;
}

HeldOut::HeldOut(Index folds, Index most, Vector variances)
    : most_(most),
      variances_(std::move(variances)),
      squares_(static_cast<std::size_t>(folds), Block::Zero(variances_.size(), most + 1)),
      rows_(static_cast<std::size_t>(folds), 0) {}

void HeldOut::add(Index fold, Index rows, const Block& squares) {
  Block& own = squares_[static_cast<std::size_t>(fold)];
  const Index known = std::min(squares.cols(), own.cols());
  own.leftCols(known) = squares.leftCols(known);
  for (Index k = known; k < own.cols(); ++k) own.col(k) = squares.col(known - 1);
  rows_[static_cast<std::size_t>(fold)] = rows;
}

Block HeldOut::rmsep() const {
  Block sum = Block::Zero(variances_.size(), most_ + 1);
  for (const Block& squares : squares_) sum += squares;
  const Index n = std::accumulate(rows_.begin(), rows_.end(), Index{0});
  return (sum / static_cast<double>(n)).cwiseSqrt();
}

// d sqrt(m) = dm / (2 sqrt(m)).
Block HeldOut::rmsep_error() const {
  const auto folds = static_cast<double>(squares_.size());
  Block mean = Block::Zero(variances_.size(), most_ + 1), spread = mean;
  for (std::size_t f = 0; f < squares_.size(); ++f)
    mean += squares_[f] / static_cast<double>(rows_[f]) / folds;
  for (std::size_t f = 0; f < squares_.size(); ++f)
    spread += (squares_[f] / static_cast<double>(rows_[f]) - mean).cwiseAbs2();
  const Block of_mean = (spread / (folds - 1) / folds).cwiseSqrt(), root = rmsep();
  return (root.array() > 0).select(of_mean.cwiseQuotient(2 * root).array(), 0.0);
}

Vector HeldOut::errors() const {
  Vector sum = Vector::Zero(most_ + 1);
  const Block root = rmsep();
  for (Index j = 0; j < variances_.size(); ++j)
    if (variances_[j] > 0) sum += root.row(j).cwiseAbs2().transpose() / variances_[j];
  return sum;
}

// One row for each fold.
Block HeldOut::fold_errors() const {
  Block all = Block::Zero(static_cast<Index>(squares_.size()), most_ + 1);
  for (std::size_t f = 0; f < squares_.size(); ++f)
    for (Index j = 0; j < variances_.size(); ++j)
      if (variances_[j] > 0)
        all.row(static_cast<Index>(f)) +=
            squares_[f].row(j) / (static_cast<double>(rows_[f]) * variances_[j]);
  return all;
}

Index HeldOut::chosen(std::string_view rule) const {
  const Vector all = errors();
  Index best = 0;
  const double least = all.minCoeff(&best);
  if (rule == "min") return std::max<Index>(best, 1);
  const Vector of_best = fold_errors().col(best);
  const auto folds = static_cast<double>(of_best.size());
  const double spread = (of_best.array() - of_best.mean()).matrix().squaredNorm();
  const double enough = least + std::sqrt(spread / (folds - 1) / folds);
  Index count = 1;
  while (count < best && !(all[count] <= enough)) ++count;
  return count;
}

bool HeldOut::hopeless() const {
  const Vector all = errors();
  return most_ < 1 || !(all.tail(most_).minCoeff() < all[0]);
}

void HeldOut::add_to(Report& report, const Vector& factor) const {
  const auto in_units = [&](const Block& figures) {
    return table_value(factor.cwiseInverse().asDiagonal() * figures);
  };
  report.figures.push_back({"rmsep", in_units(rmsep()), true});
  report.figures.push_back({"rmsep_se", in_units(rmsep_error()), true});
  if (hopeless())
    report.warnings.push_back(
        {WarningCode::no_better_than_mean,
         "cross-validation: no number of components predicts rows that were left out better than "
         "the mean of the others"});
}

}  // namespace mercer::detail
