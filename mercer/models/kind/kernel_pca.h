// Kernel PCA. With the centred Gram matrix K~ = H K H and K~ u = mu u, |u| = 1:
//   scores of training rows   sqrt(mu) u
//   coefficients              a = u / sqrt(mu), so that the axis sum_i a_i phi(x_i) has unit length
//   scores of a new row x     y = A' k_x - b,   k_x = (k(x, x_i))_i,   b = A' r,   r = row means of
//   K
// New rows are centred with the training means. Kernels that are conditionally positive definite of
// order 2 (thin plate splines) have all affine functions (1, x) removed instead of the mean: then b
// is an affine function of the new row. Instead of a table the rows may be a kernel or distance
// matrix; new rows are then values against the training samples. Schoelkopf, Smola, Mueller:
// Nonlinear component analysis (1998).
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/model.h"
#include "mercer/operators/affine_basis.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/given.h"
#include "mercer/solvers/eigen.h"

namespace mercer {

struct KernelPcaOptions {
  Kernel kernel = "gaussian";
  Components components = {};
  Tolerance tolerance = {};
  bool center = true;
  std::string indefinite = "clip";   // clip, flip, shift, krein, error
  std::string nullspace = "affine";  // removed for thin plate splines: affine, or constant alone
  std::string as = "table";          // what the rows are: table, kernel, distance, squared-distance
  std::string certify = "auto";      // auto, deterministic, probabilistic, none
  Index seed = 0;                    // of random starts
  const Dataset* owner = nullptr;    // of the rows: shared by the model; null: they are copied
};

class KernelPca final : public Model {
 public:
  /// Fits; the rows are copied into the model (a given matrix is not), or shared with their owner.
  /// Throws M230 to M233, M240 to M245, M301.
  static KernelPca fit(DataView rows, const KernelPcaOptions& options = {},
                       const Context& context = {});
  static KernelPca from(State state);
  /// The plan fit() would run, with every candidate.
  static Plan plan(DataView rows, const KernelPcaOptions& options, const Context& context);

  std::string_view kind() const override { return "kernel_pca"; }
  Value kernel() const override;
  const Kernel& kernel_value() const { return kernel_; }

  /// A: one column per component; of fits through features empty, or those of a few chosen rows.
  const Block& coefficients() const { return coefficients_; }
  /// Scores of the training rows. Fits through features do not save them: a model that was loaded
  /// throws M703, and transform() gives them again.
  Block scores() const;
  void training_score_blocks(DataView rows, const Context& context,
                             const TakeRows& take) const override;
  bool needs_cross_matrix() const override { return given_ != Given::table; }
  /// Policy krein: the sign of each component's eigenvalue.
  const Vector& signature() const { return signature_; }

 protected:
  Block project(DataView rows, const Context& context) const override;
  Projection projection(const DataView* all, const Context& context) const override;
  std::vector<Index> doubtful_rows(DataView rows, ConstBlockRef scores) const override;
  Index copied_numbers(DataView rows) const override;
  /// Maps of features choose their way by the number of rows.
  Index fixed_block() const override { return features_ != nullptr ? Index{1} << 18 : 0; }
  void save(State& state) const override;

 private:
  explicit KernelPca(Kernel kernel) : kernel_(std::move(kernel)) {}
  static KernelPca begun(const State& state);
  static KernelPca from_features(State& state, KernelPca model);
  void load_coefficients(const State& state, Index rows);
  void keep(Scorer scorer, DataView rows, const Dataset* owner, EigenResult& eigen);
  void keep_affine(const AffineBasis& basis, const Block& image, DataView rows);
  Block centred(Block sums, DataView rows) const;
  void place_points();
  Block project_by_features(DataView rows, const Context& context) const;

  Kernel kernel_;
  bool centered_ = true;
  Given given_ = Given::table;
  Dataset points_;
  Block coefficients_;
  AffineFunctions affine_;  // one for each component, where they are removed; else empty
  Vector bias_, signature_, score_factor_;  // scores = coefficients * score_factor
  Frame frame_;
  std::shared_ptr<const FeatureMap> features_;  // or null: kernel sums over the points
  Block weights_, scores_;
};

}  // namespace mercer
