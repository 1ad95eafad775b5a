#include "mercer/solvers/krylov_widths.h"

#include <algorithm>

namespace mercer {
namespace {

// Random columns in a start that comes from elsewhere: they find what it missed altogether.
constexpr Index kRandomSpare = 8;
// The same for each component, where passes cost more than columns: digits with a width 5 % away
// then take 4 passes instead of 8, with 8 columns 5.
constexpr Index kRandomPerComponent = 2, kMostRandomColumns = 32;
// The same in a first block that is to be narrow.
constexpr Index kFewRandom = 4;
// All three are shares of the last value wanted, and are compared with values of the matrix nearby
// that a first block leaves out. Directions whose value is below the first are not worth a column.
constexpr double kSmallBeside = 0.05;
// Where all that is left out together is below this, the sum of squares will prove the answer with
// ease, and no probe columns are needed from the beginning.
constexpr double kProvenBeside = 0.3;
// Where it is below this, the sum of squares will just suffice for the proof: as far as the first
// block is made narrower where each column is expensive.
constexpr double kBarelyProven = 0.75;

SolverTask task_of(Index n, const EigenRequest& request) {
  SolverTask task;
  task.size = n;
  task.request = request;
  task.request.count = std::min(request.count, n);
  return task;
}

// A low-rank matrix nearby tells how fast the spectrum decays. Where it does, a narrow first block
// is as good as a wide one, and the sum of squares alone will show that nothing is missing.
void narrow_by(const LowRank& near, Index count, bool costly_columns, KrylovWidths& widths) {
  const Vector& values = near.values;
  Index width = std::min(values.size(), count + kRandomSpare);
  if (count > values.size()) return;
  const double last = values[count - 1];
  const auto left = [&](Index from) { return values.tail(values.size() - from).norm(); };
  if (costly_columns) {
    Index enough = width;
    while (enough < values.size() && left(enough) > kBarelyProven * last) ++enough;
    if (enough + kFewRandom < widths.first) {
      widths.first = enough + kFewRandom;
      widths.random = kFewRandom;
      widths.ride = false;
      return;
    }
  }
  while (width < values.size() && values[width] > kSmallBeside * last) ++width;
  widths.first = std::min(widths.first, width + kRandomSpare);
  if (left(width) < kProvenBeside * last) widths.ride = false;
}

}  // namespace

KrylovWidths krylov_widths(const SolverTask& task) {
  const Index k = task.request.count, n = std::max<Index>(1, task.size);
  KrylovWidths widths;
  widths.random = kRandomSpare;
  if (task.costly_passes()) {
    widths.block = k;
    widths.first = task.decays ? k + 2 * kRandomSpare : std::max<Index>(50, 2 * k);
    // Twice as many make the bound sharper, where columns cost little beside the matrix.
    widths.probes = task.evaluation >= 200 ? 64 : 32;
    widths.ride = !task.decays && task.probes();
  } else {
    // Columns count, not passes: narrow blocks need fewer of them, but at least a read's worth; and
    // every pass has small problems to solve that grow with the number of components.
    widths.block = k <= 12 ? std::max<Index>(8, k) : std::max<Index>(12, (k / 4 + 3) / 4 * 4);
    widths.first = widths.block;
    widths.probes = 32;
  }
  widths.block = std::min(widths.block, n);
  widths.first = std::min(widths.first, n);
  widths.probes = std::min(widths.probes, n);
  return widths;
}

KrylovWidths krylov_widths(Index n, const EigenRequest& request) {
  KrylovWidths widths = krylov_widths(task_of(n, request));
  if (request.search.block > 0) widths.first = widths.block = std::min(request.search.block, n);
  if (request.search.first > 0) widths.first = std::min(request.search.first, n);
  if (request.search.near != nullptr)
    narrow_by(*request.search.near, std::min(request.count, n), request.search.narrow, widths);
  widths.ride = widths.ride && request.search.ride;
  // A start from elsewhere holds the components and none of their neighbours, for which random
  // columns stand.
  if (request.start != nullptr && !request.matrix.costly_passes)
    widths.random =
        std::clamp(kRandomPerComponent * request.count, kRandomSpare, kMostRandomColumns);
  if (request.search.probes > 0) widths.probes = std::min(request.search.probes, n);
  return widths;
}

}  // namespace mercer
