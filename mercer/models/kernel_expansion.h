// KernelExpansion: functions f(x) = A' k(x, .) - b over the rows of a training set, as every method
// with a kernel ends with. The sums go over all training rows, over a few chosen ones, or, where
// k(x, y) = f(x).f(y) with few features, over those. Where affine functions are removed, b is an
// affine function of the row. Of a given matrix of pairs a new row already is k(x, .).
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/state.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"
#include "mercer/operators/affine_basis.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/given.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace mercer {

class KernelExpansion {
 public:
  /// Nothing yet: one of the three below puts the sums in. `centred`: the coefficients of all
  /// training rows add up to 0, so that constants of the kernel do not matter.
  KernelExpansion(Kernel kernel, bool centred) : kernel_(std::move(kernel)), centred_(centred) {}

  /// Over the training rows, one row of coefficients each. `frame`: of the rows.
  void over_rows(Dataset points, Frame frame, Block coefficients, Vector bias);
  /// Over the samples of a given matrix of pairs.
  void over_pairs(Given given, Block coefficients, Vector bias);
  /// Over features or a few chosen rows. `coefficients`: of all rows, for maps that do not reach
  /// every row; `owner` shares its memory, where it is not null.
  void over_features(Scorer scorer, DataView rows, const Dataset* owner, Block coefficients);

  /// Takes out the affine function that the training rows' A'k_x follow.
  void remove_affine(const AffineBasis& basis, const Block& image, DataView rows);
  void set_bias(Vector bias) { bias_ = std::move(bias); }
  /// Of the tiles of its sums; single where the fit was content with it.
  void set_precision(Precision precision) { precision_ = precision; }
  /// Finds out from the points how small all kernel values of a new row must be for it to be out of
  /// reach (W249). Nothing where points are not kept, or the kernel does not fall with the
  /// distance.
  void find_reach(const Context& context);

  const Kernel& kernel() const { return kernel_; }
  const Frame& frame() const { return frame_; }
  Given given() const { return given_; }
  const Dataset& points() const { return points_; }
  /// A; of features empty, or those of a few chosen rows.
  const Block& coefficients() const { return coefficients_; }
  bool has_features() const { return features_ != nullptr; }
  /// How many functions there are.
  Index functions() const { return bias_.size(); }
  /// Name, formula and parameters of the kernel, as in reports.
  Value description() const;

  /// The least |k| with some point that a row within reach has; 0: nothing is known of it.
  double reach() const { return reach_; }

  /// Values at each row, one column for each function. Rows out of reach go to the context.
  Block values(DataView rows, const Context& context) const;
  /// The same as a function for the blocks of one table. `all`: all its rows, for choices that must
  /// not depend on the blocks, or null.
  using Values = std::function<Block(DataView block)>;
  Values values_of_blocks(const DataView* all, const Context& context) const;
  /// Derivative of each function (columns) with respect to the row. Of features by extrapolated
  /// differences, to about 8 digits; else exact to rounding.
  Block gradient(std::span<const double> row, const Context& context) const;
  /// Length of each function in the feature space, b apart: (a'K a)^1/2. Not finite for given
  /// matrices, which are not kept.
  Vector norms(const Context& context) const;

  /// Of some rows, those so far away that nothing is left of the values. `typical`: size of a
  /// training row's values.
  std::vector<Index> far_rows(DataView rows, ConstBlockRef values, const Vector& typical) const;
  /// Numbers that the values of a row take beside it.
  Index copied_numbers(DataView rows) const;
  /// Rows of every block: maps of features choose their way by the number of rows. 0: any.
  Index fixed_block() const { return features_ != nullptr ? Index{1} << 18 : 0; }

  void save(State& state) const;
  /// What save() wrote, for so many training rows, columns and functions. `all_rows`: the sums go
  /// over all training rows. Throws M703.
  static KernelExpansion load(State& state, Index n, Index dim, Index functions, bool all_rows);

 private:
  void load_features(State& state, Index n, Index dim);
  void load_coefficients(const State& state, Index rows);
  void place_points();
  Block less_bias(Block sums, DataView rows) const;
  Block by_features(DataView rows, const Context& context) const;
  Block sums_over_points(DataView rows, const Context& context,
                         std::vector<Index>* missed = nullptr) const;
  Block gradient_of_features(std::span<const double> row, const Context& context) const;

  Kernel kernel_;
  bool centred_;
  bool all_rows_ = true;  // else a few chosen ones stand for all
  Given given_ = Given::table;
  Precision precision_ = Precision::double_;
  double reach_ = 0;
  Frame frame_;
  Dataset points_;
  Block coefficients_;
  Vector bias_;
  AffineFunctions affine_;  // one for each function, where they are removed; else empty
  std::shared_ptr<const FeatureMap> features_;  // or null: kernel sums over the points
  Block weights_;
};

/// Whether tiles come from exact products of small whole numbers.
bool has_integer_tiles(const Kernel& kernel, bool centred, DataView rows, const Context& context);

}  // namespace mercer
