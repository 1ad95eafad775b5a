#include "mercer/solvers/lanczos_search.h"

#include "mercer/core/untimed.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/tall.h"
#include "mercer/solvers/krylov_basis.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

// Single vectors: a hundred of them are no long run.
constexpr Index kMostLanczosPasses = 2000;
// Share of random numbers in a start made from vectors of elsewhere: finds what they miss.
constexpr double kRandomShare = 1e-3;
// Ritz values nearer to each other than this share of the largest are copies of one.
constexpr double kSame = 1e-7;
// A Ritz vector with less than this of the start is not from there: a ghost that rounding began.
constexpr double kSpurious = 1e-7;
// The true residual is that of the recurrence and rounding.
constexpr double kMargin = 0.5;

Index most_passes(const EigenRequest& request, Index count) {
  return request.search.passes > 0 ? request.search.passes
                                   : std::max(kMostLanczosPasses, 8 * count);
}

}  // namespace

LanczosWidths lanczos_widths(Index size, Index count) {
  return {std::min(size, std::max(2 * count + 16, 3 * count)), std::min(size, 2 * count + 16)};
}

LanczosSearch::LanczosSearch(const SymmetricOperator& a, const EigenRequest& request,
                             const Context& context)
    : request_(request),
      context_(untimed(context)),
      n_(a.size()),
      count_(std::min(request.count, n_)),
      most_(most_passes(request, count_)),
      kind_(parse_reorthogonalise(request.search.variant)),
      passes_(a, request, most_, context),
      process_(start(), capacity(), kind_, request, context_) {}

// Vectors of elsewhere are added up: the Krylov space of the sum contains each of them, as far as
// they are eigenvectors of different eigenvalues.
Block LanczosSearch::start() const {
  Block sum = gaussian_block(n_, 1, request_.search.seed, 999, context_);
  const Block* given = request_.start != nullptr         ? request_.start
                       : request_.search.near != nullptr ? &request_.search.near->vectors
                                                         : nullptr;
  if (given == nullptr || given->cols() == 0) return sum;
  const Index used = std::min(given->cols(), count_);
  sum *= kRandomShare / column_norms(sum)[0];
  const Vector norms = column_norms(*given);
  for (Index j = 0; j < used; ++j)
    if (norms[j] > 0) sum += given->col(j) / norms[j];
  return sum;
}

// Full reorthogonalisation restarts early and keeps a small basis. The others save work in long
// sequences only, so they are given room for one; where it is used up, partial and selective
// restart from vectors made orthonormal in full, which every later vector is kept orthogonal to.
// Ghosts cannot be restarted from: without reorthogonalisation the run ends there, and it may need
// more steps than there are rows.
Index LanczosSearch::capacity() const {
  const Index own =
      kind_ == Reorthogonalise::full ? lanczos_widths(n_, count_).basis : 128 + 4 * count_;
  const Index asked = request_.search.basis > 0 ? std::max(request_.search.basis, count_ + 2) : own;
  return std::min(asked, kind_ == Reorthogonalise::none ? 3 * n_ : n_);
}

// One pass is left for the true product.
bool LanczosSearch::spent() const { return passes_.count() >= std::max<Index>(1, most_ - 1); }

// Ritz values cost O(j^3): in long sequences they are looked at less often.
bool LanczosSearch::due() const {
  if (process_.full() || process_.exhausted() || spent()) return true;
  const Index size = process_.size();
  const Index every = size <= 64 ? 1 : size / (size < count_ ? 4 : 16);
  return passes_.count() - looked_at_ >= every;
}

// Residuals of these Ritz pairs, relative to the largest value.
Vector LanczosSearch::residuals_of(const std::vector<Index>& wanted) {
  const ProjectedPairs& pairs = process_.pairs();
  const double largest = pairs.values.cwiseAbs().maxCoeff();
  Vector residuals = Vector::Zero(static_cast<Index>(wanted.size()));
  for (Index j = 0; largest > 0 && j < residuals.size(); ++j) {
    const Index i = wanted[static_cast<std::size_t>(j)];
    residuals[j] = process_.beta() * std::abs(pairs.turns(process_.size() - 1, i)) / largest;
  }
  return residuals;
}

// Positions of the first Ritz pairs. Only a basis without reorthogonalisation has copies: of each
// run of them the one with the smallest residual is taken, and those still on their way are known
// by their first coefficient v_1'y (Cullum and Willoughby).
std::vector<Index> LanczosSearch::distinct(Index most) {
  const ProjectedPairs& pairs = process_.pairs();
  std::vector<Index> positions(static_cast<std::size_t>(std::min(most, process_.size())));
  std::iota(positions.begin(), positions.end(), Index{0});
  if (kind_ != Reorthogonalise::none) return positions;
  const double same = kSame * pairs.values.cwiseAbs().maxCoeff();
  const Index last = process_.size() - 1;
  positions.clear();
  for (Index i = 0; i <= last; ++i) {
    if (process_.part() == 0 && std::abs(pairs.turns(0, i)) < kSpurious) continue;
    const auto twin = std::ranges::find_if(
        positions, [&](Index p) { return std::abs(pairs.values[p] - pairs.values[i]) <= same; });
    if (twin == positions.end()) {
      if (static_cast<Index>(positions.size()) == most) break;
      positions.push_back(i);
    } else if (std::abs(pairs.turns(last, i)) < std::abs(pairs.turns(last, *twin))) {
      *twin = i;
    }
  }
  return positions;
}

// After a breakdown the wanted pairs may all have converged although copies are missing: the part
// of the basis that a random vector began must have shown its leading value, and that must not
// belong among the wanted ones.
bool LanczosSearch::nothing_beyond(double last) {
  if (part_ == 0) return true;
  const Index size = process_.size();
  const Index begin = part_ < size ? part_ : before_;
  const ProjectedPairs part = ordered_pairs(
      process_.projected().block(begin, begin, size - begin, size - begin), request_.order);
  const double slack = passes_.enough() * process_.pairs().values.cwiseAbs().maxCoeff();
  if (process_.beta() * std::abs(part.turns(size - begin - 1, 0)) > slack) return false;
  if (request_.order == Order::magnitude) return std::abs(part.values[0]) <= std::abs(last) + slack;
  return part.values[0] <= last + slack;
}

bool LanczosSearch::found() {
  looked_at_ = passes_.count();
  const std::vector<Index> wanted = distinct(count_);
  const Vector residuals = residuals_of(wanted);
  const double worst = residuals.size() > 0 ? residuals.maxCoeff() : 0;
  passes_.note(worst, (residuals.array() <= passes_.enough()).count());
  if (process_.part() != part_) {
    before_ = part_;
    part_ = process_.part();
  }
  if (process_.exhausted()) return true;
  return static_cast<Index>(wanted.size()) == count_ && worst <= kMargin * passes_.enough() &&
         nothing_beyond(process_.pairs().values[wanted.back()]);
}

// False where the basis cannot be restarted from.
bool LanczosSearch::restart() {
  if (kind_ == Reorthogonalise::none) return false;
  if (kind_ != Reorthogonalise::full && !process_.straighten()) return false;
  process_.restart(std::min(process_.size() - 1, count_ + (process_.size() - count_) / 2));
  part_ = before_ = 0;
  return true;
}

EigenResult LanczosSearch::run() {
  while (!spent() && process_.step(passes_)) {
    found_ = due() && found();
    if (found_ || process_.exhausted()) break;
    if (process_.full() && !restart()) break;
  }
  return hand_over();
}

// A times columns of the span of V turns, without a product: A V = V H + f e_j'.
Block LanczosSearch::recurrence_images(const Block& vectors, const Block& turns,
                                       const Vector& values) const {
  const Block ritz = product(process_.vectors(), turns, context_);
  const Block images = ritz * values.asDiagonal() + process_.outside(turns);
  const Block gram = inner_products(ritz, ritz, context_);
  return product(images, gram.ldlt().solve(inner_products(ritz, vectors, context_)), context_);
}

EigenResult LanczosSearch::hand_over() {
  const bool semi = kind_ == Reorthogonalise::partial || kind_ == Reorthogonalise::selective;
  const bool straight = kind_ == Reorthogonalise::full || (semi && process_.straighten());
  const std::vector<Index> given = distinct(lanczos_widths(n_, count_).given);
  const ProjectedPairs& pairs = process_.pairs();
  Block turns(process_.size(), static_cast<Index>(given.size()));
  Vector values(turns.cols());
  for (Index j = 0; j < turns.cols(); ++j) {
    turns.col(j) = pairs.turns.col(given[static_cast<std::size_t>(j)]);
    values[j] = pairs.values[given[static_cast<std::size_t>(j)]];
  }
  Block vectors = product(process_.vectors(), turns, context_);
  if (straight)
    polish_orthonormal(vectors);
  else  // copies of one vector that are left are dropped here
    vectors = orthonormal(std::move(vectors), Block(n_, 0), 0, context_);
  Block images(n_, vectors.cols());
  if (!passes_.apply(vectors, images)) images = recurrence_images(vectors, turns, values);
  if (!found_ && !passes_.ended())
    passes_.give_up(spent() ? Stop{StopReason::passes_used_up, passes_.count()}
                            : Stop{StopReason::ghosts, process_.size()});
  return passes_.search_on(std::move(vectors), std::move(images));
}

}  // namespace mercer
