#include "mercer/models/detail/discriminant/ridge_path.h"

#include "mercer/core/parallel.h"
#include "mercer/core/steps.h"
#include "mercer/linalg/blas.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Ridges from the whole trace down to what rounding leaves of the last components, two a decade.
constexpr Index kRidges = 21;
constexpr Index kRidgeTile = 512;
// Rows left out at most, evenly spaced: the error of a choice among 21 is well known from them.
constexpr Index kMostLeftOut = 5000;
// The largest ridge whose error is above the least by no more than this: nothing is gained by less.
constexpr double kAsGood = 1e-4;
// Leverage is at most 1; a row that is its own explanation says nothing.
constexpr double kLeastLeft = 1e-12;

struct TileSums {
  Vector squares = Vector::Zero(kRidges), wrong = Vector::Zero(kRidges);
};

// Errors of the rows of a tile without themselves, for one ridge.
void add_left_out(const Block& fitted, const Vector& leverage, const std::vector<Index>& rows,
                  const ClassCounts& classes, const Vector& priors, double& squares,
                  double& wrong) {
  Vector row(fitted.cols());
  for (Index i = 0; i < fitted.rows(); ++i) {
    const Index own = classes.of_row()[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
    const double left = std::max(1 - leverage[i], kLeastLeft);
    row = fitted.row(i).transpose() + priors;
    // y - e, e = (y - y^) / (1 - h): what is predicted without the row.
    for (Index c = 0; c < row.size(); ++c) {
      const double truth = c == own ? 1 : 0, error = (truth - row[c]) / left;
      squares += error * error;
      row[c] = truth - error;
    }
    Index best = 0;
    row.maxCoeff(&best);
    wrong += best == own ? 0 : 1;
  }
}

std::vector<Index> spaced_rows(Range part, Index n, Index left_out) {
  std::vector<Index> rows;
  for (Index i = part.begin; i < part.end; ++i)
    rows.push_back(left_out == n ? i : i * n / left_out);
  return rows;
}

}  // namespace

RidgePath ridge_path(const KernelRange& range, const ClassCounts& classes, const Block& sums,
                     const Context& context) {
  RidgePath path;
  path.shares.resize(kRidges);
  for (Index r = 0; r < kRidges; ++r) path.shares[r] = std::pow(10, -0.5 * static_cast<double>(r));
  const auto n = static_cast<double>(range.n());
  Vector priors(classes.count());
  for (Index c = 0; c < classes.count(); ++c) priors[c] = classes.size(c) / n;
  const Index left_out = std::min(range.n(), kMostLeftOut);
  const std::vector<Range> parts = tiles_of(left_out, kRidgeTile);
  std::vector<TileSums> tiles(parts.size());
  Steps steps(context, "ridges", static_cast<Index>(parts.size()));
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const std::vector<Index> rows =
        spaced_rows(parts[static_cast<std::size_t>(t)], range.n(), left_out);
    TileSums& mine = tiles[static_cast<std::size_t>(t)];
    const Block u = range.units_of(rows);
    const Block squared = u.cwiseAbs2();
    Block fitted(u.rows(), sums.cols());
    for (Index r = 0; r < kRidges; ++r) {
      context.check_cancelled();
      const double ridge = path.shares[r] * range.trace;
      const Vector kept = range.mu.array() / (range.mu.array() + ridge);
      gemm(Transpose::no, Transpose::no, 1.0, u, Block(kept.asDiagonal() * sums), 0.0, fitted);
      const Vector leverage = (squared * kept).array() + 1 / n;
      add_left_out(fitted, leverage, rows, classes, priors, mine.squares[r], mine.wrong[r]);
    }
    steps.done();
  });
  path.squares = path.wrong = Vector::Zero(kRidges);
  for (const TileSums& mine : tiles) {
    path.squares += mine.squares;
    path.wrong += mine.wrong;
  }
  path.squares /= static_cast<double>(left_out * classes.present);
  path.wrong /= static_cast<double>(left_out);
  const double least = path.squares.minCoeff();
  Index best = 0;
  while (path.squares[best] > (1 + kAsGood) * least) ++best;
  path.best = path.shares[best];
  return path;
}

}  // namespace mercer::detail
