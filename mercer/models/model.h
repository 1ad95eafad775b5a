// Model: what every fitted method has. A model is a value that a fit returns; there is no unfitted
// one. What it can do are its abilities (models/ability.h), which it inherits.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/shared.h"
#include "mercer/core/state.h"
#include "mercer/core/types.h"
#include "mercer/data/scale.h"
#include "mercer/models/report.h"
#include "mercer/models/training.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Puts into an object which columns are used, which are not and why, and what texts became.
void add_columns(const InputInfo& input, Value& value);

/// Names of the arrays of a model that another one stands on begin with this.
inline const std::string kInnerArrays = "on.";
/// Bytes of scores, and of row names, that a model keeps at most for pictures of itself.
constexpr std::uint64_t kMostKept = std::uint64_t{20} << 20;

class Model {
 public:
  virtual ~Model() = default;
  /// The name of its method.
  virtual std::string_view kind() const = 0;
  /// Name of the kernel, its formula and parameters, as in reports; null for methods without one.
  virtual Value kernel_description() const { return {}; }
  /// What it computes, its numbers filled in: a line for each equation, as people write them.
  virtual std::vector<std::string> formulas() const { return {}; }
  /// What people should know of this model besides its figures, in a sentence; mostly nothing.
  virtual std::string remark() const { return {}; }
  /// Whether new rows are values against the training samples, not measurements.
  virtual bool needs_cross_matrix() const { return false; }
  /// Whether new rows may have gaps (NaN), which the model then does without.
  virtual bool takes_gaps() const { return false; }
  /// Whether distances between scores stand for those between rows: maps, drawn with one unit.
  virtual bool keeps_distances() const { return false; }

  /// The training rows as the method saw them, all of them in their order, where the model keeps
  /// them; else null.
  virtual const Dataset* stored_rows() const { return nullptr; }

  /// Throws M713 for another number of columns than new rows must have, where they are values
  /// against the training samples, and M710 elsewhere.
  void check_width(Index columns) const;

  State state() const;
  /// The same for writing it to a file: the arrays are the model's own, which must outlive it.
  State viewed_state() const;
  /// The model as `mercer fit --json` and `mercer info --json` show it.
  Value summary() const;

  /// The model that new rows go into first: this one, or the innermost of those it stands on.
  const Model& first() const { return on != nullptr ? on->first() : *this; }

  Report report;
  InputInfo input;
  Scaler scaler;
  Value options;              // of the fit, all of them
  std::string written_by;     // version of the program that wrote it; empty before it is in a file
  Shared<Block> kept_scores;  // of the training rows, where the model has no other way to them and
                              // they are small (kMostKept); else empty
  std::shared_ptr<const MemoryAccount::Hold> counted;  // what the model takes, where one counts
  /// A model that transforms, whose scores are the rows of this one; or null. New rows are those of
  /// its table.
  std::shared_ptr<const Model> on;

 protected:
  Model() = default;
  // Moved by construction only: abilities share this base, and must not move it twice.
  Model(const Model&) = default;
  Model(Model&&) = default;
  Model& operator=(const Model&) = default;

  /// What the method itself adds to a saved state.
  virtual void save(State& state) const = 0;
  /// Fills in what all models share.
  void load_common(const State& state);
  /// Throws M703 where the report of a loaded model has no spectrum.
  const Spectrum& loaded_spectrum(const State& state) const;

 private:
  State state_with(bool views) const;
};

}  // namespace mercer
