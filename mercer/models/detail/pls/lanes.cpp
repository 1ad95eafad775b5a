#include "mercer/models/detail/pls/lanes.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/tall.h"

#include <cmath>

namespace mercer::detail {
namespace {

double mean_of_own(const PlsLane& lane, ConstVectorRef column) {
  double sum = column.sum();
  for (const Index i : lane.left_out) sum -= column[i];
  return sum / static_cast<double>(lane.n() - static_cast<Index>(lane.left_out.size()));
}

// In place: less the mean of the lane's own rows, in all rows.
void centre(const PlsLane& lane, Eigen::Ref<Vector> column) {
  // Twice: the first mean is rounded as the column's own size is.
  for (int round = 0; round < 2; ++round) column.array() -= mean_of_own(lane, column);
}

void add_errors(PlsLane& lane) {
  for (Index j = 0; j < lane.targets(); ++j) {
    double sum = 0;
    for (const Index i : lane.left_out) sum += lane.residual(i, j) * lane.residual(i, j);
    lane.errors(j, lane.count) = sum;
  }
}

// The raw score made a score, and what it explains of the targets.
void finish_component(PlsLane& lane, const Context& context) {
  const Index a = lane.count;
  centre(lane, lane.raw);
  lane.own = own_rows(lane, lane.raw);
  const auto earlier = lane.scores.leftCols(a);
  Vector shares = lane.before.size() == a ? lane.before : Vector::Zero(a);
  for (int round = 0; round < 2 && a > 0; ++round) {
    const Block more = inner_products(earlier, lane.own, context);
    add_product(lane.raw, -1.0, earlier, more, context);
    shares += more;
    lane.own = own_rows(lane, lane.raw);
  }
  const double length = lane.own.norm();
  if (!(length > 0) || !std::isfinite(1 / length)) {
    lane.done = true;
    return;
  }
  lane.own /= length;
  lane.scores.col(a) = lane.raw / length;
  lane.lengths[a] = length;
  if (lane.keeps_directions) {
    lane.weights.col(a) = lane.weight;
    lane.directions.col(a) = (lane.weight - lane.directions.leftCols(a) * shares) / length;
  }
  const Block q = inner_products(lane.residual, lane.own, context);
  lane.target_loadings.col(a) = q;
  add_product(lane.residual, -1.0, lane.scores.col(a), q.transpose(), context);
  lane.count = a + 1;
  add_errors(lane);
}

// Lanes side by side; one alone has all threads for itself. The bytes are the same.
template <class Task>
void over_lanes(std::vector<PlsLane*>& lanes, const Context& context, const Task& task) {
  if (lanes.size() == 1) return task(*lanes.front());
  parallel_for(context, static_cast<Index>(lanes.size()),
               [&](Index i) { task(*lanes[static_cast<std::size_t>(i)]); });
}

void drop_done(std::vector<PlsLane*>& lanes) {
  std::erase_if(lanes, [](const PlsLane* lane) { return lane->done; });
}

}  // namespace

Block own_rows(const PlsLane& lane, Block block) {
  for (const Index i : lane.left_out) block.row(i).setZero();
  return block;
}

PlsLane make_lane(const Block& y, std::vector<Index> left_out, Index most) {
  PlsLane lane;
  lane.keeps_directions = left_out.empty();
  lane.left_out = std::move(left_out);
  lane.residual = y;
  for (Index j = 0; j < y.cols(); ++j) centre(lane, lane.residual.col(j));
  lane.target_norm = own_rows(lane, lane.residual).norm();
  lane.scores.resize(y.rows(), most);
  lane.target_loadings = Block::Zero(y.cols(), most);
  lane.lengths = lane.explained = Vector::Zero(most);
  lane.errors = Block::Zero(y.cols(), most + 1);
  add_errors(lane);
  return lane;
}

std::uint64_t lane_bytes(Index n, Index width, Index targets, Index most, bool keeps_directions) {
  const Index of_rows = n * (most + 2 * targets + 4);
  const Index of_width = width * (targets + 4 + (keeps_directions ? 4 : 1) * most);
  return static_cast<std::uint64_t>(of_rows + of_width) * sizeof(double);
}

void run_lanes(PlsSource& source, std::vector<PlsLane>& all, Index most, double enough,
               const Context& context) {
  std::vector<PlsLane*> lanes;
  for (PlsLane& lane : all) {
    lanes.push_back(&lane);
    if (!lane.keeps_directions) continue;
    lane.directions = lane.weights = Block::Zero(source.width(), most);
  }
  source.begin(lanes, context);
  for (Index a = 0; a < most; ++a) {
    context.report("components", static_cast<double>(a) / static_cast<double>(most));
    drop_done(lanes);
    if (lanes.empty()) return;
    over_lanes(lanes, context, [&](PlsLane& lane) { lane.done = !source.weigh(lane); });
    drop_done(lanes);
    if (lanes.empty()) return;
    source.score(lanes, context);
    over_lanes(lanes, context, [&](PlsLane& lane) { finish_component(lane, context); });
    drop_done(lanes);
    if (lanes.empty()) return;
    source.deflate(lanes, context);
    for (PlsLane* lane : lanes) lane->done |= lane->explained.sum() >= enough;
  }
}

}  // namespace mercer::detail
