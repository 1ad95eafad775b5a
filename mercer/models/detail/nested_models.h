// Probabilistic PCA of every number of components from one eigenproblem, for the likelihood of rows
// that were left out (the rule `likelihood` of component_rules.h).
#pragma once

#include "mercer/models/component_rules.h"
#include "mercer/models/factor_gaussian.h"
#include "mercer/models/kind/pca.h"

namespace mercer::detail {

/// N(m, W W' + s2 I) with variances along some axes, and the noise s2 along all others.
FactorGaussian isotropic_gaussian(const Block& axes, const Vector& variances, const Vector& mean,
                                  double noise);

/// The context must outlive what it gives; how many components the options ask for does not count.
LearnAndAsk nested_models(PcaOptions options, const Context& context);

}  // namespace mercer::detail
