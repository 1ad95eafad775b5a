// ScoreInverse: the way back from scores to rows, learnt by regression. With Z the scores of the
// training rows X and K = k(Z, Z) for a kernel k between scores,
//     row of scores z = k(z, Z) W,   (K + alpha I) W = X.
// alpha > 0 trades how well the training rows are met for smoothness. The features' mean is in no
// scores, so that with few components rows come back the nearer to 0 the larger alpha is. Bakir,
// Weston, Schoelkopf: Learning to find pre-images (2004).
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/state.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/kernel_expansion.h"

#include <optional>

namespace mercer {

class ScoreInverse {
 public:
  /// Throws M242 where K + alpha I is not positive definite, M301 where it does not fit. Widths of
  /// the kernel that depend on the data are those of the scores.
  static ScoreInverse learn(ConstBlockRef scores, DataView rows, const Kernel& kernel, double alpha,
                            const Context& context);
  /// Throws M301 where there is no room to learn it from so many rows.
  static void check_room(DataView rows, const Context& context);
  /// Throws M102 for kernels that cannot be those between scores.
  static void check_kernel(const Kernel& kernel);

  Points rows(ConstBlockRef scores, const Context& context) const;
  const Kernel& kernel() const { return expansion_.kernel(); }

  /// In a part of the state of its own, and from there: nothing where there is none. Throws M703.
  void save(State& state) const;
  static std::optional<ScoreInverse> load(State& state, Index n, Index dim, Index components);

 private:
  explicit ScoreInverse(KernelExpansion expansion) : expansion_(std::move(expansion)) {}

  KernelExpansion expansion_;
};

}  // namespace mercer
