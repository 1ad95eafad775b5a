// Q(a, x): the share of a gamma distribution of shape a that lies above x, and so the p value of a
// chi-squared statistic s with f degrees of freedom, Q(f/2, s/2). The series of P = 1 - Q below a +
// 1, Lentz's continued fraction above (Press et al., Numerical Recipes, 6.2).
#pragma once

namespace mercer::detail {

/// a > 0, x >= 0.
double upper_gamma(double a, double x);

}  // namespace mercer::detail
