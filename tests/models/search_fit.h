// Fits by a solver and an operator that are named, on rows whose spectrum falls off.
#pragma once

#include "mercer/models/kind/kernel_pca.h"
#include "tests/support/random_points.h"

#include <cmath>
#include <cstdint>
#include <string_view>

namespace mercer::search_fit {

/// Ten groups in `dim` columns, whose sizes fall off as those of images do.
inline Points groups(Index n, Index dim, std::uint64_t seed = 1) {
  const Points centres = test::random_points({.n = 10, .dim = dim, .seed = seed + 100});
  Points x = 0.4 * test::random_points({.n = n, .dim = dim, .seed = seed});
  for (Index i = 0; i < n; ++i) x.row(i) += centres.row(i % 10);
  for (Index j = 0; j < dim; ++j) x.col(j) *= std::pow(0.85, static_cast<double>(j));
  return x;
}

struct Way {
  std::string_view solver = "block_krylov", op = {};  // the context views them
  Precision precision = Precision::automatic;
  Index threads = 0;
};

inline Context context_of(const Way& way) {
  Context context;
  context.budget.solver_name = way.solver;
  context.budget.operator_name = way.op;
  context.budget.precision = way.precision;
  context.budget.threads = way.threads;
  return context;
}

inline KernelPca fit(const Points& x, const KernelPcaOptions& options, const Way& way = {}) {
  return KernelPca::fit(x, options, context_of(way));
}

}  // namespace mercer::search_fit
