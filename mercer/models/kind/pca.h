// PCA and whitening. With centred rows X~ and X~'X~ w = mu w, |w| = 1 (the axes, n lambda = mu):
//   scores             X~ W
//   reconstruction     m + W W'(x - m)
//   whitened           pca: L^-1/2 W'(x - m),   zca: W L^-1/2 W'(x - m),   L = diag(lambda), lambda
//   = mu / n
// The smaller side is solved: the dim x dim covariance, or the n x n Gram matrix with w = X~'u /
// sqrt(mu).
#pragma once

#include "mercer/models/model.h"

namespace mercer {

struct PcaOptions {
  Components components = {};
  Tolerance tolerance = {};
  bool center = true;
  std::string whiten = "none";   // none, pca, zca
  std::string certify = "auto";  // auto, deterministic, probabilistic, none
  Index seed = 0;                // of random starts
};

class Pca final : public Model {
 public:
  static Pca fit(DataView rows, const PcaOptions& options = {}, const Context& context = {});
  static Pca from(const State& state);
  static Plan plan(DataView rows, const PcaOptions& options, const Context& context);

  std::string_view kind() const override { return "pca"; }
  Index score_columns() const override { return whiten_ == "zca" ? report.dim : axes_.cols(); }
  /// W: one unit column per component; the entry of largest magnitude is positive.
  const Block& axes() const { return axes_; }
  const Vector& mean() const { return mean_; }
  /// m + W W'(x - m) of each row.
  Points reconstruct(DataView rows, const Context& context = {}) const;
  std::vector<Index> extrapolated(ConstBlockRef scores) const override;

 protected:
  Block project(DataView rows, const Context& context) const override;
  Index copied_numbers(DataView) const override { return 0; }  // a few rows per thread
  bool has_inverse() const override { return true; }
  Points lift_back(ConstBlockRef scores, const Context& context) const override;
  void save(State& state) const override;

 private:
  Pca() = default;
  Vector deviations() const;

  std::string whiten_ = "none";
  Block axes_;
  Vector mean_, largest_scores_;  // of the training rows, per score column
};

}  // namespace mercer
