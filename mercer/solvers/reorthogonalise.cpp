#include "mercer/solvers/reorthogonalise.h"

#include "mercer/core/error.h"
#include "mercer/linalg/tall.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace mercer {
namespace {

constexpr double kUnit = 0x1p-53;
// Columns whose forecast is above u^(3/4) are taken along once one is above sqrt(u).
constexpr double kTakenAlong = 1.1e-12;
// A Ritz vector y with the residual r |A| has y'v ~ u sqrt(n) / r, so r = sqrt(n u) would do for
// one step; but small betas amplify what is there by a hundred in the next (1e-5 was measured on
// geometric spectra). This many times that leaves y'v a margin, for a few inner products more.
constexpr double kGood = 200;
// A good Ritz vector with less than this outside of the ones already held is none of its own.
constexpr double kNew = 1e-1;
// Columns are orthogonal to sqrt(u) only: a sweep that takes a good part of a vector leaves that
// share of it behind.
constexpr double kShrunk = 0.99;
constexpr Index kMostSweeps = 4;
// A vector that shrank below this share was made of rounding, in directions nobody foresees.
constexpr double kMostlyRounding = 0.1;

double length(ConstBlockRef w) { return column_norms(w)[0]; }

}  // namespace

Reorthogonalise parse_reorthogonalise(std::string_view name) {
  if (name.empty() || name == "full") return Reorthogonalise::full;
  if (name == "partial") return Reorthogonalise::partial;
  if (name == "selective") return Reorthogonalise::selective;
  if (name == "none") return Reorthogonalise::none;
  const std::vector<std::string> known = {"full", "partial", "selective", "none"};
  throw Error(ErrorCode::unknown_name, "lanczos has no variant \"" + std::string(name) + "\"",
              suggest(name, known, "variants"));
}

Reorthogonaliser::Reorthogonaliser(Reorthogonalise kind, Index n, Index capacity,
                                   const Context& context)
    : context_(context),
      kind_(kind),
      unit_(kUnit * std::sqrt(static_cast<double>(std::max<Index>(n, 1)))),
      tolerated_(std::sqrt(kUnit / static_cast<double>(std::max<Index>(capacity, 1)))) {}

void Reorthogonaliser::count(Index inner_products, Index updates) {
  work_.inner_products += inner_products;
  work_.updates += updates;
}

void Reorthogonaliser::sweep(BlockRef w, ConstBlockRef columns) {
  if (columns.cols() == 0) return;
  add_product(w, -1.0, columns, inner_products(columns, w, context_), context_);
  count(columns.cols(), columns.cols());
}

void Reorthogonaliser::sweep_until_orthogonal(BlockRef w, ConstBlockRef columns) {
  if (columns.cols() == 0) return;
  double before = length(w);
  for (Index i = 0; i < kMostSweeps; ++i) {
    sweep(w, columns);
    const double after = length(w);
    if (after >= kShrunk * before) return;
    before = after;
  }
}

void Reorthogonaliser::apply(BlockRef w, const LanczosView& view) {
  if (kind_ == Reorthogonalise::none) return;
  if (kind_ == Reorthogonalise::full) {
    sweep(w, view.vectors);
    sweep_until_orthogonal(w, view.vectors);
    return;
  }
  const double before = length(w);
  if (kind_ == Reorthogonalise::selective && before <= good_below(view.scale)) {
    whole_ = view.vectors.cols();  // so are the residuals of all Ritz vectors
    good_count_ = 0;
  }
  // Ritz vectors of earlier cycles are as good as converged, and the two newest columns are those
  // that w was just made from.
  sweep(w, view.vectors.leftCols(std::max(view.kept, whole_)));
  sweep(w, view.vectors.rightCols(std::min<Index>(2, view.vectors.cols() - view.kept)));
  if (kind_ == Reorthogonalise::partial) partial(w, view);
  if (kind_ == Reorthogonalise::selective) sweep_until_orthogonal(w, good_.leftCols(good_count_));
  if (length(w) >= kMostlyRounding * before) return;
  sweep_until_orthogonal(w, view.vectors);
  replaced();
}

// With a_k, b_k the entries of the projected matrix and w_{j,k} = v_j'v_k, from A V = V T + ...
// multiplied by v_j' and by symmetry of A:
//   b_{j+1} w_{j+1,k} = b_{k+1} w_{j,k+1} + (a_k - a_j) w_{j,k} + b_k w_{j,k-1} - b_j w_{j-1,k}
// plus rounding, which is added with the sign that makes it worst.
void Reorthogonaliser::forecast(double beta, const LanczosView& view) {
  const Index j = view.vectors.cols() - view.kept - 1;
  const auto entry = [&](Index row, Index col) {
    return view.projected(view.kept + row, view.kept + col);
  };
  const auto at = [](const std::vector<double>& forecasts, Index k) {
    if (k < 0) return 0.0;
    return k < static_cast<Index>(forecasts.size()) ? forecasts[static_cast<std::size_t>(k)] : 1.0;
  };
  next_.assign(static_cast<std::size_t>(j) + 1, unit_);
  for (Index k = 0; k + 1 < j; ++k) {
    double sum = entry(k + 1, k) * at(last_, k + 1) + (entry(k, k) - entry(j, j)) * at(last_, k) -
                 entry(j, j - 1) * at(before_, k);
    if (k > 0) sum += entry(k, k - 1) * at(last_, k - 1);
    sum += std::copysign(unit_ * view.scale, sum);
    next_[static_cast<std::size_t>(k)] = sum / beta;
  }
}

// Runs of columns that are worth an inner product.
std::vector<Range> Reorthogonaliser::offenders(Index kept) const {
  std::vector<Range> ranges;
  for (std::size_t k = 0; k < next_.size(); ++k) {
    if (std::abs(next_[k]) <= kTakenAlong) continue;
    const Index column = kept + static_cast<Index>(k);
    if (!ranges.empty() && ranges.back().end == column)
      ++ranges.back().end;
    else
      ranges.push_back({column, column + 1});
  }
  return ranges;
}

// The forecast of the vector after the next one grows from the next two, so both are treated: the
// ranges found now are used again in the next step.
void Reorthogonaliser::partial(BlockRef w, const LanczosView& view) {
  // A vector of no length at all will be replaced; its forecasts are not used.
  forecast(std::max(length(w), kUnit * unit_ * view.scale), view);
  const double worst = std::abs(*std::max_element(
      next_.begin(), next_.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  std::vector<Range> ranges = again_;
  again_.clear();
  if (worst > tolerated_) ranges = again_ = offenders(view.kept);
  for (const Range range : ranges) {
    sweep_until_orthogonal(w, view.vectors.middleCols(range.begin, range.size()));
    for (Index column = range.begin; column < range.end; ++column)
      next_[static_cast<std::size_t>(column - view.kept)] = unit_;
  }
  before_ = std::move(last_);
  last_ = std::move(next_);
}

double Reorthogonaliser::good_below(double scale) const {
  return kGood * unit_ / std::sqrt(kUnit) * scale;
}

bool Reorthogonaliser::wants_pairs(Index size) const {
  return kind_ == Reorthogonalise::selective && size > looked_at_ + size / 64;
}

// New good Ritz vectors are recognised by their coefficients: those of the basis are as orthogonal
// as the basis is, so no vector of full length is touched to find out.
void Reorthogonaliser::give_pairs(const ProjectedPairs& pairs, double beta,
                                  const LanczosView& view) {
  const Index size = view.vectors.cols();
  looked_at_ = size;
  if (coefficients_.rows() < size)
    coefficients_.conservativeResizeLike(Block::Zero(size, coefficients_.cols()));
  for (Index i = 0; i < size; ++i) {
    if (beta * std::abs(pairs.turns(size - 1, i)) > good_below(view.scale)) continue;
    Vector fresh = pairs.turns.col(i);
    fresh.head(whole_).setZero();
    for (int round = 0; round < 2; ++round) {
      const auto held = coefficients_.topLeftCorner(size, good_count_);
      fresh -= held * (held.transpose() * fresh).eval();
    }
    if (fresh.norm() < kNew) continue;
    fresh.normalize();
    if (good_count_ == coefficients_.cols()) {
      coefficients_.conservativeResizeLike(Block::Zero(size, good_count_ + 8));
      good_.conservativeResize(view.vectors.rows(), good_count_ + 8);
    }
    coefficients_.col(good_count_) = fresh;
    good_.col(good_count_++) = product(view.vectors, fresh, context_);
    count(0, size);
  }
}

void Reorthogonaliser::replaced() { std::fill(last_.begin(), last_.end(), unit_); }

void Reorthogonaliser::restart() {
  before_.clear();
  last_.clear();
  again_.clear();
  coefficients_.resize(0, 0);
  good_count_ = whole_ = looked_at_ = 0;
}

}  // namespace mercer
