#include "mercer/solvers/lobpcg_search.h"

#include "mercer/core/untimed.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/iteration.h"
#include "mercer/solvers/precondition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

constexpr Index kMostLobpcgPasses = 300;
constexpr Index kGuard = 8;
// A stored matrix is read as fast for this many columns as for one.
constexpr Index kLeastPass = 8;
// Pairs whose residual is below this share of what is asked are multiplied no more.
constexpr double kLocked = 0.5;
// Directions as short as 1e-13 of this, relative to the largest value, are rounding.
constexpr double kNoise = 0.02;
// Values closer than this, relative to the largest, count as copies of one.
constexpr double kTie = 1e-12;

}  // namespace

LobpcgWidths lobpcg_widths(Index n, const EigenRequest& request) {
  const Index count = std::min(request.count, n);
  LobpcgWidths widths;
  widths.kept = std::min(n, count + kGuard);
  widths.basis = 3 * widths.kept;
  if (request.search.basis > 0) {
    // At the least one direction more than the wanted vectors.
    widths.basis = std::min(widths.basis, std::max(request.search.basis, count + 1));
    widths.kept = std::min(widths.kept, std::max(count, widths.basis / 3));
  }
  widths.basis = std::min(n, widths.basis);
  const Index pass = request.search.block > 0 ? request.search.block : std::max(count, kLeastPass);
  widths.pass = std::clamp<Index>((widths.basis - widths.kept) / 2, 1, std::min(pass, widths.kept));
  widths.first = std::clamp(request.search.first, widths.kept, widths.basis);
  return widths;
}

LobpcgSearch::LobpcgSearch(const SymmetricOperator& a, const EigenRequest& request,
                           const Context& context)
    : request_(request),
      context_(untimed(context)),
      passes_(a, request, kMostLobpcgPasses, context),
      n_(a.size()),
      count_(std::min(request.count, n_)),
      widths_(lobpcg_widths(n_, request)),
      near_(request.search.variant == "plain" ? nullptr : request.search.near),
      vectors_(n_, widths_.basis),
      images_(n_, widths_.basis),
      projected_(0, 0) {}

// Adds orthonormal columns and their images, found by one product.
bool LobpcgSearch::extend(const Block& columns) {
  const Index more = columns.cols();
  if (!passes_.apply(columns, images_.middleCols(used_, more))) return false;
  vectors_.middleCols(used_, more) = columns;
  used_ += more;
  const Block fresh =
      inner_products(vectors_.leftCols(used_), images_.middleCols(used_ - more, more), context_);
  Block larger(used_, used_);
  larger.topLeftCorner(used_ - more, used_ - more) = projected_;
  larger.rightCols(more) = fresh;
  larger.bottomRows(more) = fresh.transpose();
  const Block corner = fresh.bottomRows(more);
  larger.bottomRightCorner(more, more) = 0.5 * (corner + corner.transpose());
  projected_ = std::move(larger);
  find_ritz_pairs();
  measure();
  return true;
}

void LobpcgSearch::find_ritz_pairs() {
  Block copy = projected_;
  const SymmetricReduction reduction(copy, context_);
  const Vector& ascending = reduction.values();
  std::vector<Index> order(static_cast<std::size_t>(used_));
  std::iota(order.rbegin(), order.rend(), Index{0});
  if (request_.order == Order::magnitude)
    std::ranges::stable_sort(
        order, [&](Index a, Index b) { return std::abs(ascending[a]) > std::abs(ascending[b]); });
  std::vector<Index> every(order.size());
  std::iota(every.begin(), every.end(), Index{0});
  const Block all = reduction.vectors(every);
  values_ = ascending(order);
  turns_ = all(Eigen::all, order);
}

void LobpcgSearch::measure() {
  const Index kept = std::min(widths_.kept, used_);
  largest_ = values_.cwiseAbs().maxCoeff();
  residuals_ = product(images_.leftCols(used_), turns_.leftCols(kept), context_);
  const Block scaled = turns_.leftCols(kept) * values_.head(kept).asDiagonal();
  add_product(residuals_, -1.0, vectors_.leftCols(used_), scaled, context_);
  norms_ = column_norms(residuals_);
  if (largest_ > 0) norms_ /= largest_;
  // Equal values have no order of their own: rounding chooses which of their vectors come first.
  wanted_ = std::min(count_, kept);
  while (wanted_ < kept && std::abs(values_[wanted_] - values_[count_ - 1]) <= kTie * largest_)
    ++wanted_;
  passes_.note(norms_.head(wanted_).maxCoeff(),
               (norms_.head(std::min(count_, kept)).array() <= passes_.enough()).count());
}

bool LobpcgSearch::done() {
  if (used_ == n_ || passes_.history().back().residual <= passes_.enough()) return true;
  if (!at_rounding_floor(passes_.history(), 3, n_, largest_,
                         request_.matrix.operator_error + request_.matrix.rounding))
    return false;
  passes_.give_up({StopReason::rounding});
  return true;
}

// Soft locking: pairs that are good enough stay in the basis and are improved by what comes, but
// add no columns of their own.
std::vector<Index> LobpcgSearch::open_pairs() const {
  std::vector<Index> open;
  const auto most = static_cast<std::size_t>(widths_.pass);
  const Index followed = std::min(std::max(wanted_, widths_.pass), norms_.size());
  for (Index i = 0; i < followed && open.size() < most; ++i)
    if (norms_[i] > kLocked * passes_.enough()) open.push_back(i);
  return open;
}

// W before it is made orthogonal to the basis.
Block LobpcgSearch::directions(const std::vector<Index>& open) const {
  Block block = residuals_(Eigen::all, open);
  const Vector values = values_(open);
  if (near_ != nullptr) precondition(block, values, *near_, context_);
  return block;
}

// Turns the basis into [X P] where `columns` more would not fit. P is what the open vectors gained
// outside the old X.
void LobpcgSearch::shrink(Index columns, const std::vector<Index>& open) {
  if (used_ + columns <= widths_.basis) return;
  const Index kept = std::min(widths_.kept, used_);
  const Index room = std::max<Index>(0, widths_.basis - kept - columns);
  Block gained = turns_(Eigen::all, open);
  gained.topRows(kept_).setZero();
  // In coordinates of the basis lengths are absolute: what is below 1e-13 is rounding.
  Block conjugate = orthonormal(std::move(gained), turns_.leftCols(kept), 1, context_);
  const Index p = std::min(room, conjugate.cols());
  Block turn(used_, kept + p);
  turn << turns_.leftCols(kept), conjugate.leftCols(p);
  rotate(vectors_.leftCols(used_), turn, context_);
  rotate(images_.leftCols(used_), turn, context_);
  const Block turned = turn.transpose() * projected_ * turn;
  projected_ = 0.5 * (turned + turned.transpose());
  used_ = kept + p;
  kept_ = kept;
  turns_ = Block::Identity(used_, used_);
}

EigenResult LobpcgSearch::run() {
  bool more = extend(start_block(n_, widths_.first, request_, context_));
  while (more && !done()) {
    const std::vector<Index> open = open_pairs();
    Block block = directions(open);
    shrink(block.cols(), open);
    block = orthonormal(std::move(block), vectors_.leftCols(used_), kNoise * largest_, context_);
    if (block.cols() > n_ - used_) block = block.leftCols(n_ - used_).eval();
    if (block.cols() == 0) {
      passes_.give_up({StopReason::rounding});
      break;
    }
    more = extend(block);
  }
  return finish();
}

EigenResult LobpcgSearch::finish() {
  rotate(vectors_.leftCols(used_), turns_, context_);
  rotate(images_.leftCols(used_), turns_, context_);
  vectors_.conservativeResize(Eigen::NoChange, used_);
  images_.conservativeResize(Eigen::NoChange, used_);
  return passes_.search_on(std::move(vectors_), std::move(images_));
}

}  // namespace mercer
