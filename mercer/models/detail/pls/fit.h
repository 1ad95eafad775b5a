// A fit by partial least squares with its cross-validation: as many lanes at a time as memory
// allows, then the number of components.
#pragma once

#include "mercer/models/detail/pls/lanes.h"
#include "mercer/models/detail/regress/folds.h"
#include "mercer/models/detail/regress/targets.h"

#include <functional>
#include <memory>
#include <optional>

namespace mercer::detail {

struct PlsAsked {
  Components components;
  Index limit = 0;  // components there can be
  std::vector<std::vector<Index>> folds;
  double squares = 0;  // |X|_F^2, which shares are of; in the source's unit
};

struct PlsFound {
  PlsLane lane;     // of all rows
  Index count = 0;  // components to keep
  std::optional<HeldOut> held_out;
};

/// How many components to look for. Throws M233 where more were asked for than there can be.
Index most_components_of(const PlsAsked& asked);

/// `source`: makes one, for the fit itself or for folds. Throws M257 where there is no component,
/// M301. Adds W233 where there are fewer than asked.
PlsFound fit_lanes(const std::function<std::unique_ptr<PlsSource>(bool whole)>& source,
                   const PlsAsked& asked, const CentredTargets& targets, Report& report,
                   const Context& context);

/// What every fit shows: components, what they explain, the curve of the cross-validation.
void add_pls_figures(const PlsFound& found, const PlsAsked& asked, const CentredTargets& targets,
                     Report& report, const Context& context);

}  // namespace mercer::detail
