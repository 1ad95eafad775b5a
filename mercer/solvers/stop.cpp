#include "mercer/solvers/stop.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

namespace mercer {

bool Stop::out_of_time() const {
  return reason == StopReason::out_of_time || reason == StopReason::time_in_reduction ||
         reason == StopReason::time_in_vectors || reason == StopReason::time_in_residuals;
}

std::string Stop::words() const {
  switch (reason) {
    case StopReason::reached:
      return "";
    case StopReason::out_of_time:
      return "the time allowed ran out";
    case StopReason::time_in_reduction:
      return fmt::format("the time allowed ran out after {} of {} columns of the reduction",
                         grouped(count), grouped(total));
    case StopReason::time_in_vectors:
      return "the time allowed ran out while vectors were made";
    case StopReason::time_in_residuals:
      return "the time allowed ran out while residuals were measured";
    case StopReason::passes_used_up:
      return fmt::format("{} passes were not enough", count);
    case StopReason::too_flat:
      return fmt::format("{} passes were not enough: the spectrum is too flat", count);
    case StopReason::rounding:
      return "rounding allows no smaller residuals";
    case StopReason::ghosts:
      return fmt::format("{} steps lost orthogonality: ghosts, and not all of the pairs", count);
    case StopReason::not_factored:
      return "no shift near an eigenvalue could be factored";
    case StopReason::missed:
      return "eigenvalues beyond the last component were counted that no pass has found";
    case StopReason::inseparable:
      return "what lies outside the computed space is as large as the last component: the spectrum "
             "is too flat to exclude a missed one";
    case StopReason::not_converged:
      return "not converged";
    case StopReason::float_tiles:
      return "float tiles round more than a first look at them showed";
  }
  return "";
}

}  // namespace mercer
