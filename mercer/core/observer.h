// Progress out, cancellation in. Both are plain functions, so that a terminal bar, a Python
// callback and a browser can watch the same fit.
#pragma once

#include <functional>
#include <string_view>

namespace mercer {

/// What a long call is doing now. `done` runs from 0 to 1 within the phase.
struct Progress {
  std::string_view phase;
  double done = 0;
};

struct Observer {
  /// Called from one thread at a time, a few times per second at most is wise.
  std::function<void(const Progress&)> progress;
  /// Asked between tiles from any thread; must be cheap and thread-safe.
  std::function<bool()> cancelled;
  /// The same for the time allowed: what was found until then is returned.
  std::function<bool()> out_of_time;
};

}  // namespace mercer
