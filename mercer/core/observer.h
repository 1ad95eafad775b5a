// Progress out, cancellation in. Both are plain functions, so that a terminal bar, a Python
// callback and a browser can watch the same fit.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace mercer {

/// How far a search for eigenpairs is.
struct SearchProgress {
  /// The product with the matrix that is being made, or that was made last; from 1 on.
  std::ptrdiff_t pass = 0;
  std::ptrdiff_t converged = 0;  // of the pairs wanted, those whose residual is small enough
  std::ptrdiff_t wanted = 0;     // pairs
  /// Of the pairs wanted, relative to the largest eigenvalue; infinite before the first pass.
  double worst_residual = std::numeric_limits<double>::infinity();
};

/// What a long call is doing now. `done` runs from 0 to 1 within the phase.
struct Progress {
  std::string_view phase;
  double done = 0;
  /// Where the phase is part of a search for eigenpairs.
  std::optional<SearchProgress> search = {};
};

struct Observer {
  /// Called by one thread at a time and never while the library holds a lock; quick answers keep
  /// the work going.
  std::function<void(const Progress&)> progress;
  /// Asked between tiles from any thread; must be cheap and thread-safe.
  std::function<bool()> cancelled;
  /// The same for the time allowed: what was found until then is returned.
  std::function<bool()> out_of_time;
};

}  // namespace mercer
