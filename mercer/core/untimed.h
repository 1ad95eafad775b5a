// A context without its limit of time: for what must still be done once there is an answer.
#pragma once

#include "mercer/core/budget.h"

#include <utility>

namespace mercer {

/// The same context, whose time never runs out.
inline Context untimed(Context context) {
  context.observer.out_of_time = nullptr;
  return context;
}

}  // namespace mercer
