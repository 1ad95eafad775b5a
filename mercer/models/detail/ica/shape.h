// How far sources are from Gaussian ones, and whether the rows show it.
//
// Of a source y of unit variance, with a = mean(y exp(-y^2/2)) and b = mean(exp(-y^2/2)) -
// sqrt(1/2), the negentropy is about
//   J = a^2 / (2 s_a) + b^2 / (2 s_b),   s_a = 3^-3/2 - 1/8,   s_b = 3^-1/2 - 9/16
// (Hyvarinen 1998). s_a and s_b are n times the variances of a and b where y is Gaussian and
// standardised, so that T_a = sqrt(n / s_a) a and T_b are standard normal then.
//
// Sources are directions w that a search chose for being far from Gaussian. Where all n rows are
// Gaussian in K dimensions, T(w) is, for many rows, a smooth Gaussian field over the sphere whose
// correlation at the cosine c is r(c). High above its mean level such a field has either no place
// above u or one, so that the expected Euler characteristic of those places is the chance of the
// largest T being above u (Adler and Taylor 2007):
//   P(max T > u) = sum_j L_j rho_j(u),   rho_0 = 1 - Phi(u),
//   rho_j = (2 pi)^{-(j+1)/2} He_{j-1}(u) exp(-u^2/2),
//   L_j = 2 C(K-1, j) (s_K / s_{K-j}) r'(1)^{j/2}   for even K-1-j, s_i = 2 pi^{i/2} / Gamma(i/2).
// T_a is odd and T_b even in w, so that this is the chance of |T| either way. A source is called
// Gaussian where neither figure passes the u of half the failure level. Whitening takes K + 1
// degrees of freedom of n rows: the sums of few rows in many dimensions are the wider by
// sqrt(n / (n - K - 1)), about.
#pragma once

#include "mercer/core/types.h"
#include "mercer/models/detail/ica/passes.h"

#include <vector>

namespace mercer::detail {

/// The chance, about, that any source of Gaussian rows is taken for one that is not.
constexpr double kGaussianFailure = 0.01;

/// What |T| of the most favourable direction of Gaussian rows in k dimensions passes with this
/// chance; `slope` is r'(1).
double gaussian_reach(double slope, Index k, double chance);

struct SourceShape {
  double variance = 0, skewness = 0, excess_kurtosis = 0;
  double negentropy = 0;  // of the source at unit variance
  bool gaussian = false;  // cannot be told from a Gaussian one
};

/// Of the K sources z w' (n rows of z).
std::vector<SourceShape> shapes_of(ConstBlockRef z, const Block& w, const Context& context);

/// Mean G of a Gaussian source, G as climb_pass has it.
double gaussian_mean(Contrast contrast);

/// mean G(y) - that of a Gaussian source.
double contrast_gap(const ShapeSums& sums, Index n, Contrast contrast);

}  // namespace mercer::detail
