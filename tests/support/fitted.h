// A fitted model of a known kind, by pointer as those of the catalogue come.
#pragma once

#include "mercer/models/kind.h"

#include <memory>

namespace mercer::test {

template <class M>
std::unique_ptr<M> fitted(const Training& training, const typename M::Options& options = {},
                          const Context& context = {}) {
  return std::make_unique<M>(M::fit(training, options, context));
}

}  // namespace mercer::test
