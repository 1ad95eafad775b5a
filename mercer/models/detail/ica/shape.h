// How far sources are from Gaussian ones, and whether the rows show it.
//
// Of a source y of unit variance, with a = mean(y exp(-y^2/2)) and b = mean(exp(-y^2/2)) -
// sqrt(1/2), the negentropy is about
//   J = a^2 / (2 s_a) + b^2 / (2 s_b),   s_a = 3^-3/2 - 1/8,   s_b = 3^-1/2 - 9/16
// (Hyvarinen 1998). s_a and s_b are n times the variances of a and b where y is Gaussian and
// standardised, so that T_a = sqrt(n / s_a) a and T_b are standard normal then.
//
// Sources are directions w that a search chose for being far from Gaussian. Where all n rows are
// Gaussian in K dimensions, T(w) is, for large n, a Gaussian process over the sphere whose
// correlation at the cosine c is r(c) = sum_m q_m c^m, sum q_m = 1, m >= 3. As 1 - c^m <= m (1 -
// c),
//   E (T(w) - T(v))^2 = 2 (1 - r) <= L |w - v|^2,   L = r'(1),
// so the largest T is on average no more than sqrt(L K) (comparison of Sudakov and Fernique), and
// passes that by u with a probability of at most exp(-u^2/2) (Borell). With both signs of both
// figures, each given a quarter of the failure level, this bounds the chance that any direction of
// Gaussian rows is called something else.
#pragma once

#include "mercer/core/types.h"
#include "mercer/models/detail/ica/passes.h"

#include <vector>

namespace mercer::detail {

/// The chance, at most, that Gaussian rows are taken for sources that are not.
constexpr double kGaussianFailure = 0.01;

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
