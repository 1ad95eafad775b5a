// Options of the methods that choose their number of components by cross-validation, described in
// one place.
#pragma once

#include "mercer/core/choice.h"

#include <array>
#include <string_view>

namespace mercer {

/// Which rows are left out together.
enum class FoldType { random, interleaved, consecutive };

inline constexpr std::array<std::string_view, 3> kFoldTypes = {"random", "interleaved",
                                                               "consecutive"};
constexpr ChoiceWords choice_words(FoldType) { return {"fold type", "fold types", kFoldTypes}; }

/// For options with the members components, folds, fold_type and seed.
template <class Fields, class Options>
void describe_folds(Fields& field, Options& options) {
  field("components", options.components,
        "a count, a share of variance in (0, 1), all, or auto: by cross-validation, the fewest "
        "within one standard error of the best (auto:min: the best)");
  field("folds", options.folds,
        "of the cross-validation; 0: none, or 10 where --components auto asks for it");
  field("fold-type", options.fold_type,
        "rows left out together: random (by --seed), interleaved or consecutive");
  field("seed", options.seed, "of random folds");
}

}  // namespace mercer
