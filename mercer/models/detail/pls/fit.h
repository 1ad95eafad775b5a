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
  bool standard_targets = false;  // each over its deviation, in folds over that of their own rows
  double squares = 0;             // |X|_F^2, which shares are of; in the source's unit
};

struct PlsFound {
  PlsLane lane;     // of all rows
  Index count = 0;  // components to keep
  std::optional<HeldOut> held_out;
};

/// How many components to look for. Throws M233 where more were asked for than there can be.
Index most_components_of(const PlsAsked& asked);

/// Where the fit and the folds get their weights from.
struct PlsSources {
  std::function<std::unique_ptr<PlsSource>()> whole;  // of the fit itself
  std::function<std::unique_ptr<PlsSource>()> folds;  // of all folds together
  /// In place of that where each fold scales the columns by itself: calls `use` with its source.
  std::function<void(const std::vector<Index>& left_out,
                     const std::function<void(PlsSource&)>& use)>
      fold = {};
};

/// Throws M257 where there is no component, M301. Adds W233 where there are fewer than asked.
PlsFound fit_lanes(const PlsSources& sources, const PlsAsked& asked, const CentredTargets& targets,
                   Report& report, const Context& context);

/// What every fit shows: components, what they explain, the curve of the cross-validation.
void add_pls_figures(const PlsFound& found, const PlsAsked& asked, const CentredTargets& targets,
                     Report& report, const Context& context);

}  // namespace mercer::detail
