#include "mercer/models/detail/kica/landmarks.h"

#include "mercer/core/cpu.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/detail/kica/gauss_loops.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer::detail {
namespace {

// Below this nothing is left but the rounding of the sums before.
constexpr double kNothingLeft = 1e-14;
constexpr Index kFirstColumns = 32;

// One number of each cell, and how many it stands for.
struct Cells {
  Vector at, count;
};

Cells cells_of(Vector y, double width) {
  std::sort(y.begin(), y.end());
  std::vector<double> at, count;
  for (Index begin = 0, end = 0; begin < y.size(); begin = end) {
    const double cell = std::floor(y[begin] / width);
    while (end < y.size() && (y[end] == y[begin] || std::floor(y[end] / width) == cell)) ++end;
    at.push_back(y[begin + (end - begin) / 2]);
    count.push_back(static_cast<double>(end - begin));
  }
  const auto size = static_cast<Index>(at.size());
  return {Vector::Map(at.data(), size), Vector::Map(count.data(), size)};
}

}  // namespace

Landmarks choose_landmarks(Vector y, double sigma, double share) {
  static const LevelGauss loops =
      MERCER_OF_LEVEL(baseline::gauss_loops, v3::gauss_loops, v4::gauss_loops)();
  const double limit = share * static_cast<double>(y.size()), rate = rate_of(sigma);
  const Cells cells = cells_of(std::move(y), sigma * std::sqrt(share));
  const Index size = cells.at.size();
  Vector left = Vector::Ones(size);
  Block columns(size, std::min(size, kFirstColumns));
  std::vector<Index> pivots;
  while (static_cast<Index>(pivots.size()) < size) {
    Index pivot = 0;
    const double most = left.cwiseProduct(cells.count).maxCoeff(&pivot);
    const double total = left.dot(cells.count);
    if (!(most > 0) || left[pivot] <= kNothingLeft || total <= limit) break;
    const auto at = static_cast<Index>(pivots.size());
    if (at == columns.cols()) columns.conservativeResize(Eigen::NoChange, std::min(size, 2 * at));
    loops.gauss(cells.at.data(), size, cells.at[pivot], rate, columns.col(at).data());
    const Vector before = columns.row(pivot).head(at).transpose();
    if (at > 0)
      gemv(Transpose::no, -1.0, columns.leftCols(at), before.data(), 1.0, columns.col(at).data());
    columns.col(at) /= std::sqrt(left[pivot]);
    left = (left - columns.col(at).cwiseAbs2()).cwiseMax(0);
    left[pivot] = 0;
    pivots.push_back(pivot);
  }
  const auto count = static_cast<Index>(pivots.size());
  Landmarks chosen{Vector(count), Block::Zero(count, count)};
  for (Index i = 0; i < count; ++i) {
    const Index pivot = pivots[static_cast<std::size_t>(i)];
    chosen.at[i] = cells.at[pivot];
    chosen.factor.row(i).head(i + 1) = columns.row(pivot).head(i + 1);
  }
  return chosen;
}

}  // namespace mercer::detail
