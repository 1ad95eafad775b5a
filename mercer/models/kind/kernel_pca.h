// Kernel PCA. With the centred Gram matrix K~ = H K H and K~ u = mu u, |u| = 1:
//   scores of training rows   sqrt(mu) u
//   coefficients              a = u / sqrt(mu), so that the axis sum_i a_i phi(x_i) has unit length
//   scores of a new row x     y = A' k_x - b,   k_x = (k(x, x_i))_i,   b = A' r,   r = row means of
//   K
// New rows are centred with the training means. Schoelkopf, Smola, Mueller: Nonlinear component
// analysis (1998).
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/model.h"

namespace mercer {

struct KernelPcaOptions {
  Kernel kernel = "gaussian";
  Components components = {};
  double tolerance = 1e-6;
  bool center = true;
  std::string indefinite = "clip";  // clip, flip, shift, krein, error
};

class KernelPca final : public Model {
 public:
  /// Fits; the rows are copied into the model. Throws M230, M231, M233, M242, M244, M301.
  static KernelPca fit(DataView rows, const KernelPcaOptions& options = {},
                       const Context& context = {});
  static KernelPca from(const State& state);
  /// The plan fit() would run, with every candidate.
  static Plan plan(DataView rows, const KernelPcaOptions& options, const Context& context);

  std::string_view kind() const override { return "kernel_pca"; }
  Value kernel() const override { return kernel_.describe(); }
  const Kernel& kernel_value() const { return kernel_; }

  /// A: one column per component.
  const Block& coefficients() const { return coefficients_; }
  /// Scores of the training rows.
  Block scores() const;
  Block training_scores(DataView, const Context&) const override { return scores(); }
  /// Policy krein: the sign of each component's eigenvalue.
  const Vector& signature() const { return signature_; }

 protected:
  Block project(DataView rows, const Context& context) const override;
  void save(State& state) const override;

 private:
  explicit KernelPca(Kernel kernel) : kernel_(std::move(kernel)) {}

  Kernel kernel_;
  bool centered_ = true;
  Dataset points_;
  Block coefficients_;
  Vector bias_, signature_, score_factor_;  // scores = coefficients * score_factor
  Frame frame_;
};

}  // namespace mercer
