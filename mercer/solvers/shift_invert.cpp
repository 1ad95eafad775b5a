#include "mercer/solvers/shift_invert.h"

#include "mercer/core/error.h"
#include "mercer/core/untimed.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/krylov_basis.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr Index kMostShiftedPasses = 1000;
// Columns besides the wanted ones: they show the gap below the last one.
constexpr Index kSpare = 8;
// Products that make the starting vectors.
constexpr Index kStartProducts = 4;
// Rounds over all clusters, shifts for one cluster, solutions with one shift.
constexpr Index kInverseRounds = 12, kShifts = 4, kSolutions = 8;
// Rounds that may fail to halve the residual.
constexpr Index kStuck = 4;
// A step that leaves more than this of the residual calls for another shift.
constexpr double kSlow = 0.3;
// The shift for a cluster of several values lies above its largest one, at a distance between these
// two shares of the gap that separates the cluster from all other values. Nearer, the largest
// member would outgrow the others in every step; farther, values outside would hardly shrink.
constexpr double kNear = 1e-3, kFar = 0.3;
// Values nearer than this many residuals cannot be told apart.
constexpr double kBlurred = 4;
constexpr std::uint64_t kMoreStream = 6000;
constexpr Index kLargest = 20000;

}  // namespace

ShiftInvert::ShiftInvert(const SymmetricOperator& a, const EigenRequest& request, double together,
                         const Context& context)
    : a_(a),
      request_(request),
      timed_(context),
      context_(untimed(context)),
      together_(together),
      n_(a.size()),
      count_(std::min(request.count, n_)),
      width_(std::min(n_, count_ + kSpare)),
      passes_(a, request, kMostShiftedPasses, context),
      set_(n_, request.order, context_) {}

double ShiftInvert::residual(Range cluster) const {
  return set_.residuals().segment(cluster.begin, wanted(cluster)).maxCoeff();
}

double ShiftInvert::gap(Range cluster) const {
  double least = 2 * set_.largest();
  for (Index j = 0; j < set_.size(); ++j)
    for (Index i = cluster.begin; (j < cluster.begin || j >= cluster.end) && i < cluster.end; ++i)
      least = std::min(least, std::abs(set_.values()[i] - set_.values()[j]));
  return least;
}

// Products with a block, with what it becomes, and so on; the best Ritz vectors of it all stay.
void ShiftInvert::grow(Block block) {
  const Index room = request_.search.basis > 0 ? std::max(request_.search.basis, width_) : n_;
  for (Index i = 0; i < kStartProducts && block.cols() > 0; ++i) {
    const Index left = std::min(n_, std::max(room, set_.size() + width_)) - set_.size();
    if (block.cols() > left) block = block.leftCols(left).eval();
    Block images(n_, block.cols());
    if (!passes_.apply(block, images)) break;
    set_.append(block, images);
    set_.combine(set_.size());
    passes_.note(set_.worst(count_), set_.within(count_, passes_.enough()));
    if (set_.size() == n_ || set_.size() >= room || close_enough()) break;
    block = orthonormal(std::move(images), set_.vectors(), set_.largest(), context_);
  }
  if (set_.size() < n_) set_.combine(width_);
}

bool ShiftInvert::out_of_time() {
  context_.check_cancelled();
  if (!timed_.observer.out_of_time || !timed_.observer.out_of_time()) return passes_.ended();
  if (set_.worst(count_) >= 1) timed_.check_cancelled();  // no answer: says so
  passes_.give_up({StopReason::out_of_time});
  return true;
}

bool ShiftInvert::form() {
  matrix_.resize(n_, n_);
  try {
    a_.form(matrix_, timed_);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_time || !out_of_time()) throw;
    return false;
  }
  scale_ = std::exp2(-std::ilogb(set_.largest()));
  matrix_ *= scale_;
  solver_.emplace(matrix_);
  return true;
}

bool ShiftInvert::factor(double shift) {
  if (out_of_time() || (!solver_ && !form())) return false;
  try {
    solver_->factor(shift * scale_, 1);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_converged) throw;
    passes_.give_up({StopReason::not_factored});
    return false;
  }
  return !out_of_time();
}

std::optional<ClusterStep> ShiftInvert::step(Range cluster) {
  const Block rest = set_.others(cluster, aim());
  Block y = set_.vectors().middleCols(cluster.begin, cluster.size());
  solver_->solve(y);
  y = orthonormal(std::move(y), rest, 0, context_);
  if (y.cols() < cluster.size()) return std::nullopt;
  Block images(n_, y.cols());
  if (!passes_.apply(y, images)) return std::nullopt;
  RitzSet inside(n_, request_.order, context_);
  inside.append(y, images);
  inside.combine(y.cols());
  Block r = inside.images();
  r.noalias() -= inside.vectors() * inside.values().asDiagonal();
  project_out(r, rest, context_);
  return ClusterStep{inside.vectors(), inside.images(), inside.values(), column_norms(r),
                     wanted(cluster)};
}

void ShiftInvert::settle(Range cluster, const ClusterStep& step) {
  if (step.worst() < residual(cluster)) restore(cluster, step);
  passes_.note(set_.worst(count_), set_.within(count_, passes_.enough()));
}

void ShiftInvert::restore(Range cluster, const ClusterStep& before) {
  set_.replace(cluster, before.vectors, before.images, before.values, before.residuals);
}

double ShiftInvert::shift_for(Range cluster) const {
  const auto values = set_.values().segment(cluster.begin, cluster.size());
  if (cluster.size() == 1) return values[0];
  const double around = gap(cluster), wide = values.maxCoeff() - values.minCoeff();
  return values.maxCoeff() + std::clamp(wide, kNear * around, kFar * around);
}

void ShiftInvert::inverse_iteration(Range cluster, double goal) {
  for (Index shift = 0; shift < kShifts; ++shift) {
    if (!factor(shift_for(cluster))) return;
    for (Index solution = 0; solution < kSolutions; ++solution) {
      const double before = residual(cluster);
      const std::optional<ClusterStep> next = step(cluster);
      if (!next) return;
      const double now = next->worst();
      settle(cluster, *next);
      if (now <= goal || (now < floor() && now > 0.5 * before)) return;
      if (now > kSlow * before) break;
    }
  }
}

// Neighbours that lie too close, or that their residuals blur. The last wanted ones may share a
// cluster with some that are not: they are taken along, since no shift tells them apart.
Range ShiftInvert::cluster_from(Index first) const {
  Range cluster{first, first + 1};
  for (; cluster.end < set_.size(); ++cluster.end) {
    const Index last = cluster.end - 1;
    const double distance = std::abs(set_.values()[cluster.end] - set_.values()[last]);
    double blur = last < count_ ? set_.residuals()[last] : 0;
    if (cluster.end < count_) blur = std::max(blur, set_.residuals()[cluster.end]);
    if (distance > std::max(together_ * set_.largest(), kBlurred * blur)) break;
  }
  return cluster;
}

void ShiftInvert::improve_all(const Improve& improve) {
  std::vector<Range> all;
  for (Index i = 0; i < std::min(count_, set_.size()); i = all.back().end)
    all.push_back(cluster_from(i));
  for (const Range cluster : all)
    if (!passes_.ended() && residual(cluster) > aim()) improve(*this, cluster);
}

// Whether more eigenvalues lie beyond the last wanted one than were found there. The line is drawn
// where no value found is near: rounding must not decide on which side of it one lies.
bool ShiftInvert::missed() {
  const auto size_of = [&](Index i) {
    return request_.order == Order::magnitude ? std::abs(set_.values()[i]) : set_.values()[i];
  };
  const double slack =
      std::max(request_.tolerance, 10 * static_cast<double>(n_) * 0x1p-52) * set_.largest();
  Index found = count_ - 1;  // sizes descend: those before are the larger ones
  double line = size_of(found) + slack;
  while (found > 0 && size_of(found - 1) < line + slack / 2) line = size_of(--found) + slack;
  if (!factor(line)) return false;
  Index beyond = solver_->above();
  if (request_.order == Order::magnitude) {
    if (!factor(-line)) return false;
    beyond += n_ - solver_->above();
  }
  return beyond > found;
}

// Random columns, and where vectors are stuck their residuals, which point to what they lack.
Block ShiftInvert::elsewhere(bool stuck) {
  Block block = gaussian_block(n_, std::min(width_, n_ - set_.size()), request_.search.seed,
                               kMoreStream + draws_++, context_);
  const Index directions = stuck ? std::min(count_, block.cols()) : 0;
  block.leftCols(directions) =
      set_.images().leftCols(directions) -
      set_.vectors().leftCols(directions) * set_.values().head(directions).asDiagonal();
  return orthonormal(std::move(block), set_.vectors(), 0, context_);
}

EigenResult ShiftInvert::run(const Improve& improve) {
  if (2 * count_ >= n_) return solve_whole_space(passes_);
  grow(starting_vectors(n_, width_, request_, context_));
  Index stuck = 0;
  for (Index round = 0; round < kInverseRounds && set_.size() < n_ && set_.largest() > 0; ++round) {
    const double before = set_.worst(count_);
    if (!close_enough()) {
      improve_all(improve);
      set_.combine(width_);
    }
    if (passes_.ended()) break;
    const double now = set_.worst(count_);
    const bool arrived = close_enough() || (now < rounding_floor(n_) && now > 0.5 * before);
    if (arrived && !missed()) break;
    if (!arrived && now < 0.5 * before) continue;
    if (!arrived && ++stuck > kStuck) break;
    grow(elsewhere(!arrived));
  }
  matrix_.resize(0, 0);  // the proof needs room
  return passes_.search_on(set_.vectors(), set_.images());
}

std::optional<std::string> refuse_shift_invert(const SolverTask& task) {
  if (task.request.open()) return "the number of components is open: the whole spectrum is needed";
  if (task.request.whole_spectrum) return "the policy for negative eigenvalues needs all of them";
  if (task.size > kLargest) return "factors of the matrix: at most 20 000 rows";
  if (task.request.count > 50)
    return "vectors are found one after the other: at most 50 components";
  return std::nullopt;
}

std::vector<Index> shift_invert_schedule(const SolverTask& task) {
  std::vector<Index> columns(4, std::min(task.size, task.request.count + 8));
  columns.insert(columns.end(), static_cast<std::size_t>(2 * task.request.count), 1);
  columns.push_back(std::min<Index>(32, task.size));
  return columns;
}

Cost shift_invert_cost(const SolverTask& task, double factorisations, double solutions,
                       const Machine& machine) {
  const auto n = static_cast<double>(task.size), k = static_cast<double>(task.request.count);
  const double spare = static_cast<double>(kSpare), probes = 64;
  const double columns = static_cast<double>(kStartProducts) * (k + spare) + solutions + probes;
  // Factoring runs at about half the speed of products; a solution streams the factors twice, at
  // half the speed of memory.
  return {.setup_seconds = factorisations * (n * n * n / 3) / (0.5 * machine.gemm_double) +
                           solutions * 16 * n * n / machine.bandwidth +
                           columns * 2 * n * n / machine.skinny_double,
          .pass_seconds = 0,
          .form_seconds = 0,
          .bytes = static_cast<std::uint64_t>(8 * n * n + 8 * n * (12 * (k + spare) + probes)),
          .error = task.request.tolerance};
}

}  // namespace mercer
