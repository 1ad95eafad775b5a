// FeatureMap: numbers f(x) of a row with k(x, y) = f(x).f(y), exactly or up to a stated error. The
// eigenproblem of the kernel matrix is then that of F'F, whose size does not grow with the rows,
// and scores of new rows are linear in f: what a model keeps does not grow with them either.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/state.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/kernel.h"

#include <memory>
#include <string_view>
#include <vector>

namespace mercer {

class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  /// As model files name it.
  virtual std::string_view name() const = 0;
  virtual Index width() const = 0;
  /// Columns that a row has.
  virtual Index dim() const = 0;
  /// f(x)'w of every row x: rows.n() x w.cols(), w has width() rows.
  virtual Block times(DataView rows, ConstBlockRef w, const Context& context) const = 0;
  /// Whether the stated error holds for rows like this one; models keep the training rows of maps
  /// that do not cover every row, and sum over them for the others.
  virtual bool covers(const double* /*row*/) const { return true; }
  virtual bool covers_all() const { return true; }
  /// Adds to values["features"] and to arrays whose names begin with "feature_".
  virtual void save(State& state) const = 0;

 protected:
  FeatureMap() = default;
  FeatureMap(const FeatureMap&) = default;
  FeatureMap& operator=(const FeatureMap&) = default;
};

/// What scores new rows without all training rows: y = f(x)'weights - bias. Where there is no map,
/// f are the kernel's values against a few training rows.
struct Scorer {
  std::shared_ptr<const FeatureMap> features;
  std::vector<Index> landmarks;
  Block weights;
  Vector bias;
};

/// Rows of a view as features see them: times a power of two, less a centre.
struct Placement {
  double scale = 1;
  Vector centre;  // subtracted after scaling

  Points rows(DataView view, Range part) const;
};

/// The map that save() wrote; throws M703 where its numbers do not fit together. `kernel`: the
/// model's, resolved.
std::shared_ptr<const FeatureMap> load_features(const State& state, const Kernel& kernel,
                                                Index dim);

}  // namespace mercer
