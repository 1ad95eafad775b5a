// Options that the methods with an eigenproblem share, described in one place: how many components,
// how exact, how completeness is shown; and what is done to the columns first.
#pragma once

#include "mercer/core/choice.h"
#include "mercer/data/scale.h"
#include "mercer/models/components.h"
#include "mercer/models/tolerance.h"
#include "mercer/solvers/certificate.h"

namespace mercer {

/// For options with the members components, tolerance, certify and seed; `components`: what may be
/// given for them.
template <class Fields, class Options>
void describe_eigenproblem(
    Fields& field, Options& options,
    const char* components = "a count, a share of variance in (0, 1), or all") {
  field("components", options.components, components);
  field("tolerance", options.tolerance,
        "largest relative residual |K u - mu u| / mu_1, or eigenvalues:WIDTH");
  field("certify", options.certify,
        "proof that no component is missed: auto, deterministic, probabilistic or none");
  field("seed", options.seed,
        "of random starts: another one gives another answer within the tolerance");
}

/// For options with the member center.
template <class Fields, class Options>
void describe_centring(Fields& field, Options& options) {
  field("center", options.center, "do not centre the features");
}

/// For options with the member scale.
template <class Fields, class Options>
void describe_scaling(Fields& field, Options& options) {
  field("scale", options.scale, "scale the columns first: none, standard, range or whiten");
}

}  // namespace mercer
