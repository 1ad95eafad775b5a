// Features made of monomials z^alpha, two kinds:
//   polynomial kernel (g x.y + c)^p, exactly: z = x,
//     f_alpha = (p! / (alpha! (p-|alpha|)!) g^|alpha| c^(p-|alpha|))^(1/2) z^alpha,   |alpha| <= p
//     (only |alpha| = p where c = 0)
//   Gaussian exp(-|x-y|^2/(2 s^2)) around one centre: z = (x - centre)/s,
//     f_alpha = exp(-|z|^2/2) z^alpha / (alpha!)^(1/2),   |alpha| < p
//     with |k - f.f| <= (a b)^p/p! exp(-(a-b)^2/2), a and b the lengths of the two z.
#pragma once

#include "mercer/kernels/family/polynomial.h"
#include "mercer/operators/panel_features.h"
#include "mercer/operators/taylor_terms.h"

namespace mercer {

class MonomialMap final : public PanelFeatures {
 public:
  /// Of a polynomial kernel. `scale`: a power of two that brings the rows into [-1, 1].
  static std::shared_ptr<const MonomialMap> polynomial(const Polynomial& kernel, Index dim,
                                                       double scale);
  /// Of a Gaussian of this width (after scaling), all |alpha| < terms, for rows with |z| <= reach.
  static std::shared_ptr<const MonomialMap> gaussian(double sigma, Placement placement, Index terms,
                                                     double reach);
  static std::shared_ptr<const MonomialMap> from(const State& state, const Kernel& kernel,
                                                 Index dim);

  std::string_view name() const override { return damped_ ? "taylor" : "monomials"; }
  Index width() const override { return roots_.size(); }
  Index dim() const override { return terms_.dim(); }
  bool covers(const double* row) const override;
  bool covers_all() const override { return !damped_; }
  void fill(DataView rows, Range part, BlockRef out) const override;
  void save(State& state) const override;

 private:
  MonomialMap(Placement placement, double stretch, bool damped, Index dim, Index degree);

  Placement placement_;
  double stretch_;  // z = stretch * placed row
  bool damped_;
  double reach_ = 0;  // rows with longer z are not covered
  Monomials terms_;
  Vector roots_;  // of the weights, of the last roots_.size() terms
};

/// Monomials that a map may make on its way: of a polynomial kernel without offset it keeps the
/// highest degree alone.
constexpr double kMostMonomials = 2e6;

/// Number of features of a polynomial kernel.
double polynomial_width(const Polynomial& kernel, Index dim);

/// The smallest p with (a b)^p/p! exp(-(a-b)^2/2) <= eps for all a <= reach, b <= beyond; 0 where
/// none up to 200 does.
Index taylor_terms_for(double reach, double beyond, double eps);

}  // namespace mercer
