// Sylvester's law: A - s I = P L D L' P' has as many positive eigenvalues as D. It counts without
// computing a single eigenvalue, so it can judge who claims that none was missed.
#pragma once

#include "mercer/core/types.h"

namespace mercer::test {

/// How many eigenvalues of the symmetric matrix exceed `shift`.
Index count_above(const Block& symmetric, double shift);

}  // namespace mercer::test
