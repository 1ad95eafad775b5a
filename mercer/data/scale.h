// Scaling of columns before a method sees them, remembered so that new rows get the same and
// results can be undone. A scaled zero is no zero, so sparse rows become dense here: what that
// takes is checked against the memory budget first.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/choice.h"
#include "mercer/core/state.h"
#include "mercer/core/types.h"
#include "mercer/data/summary.h"
#include "mercer/data/view.h"

#include <array>
#include <string>
#include <string_view>

namespace mercer {

/// none; standard: mean 0, deviation 1; range: into [0, 1]; whiten: uncorrelated columns of
/// deviation 1.
enum class Scaling { none, standard, range, whiten };

inline constexpr std::array<std::string_view, 4> kScalingWords = {"none", "standard", "range",
                                                                  "whiten"};
constexpr ChoiceWords choice_words(Scaling) { return {"scaling", "scalings", kScalingWords}; }

class Scaler {
 public:
  Scaler() = default;
  /// Learns the scaling from training rows; throws M301 where sparse rows written out in full, or
  /// the matrices of whitening, would exceed the budget.
  Scaler(Choice<Scaling> kind, DataView training, const Context& context);
  /// Of columns with these figures, where rows have gaps; throws M102 for whitening, which needs
  /// whole rows.
  Scaler(Choice<Scaling> kind, const Summary& summary);

  /// One of columns whose figures are known: none, standard or range.
  Scaler(Choice<Scaling> kind, const Vector& minimum, const Vector& maximum, const Vector& mean,
         const Vector& deviation);

  const std::string& kind() const { return kind_; }
  bool active() const { return kind_ != "none"; }
  /// Scaled rows, zeros written out; throws M301 as the constructor does.
  Points apply(DataView rows, const Context& context = {}) const;
  /// The scaled value of a column is (x - shift) * factor; whitening mixes these afterwards.
  const Vector& shift() const { return shift_; }
  const Vector& factor() const { return factor_; }
  /// Back to the original units; directions that whitening dropped come back as their mean.
  Points undo(Points rows) const;
  /// Slopes along the columns in their original units, of those along scaled ones (a row each).
  Block slopes(ConstBlockRef of_scaled) const;

  void save(State& state) const;
  /// Throws M703 unless the scaling is one of `dim` columns.
  static Scaler load(const State& state, Index dim);

 private:
  void take(const Vector& minimum, const Vector& maximum, const Vector& mean,
            const Vector& deviation);

  std::string kind_ = "none";
  Vector shift_, factor_;  // (x - shift) * factor
  Points forward_, back_;  // whiten only: applied after the shift
};

}  // namespace mercer
