#include "mercer/models/detail/stress/smacof.h"

#include "mercer/core/check.h"
#include "mercer/core/cpu.h"
#include "mercer/core/lanes.h"  // before levels are declared by anybody
#include "mercer/core/untimed.h"
#include "mercer/linalg/definite.h"
#include "mercer/linalg/stress_loops.h"
#include "mercer/operators/centered.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Steps that are combined. More of them hardly shorten the way, and their differences become
// dependent.
constexpr Index kCombined = 8;
// Of the equations for the combination, relative to their diagonal: what rounding makes of it.
constexpr double kCombinationRidge = 1e-12;
const LevelStress& stress_kernels() {
  static const LevelStress chosen =
      MERCER_OF_LEVEL(baseline::stress_loops, v3::stress_loops, v4::stress_loops)();
  return chosen;
}

}  // namespace

Stress::Stress(const PairTable& pairs, const Context& context) : pairs_(pairs) {
  if (!pairs.weighted()) return;
  const Index n = pairs.n();
  held_ =
      context.hold(sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n),
                   "the weights of all pairs");
  factor_ = Block::Zero(n, n);
  pairs.each(context, [&](TilePair pair, PairTable::Tile tile) {
    const Range rows = pairs.parts()[static_cast<std::size_t>(pair.first)];
    const Range columns = pairs.parts()[static_cast<std::size_t>(pair.second)];
    const double* weight = tile.weight;
    for (Index i = rows.begin; i < rows.end; ++i)
      for (Index j = columns.begin; j < columns.end; ++j, ++weight) {
        if (i == j) continue;
        factor_(j, i) = -*weight;  // the lower triangle; of a diagonal tile both
        factor_(i, i) += *weight;
        if (pair.first != pair.second) factor_(j, j) += *weight;
      }
  });
  const double shift = factor_.trace() / static_cast<double>(n) / static_cast<double>(n);
  factor_.array() += shift;
  const bool definite = test_definite(factor_, 1, context).definite;
  require(definite, ErrorCode::bad_distances,
          "the weights differ so much that samples hang together by rounding alone",
          "use a power nearer to 0, or weights of more even size");
}

StressPoint Stress::at(const Block& z, const Context& context) const {
  StressPoint point;
  point.pulled = Block::Zero(z.rows(), z.cols());
  const auto count = static_cast<Index>(pairs_.parts().size());
  Block residual = Block::Zero(count, count), squares = residual, products = residual;
  pairs_.each(context, [&](TilePair pair, PairTable::Tile tile) {
    const Range rows = pairs_.parts()[static_cast<std::size_t>(pair.first)];
    const Range columns = pairs_.parts()[static_cast<std::size_t>(pair.second)];
    double ratio[PairTable::kTile];
    const bool diagonal = pair.first == pair.second;
    const StressSums sums =
        stress_kernels().add({{z.data() + rows.begin, z.data() + columns.begin, z.rows(), z.cols(),
                               point.pulled.data() + rows.begin,
                               diagonal ? nullptr : point.pulled.data() + columns.begin, z.rows()},
                              tile.wanted,
                              tile.weight,
                              columns.size(),
                              rows.size(),
                              columns.size(),
                              ratio});
    const double share = diagonal ? 0.5 : 1;  // it has every pair twice
    residual(pair.first, pair.second) = share * sums.residual;
    squares(pair.first, pair.second) = share * sums.squares;
    products(pair.first, pair.second) = share * sums.products;
  });
  point.stress = residual.sum();
  point.squares = squares.sum();
  point.products = products.sum();
  return point;
}

Block Stress::majorised(const StressPoint& point) const {
  if (factor_.size() == 0) return point.pulled / static_cast<double>(pairs_.n());
  Block next = point.pulled;
  factor_.triangularView<Eigen::Lower>().solveInPlace(next);
  factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(next);
  remove_means(next);
  return next;
}

// tr Z'VZ is the sum of squares, tr Z'B(Z)Z that of products, and V Z+ = B(Z) Z.
double Stress::guaranteed(const Block& z, const StressPoint& point, const Block& next) const {
  if (factor_.size() == 0) return static_cast<double>(pairs_.n()) * (z - next).squaredNorm();
  const double both = next.cwiseProduct(point.pulled).sum();
  return std::max(0.0, both - 2 * point.products + point.squares);
}

namespace {

Eigen::Map<const Vector> numbers_of(const Block& block) { return {block.data(), block.size()}; }

// The last steps, and the point at which their combination changes least.
class Combination {
 public:
  Combination(Index numbers) : moves_(numbers, kCombined), changes_(numbers, kCombined) {}

  void clear() { count_ = next_ = 0; }
  bool empty() const { return count_ == 0; }
  /// z went to another place, and with it the step that follows there.
  void add(const Vector& move, const Vector& change) {
    moves_.col(next_) = move;
    changes_.col(next_) = change;
    next_ = (next_ + 1) % kCombined;
    count_ = std::min(count_ + 1, kCombined);
  }
  /// z + step less the combination.
  Vector point(const Vector& z, const Vector& step) const {
    const auto changes = changes_.leftCols(count_);
    Block gram = changes.transpose() * changes;
    gram.diagonal() *= 1 + kCombinationRidge;
    const Vector shares = gram.ldlt().solve(changes.transpose() * step);
    if (!shares.allFinite()) return z + step;
    return z + step - (moves_.leftCols(count_) + changes) * shares;
  }

 private:
  Block moves_, changes_;
  Index count_ = 0, next_ = 0;
};

struct Visited {
  Block z, next;
  StressPoint point;
};

}  // namespace

SmacofResult smacof(const PairTable& pairs, const Stress& stress, Block start,
                    const SmacofLimits& limits, const Context& context) {
  const Context walk = untimed(context);  // a walk that was begun is finished
  SmacofResult result;
  const auto visit = [&](Block z) {
    Visited place{std::move(z), {}, {}};
    place.point = stress.at(place.z, walk);
    place.next = stress.majorised(place.point);
    return place;
  };
  remove_means(start);
  Visited now = visit(std::move(start));
  result.history.push_back(now.point.stress);
  Combination combination(now.z.size());
  while (true) {
    const double least = stress.guaranteed(now.z, now.point, now.next);
    result.fall = now.point.stress > 0 ? least / now.point.stress : 0;
    result.converged =
        now.point.stress <= kNoStress * pairs.total() || result.fall <= limits.tolerance;
    result.late = context.observer.out_of_time && context.observer.out_of_time();
    if (result.converged || result.late || result.iterations >= limits.iterations) break;
    context.check_cancelled();
    context.report("stress",
                   static_cast<double>(result.iterations) / static_cast<double>(limits.iterations));
    const Vector step = numbers_of(now.next) - numbers_of(now.z);
    const bool combined = !combination.empty();
    Block tried = now.next;
    if (combined)
      Eigen::Map<Vector>(tried.data(), tried.size()) = combination.point(numbers_of(now.z), step);
    Visited then = visit(std::move(tried));
    if (combined && !(then.point.stress < now.point.stress - 0.5 * least)) {
      combination.clear();
      then = visit(now.next);
    }
    if (!(then.point.stress < now.point.stress)) {  // rounding is all that moves it
      result.converged = true;
      break;
    }
    combination.add(numbers_of(then.z) - numbers_of(now.z),
                    numbers_of(then.next) - numbers_of(then.z) - step);
    now = std::move(then);
    ++result.iterations;
    result.history.push_back(now.point.stress);
  }
  result.stress = now.point.stress;
  result.squares = now.point.squares;
  result.z = std::move(now.z);
  return result;
}

}  // namespace mercer::detail
