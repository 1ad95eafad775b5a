#include "mercer/models/detail/pls/sources.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/signs.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

// Squares of weights are found from K, whose entries are rounded: what is less than this share of
// the trace is rounding.
constexpr double kGramRounding = 1e-14;
constexpr Index kColumnsOfTask = 64;

// The leading eigenvector of a small symmetric matrix, and its eigenvalue.
struct Leading {
  Vector vector;
  double value = 0;
};

Leading leading_of(Block matrix) {
  const Index q = matrix.rows();
  if (q == 1) return {Vector::Ones(1), matrix(0, 0)};
  const double unit = matrix.cwiseAbs().maxCoeff();
  if (!(unit > 0)) return {Vector::Unit(q, 0), 0};
  matrix /= unit;
  const SymmetricReduction reduction(matrix);
  Block vector = reduction.vectors({q - 1});
  fix_signs(vector);
  return {vector.col(0), reduction.values()[q - 1] * unit};
}

Block side_by_side(const std::vector<PlsLane*>& lanes, Vector PlsLane::*column) {
  Block all((lanes.front()->*column).size(), static_cast<Index>(lanes.size()));
  for (std::size_t i = 0; i < lanes.size(); ++i) all.col(static_cast<Index>(i)) = lanes[i]->*column;
  return all;
}

// What each lane still has to explain, in its own rows.
Block own_residuals(const std::vector<PlsLane*>& lanes) {
  const Index q = lanes.front()->targets();
  Block all(lanes.front()->n(), q * static_cast<Index>(lanes.size()));
  for (std::size_t i = 0; i < lanes.size(); ++i)
    all.middleCols(static_cast<Index>(i) * q, q) = own_rows(*lanes[i], lanes[i]->residual);
  return all;
}

void hand_out(const std::vector<PlsLane*>& lanes, const Block& all) {
  const Index q = all.cols() / static_cast<Index>(lanes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i)
    lanes[i]->state = all.middleCols(static_cast<Index>(i) * q, q);
}

// w = S c / |S c|; false where S is rounding.
bool weigh_by(const Block& s, double least, PlsLane& lane) {
  lane.weight = s * leading_right(s);
  const double length = column_norms(lane.weight)[0];
  if (!(length > least)) return false;
  lane.weight /= length;
  return true;
}

}  // namespace

Vector leading_right(const Block& s) {
  const double unit = s.cwiseAbs().maxCoeff();
  if (s.cols() == 1 || !(unit > 0)) return Vector::Unit(s.cols(), 0);
  const Block scaled = s / unit;  // so that squares do not vanish
  return leading_of(scaled.transpose() * scaled).vector;
}

void TableSource::begin(std::vector<PlsLane*>& lanes, const Context& context) {
  for (PlsLane* lane : lanes)
    if (lane->keeps_directions) lane->loadings = Block::Zero(rows_.dim(), lane->scores.cols());
  if (lanes.size() == 1 && lanes.front()->left_out.empty())
    lanes.front()->state = products_;
  else
    hand_out(lanes, rows_.transposed_times(own_residuals(lanes), context));
}

bool TableSource::weigh(PlsLane& lane) const {
  return weigh_by(lane.state, kNothingLeft * norm_ * lane.target_norm, lane);
}

void TableSource::score(std::vector<PlsLane*>& lanes, const Context& context) {
  const Block raw = rows_.times(side_by_side(lanes, &PlsLane::weight), context);
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i]->raw = raw.col(static_cast<Index>(i));
}

void TableSource::deflate(std::vector<PlsLane*>& lanes, const Context& context) {
  const Block loadings = rows_.transposed_times(side_by_side(lanes, &PlsLane::own), context);
  for (std::size_t i = 0; i < lanes.size(); ++i)
    take_out(*lanes[i], loadings.col(static_cast<Index>(i)));
}

void TableSource::take_out(PlsLane& lane, const Vector& loading) const {
  const Index a = lane.count - 1;
  lane.explained[a] = loading.squaredNorm();
  if (lane.loadings.size() > 0) lane.loadings.col(a) = loading;
  if (!simpls_) {
    lane.state.noalias() -= loading * lane.target_loadings.col(a).transpose();
    return;
  }
  if (lane.basis.cols() == 0) lane.basis.resize(rows_.dim(), lane.scores.cols());
  Vector v = loading;
  const auto earlier = lane.basis.leftCols(a);
  for (int round = 0; round < 2; ++round) v -= (earlier * (earlier.transpose() * v)).eval();
  const double length = column_norms(v)[0];
  if (!(length > 0)) {
    lane.done = true;
    return;
  }
  lane.basis.col(a) = v / length;
  const Eigen::RowVectorXd along = lane.basis.col(a).transpose() * lane.state;
  lane.state.noalias() -= lane.basis.col(a) * along;
}

void GramSource::begin(std::vector<PlsLane*>& lanes, const Context& context) {
  const Block y = own_residuals(lanes);
  Block images(y.rows(), y.cols());
  gram_.apply(y, images, nullptr, context);
  hand_out(lanes, images);
}

// With Z = K Y: |X'Y c|^2 = c'Y'Z c, and X X'Y c = Z c.
bool GramSource::weigh(PlsLane& lane) const {
  const Block y = own_rows(lane, lane.residual);
  Block squares = y.transpose() * lane.state;
  squares = ((squares + squares.transpose()) / 2).eval();
  const Leading leading = leading_of(std::move(squares));
  if (!(leading.value > kGramRounding * trace_ * lane.target_norm * lane.target_norm)) return false;
  const double length = std::sqrt(leading.value);
  lane.weight = y * leading.vector / length;
  lane.raw = lane.state * leading.vector / length;
  return true;
}

void GramSource::deflate(std::vector<PlsLane*>& lanes, const Context& context) {
  const Block scores = side_by_side(lanes, &PlsLane::own);
  Block images(scores.rows(), scores.cols());
  gram_.apply(scores, images, nullptr, context);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    PlsLane& lane = *lanes[i];
    const auto image = images.col(static_cast<Index>(i));
    lane.explained[lane.count - 1] = lane.own.dot(image);
    lane.state.noalias() -= image * lane.target_loadings.col(lane.count - 1).transpose();
  }
}

void DeflatedSource::begin(std::vector<PlsLane*>& lanes, const Context& context) {
  x_.resize(rows_.dim(), rows_.n());
  const std::vector<Range> parts = tiles_of(rows_.n(), kColumnsOfTask);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    std::vector<Index> which;
    for (Index i = part.begin; i < part.end; ++i) which.push_back(i);
    x_.middleCols(part.begin, part.size()) = rows_.transposed(which);
  });
  lanes.front()->basis = Block::Zero(rows_.dim(), lanes.front()->scores.cols());
}

bool DeflatedSource::weigh(PlsLane& lane) const {
  Block s(x_.rows(), lane.targets());
  gemm(Transpose::no, Transpose::no, 1.0, x_, lane.residual, 0.0, s);
  return weigh_by(s, kNothingLeft * norm_ * lane.target_norm, lane);
}

void DeflatedSource::score(std::vector<PlsLane*>& lanes, const Context& /*context*/) {
  PlsLane& lane = *lanes.front();
  lane.raw.resize(x_.cols());
  gemv(Transpose::yes, 1.0, x_, lane.weight.data(), 0.0, lane.raw.data());
  lane.before = lane.basis.leftCols(lane.count).transpose() * lane.weight;
}

// X <- (I - t t') X, and t'X kept.
void DeflatedSource::deflate(std::vector<PlsLane*>& lanes, const Context& context) {
  PlsLane& lane = *lanes.front();
  Vector loading(x_.rows());
  gemv(Transpose::no, 1.0, x_, lane.own.data(), 0.0, loading.data());
  lane.explained[lane.count - 1] = loading.squaredNorm();
  lane.basis.col(lane.count - 1) = loading;
  const std::vector<Range> parts = tiles_of(x_.cols(), kColumnsOfTask);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    x_.middleCols(part.begin, part.size()).noalias() -=
        loading * lane.own.segment(part.begin, part.size()).transpose();
  });
}

}  // namespace mercer::detail
