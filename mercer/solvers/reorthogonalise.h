// How a Lanczos basis is kept orthogonal. Rounding adds u |A| to every new vector, and the
// recurrence amplifies what of it lies along eigenvectors already found: without care the basis
// becomes dependent and the same eigenvalues come again as ghosts.
//   full       against all columns, twice: orthogonal to rounding; 2 j inner products in step j
//   partial    Simon (1984): a recurrence forecasts |v'v_k|, and only where the forecast passes
//              sqrt(u) the vector (and the next) is orthogonalised, against columns above u^(3/4)
//   selective  Parlett and Scott (1979): orthogonality is lost towards converged Ritz vectors only,
//              y'v ~ u |A| / residual(y); so against those whose residuals are small
//   none       shows the ghosts
// Partial and selective keep the basis semi-orthogonal, |V'V - I| <= sqrt(u): enough for the
// projected matrix to be that of an orthonormal basis of the same space to rounding.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <string_view>
#include <vector>

namespace mercer {

enum class Reorthogonalise { full, partial, selective, none };

/// By its name; full where the name is empty. Throws M112 for another word.
Reorthogonalise parse_reorthogonalise(std::string_view name);

/// Operations on vectors of full length that orthogonality took: inner products, and sums
/// z + c v, those that form Ritz vectors among them.
struct OrthogonalityWork {
  Index inner_products = 0;
  Index updates = 0;
};

/// Eigenpairs of the projected matrix.
struct ProjectedPairs {
  Vector values;
  Block turns;  // one unit column each
};

/// The basis as it stands when the next vector is made orthogonal to it.
struct LanczosView {
  Eigen::Ref<const Block>
      vectors;  // j columns; the first `kept` are Ritz vectors of a cycle before
  Eigen::Ref<const Block> projected;  // j x j
  Index kept;
  double scale;  // largest entry of the projected matrix so far
};

class Reorthogonaliser {
 public:
  Reorthogonaliser(Reorthogonalise kind, Index n, Index capacity, const Context& context);

  /// Takes from w, the next vector before it is scaled, what it should not have of the basis.
  void apply(BlockRef w, const LanczosView& view);
  /// Whether apply needs the eigenpairs of the projected matrix at this size; give_pairs brings
  /// them.
  bool wants_pairs(Index size) const;
  void give_pairs(const ProjectedPairs& pairs, double beta, const LanczosView& view);
  /// The next vector is not w but one made orthogonal to all of the basis.
  void replaced();
  /// A new cycle begins: nothing is known of its vectors.
  void restart();

  Reorthogonalise kind() const { return kind_; }
  const OrthogonalityWork& work() const { return work_; }
  /// Adds work done elsewhere for the same purpose.
  void count(Index inner_products, Index updates);

 private:
  void sweep(BlockRef w, ConstBlockRef columns);
  void sweep_until_orthogonal(BlockRef w, ConstBlockRef columns);
  void partial(BlockRef w, const LanczosView& view);
  void forecast(double beta, const LanczosView& view);
  std::vector<Range> offenders(Index kept) const;
  double good_below(double scale) const;

  const Context& context_;
  Reorthogonalise kind_;
  double unit_;       // what rounding leaves of v'v_k after orthogonalisation
  double tolerated_;  // forecasts above this are acted upon
  OrthogonalityWork work_;
  // Partial: forecasts of v'v_k for the vector before the last, the last, and the next.
  std::vector<double> before_, last_, next_;
  std::vector<Range> again_;  // ranges that the next vector is made orthogonal to as well
  // Selective: the first columns, where all their Ritz vectors have converged, and converged Ritz
  // vectors of the others with their coefficients in the basis.
  Index whole_ = 0;
  Block good_, coefficients_;
  Index good_count_ = 0, looked_at_ = 0;
};

}  // namespace mercer
