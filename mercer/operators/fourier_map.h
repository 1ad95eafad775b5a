// The features of a Fourier series for rows anywhere: the series holds up to the kernel's cutoff
// beyond the box of the training rows, and farther away the kernel is below the error allowed, so
// the answer there is 0.
#pragma once

#include "mercer/linalg/nonuniform_fft.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/fourier_series.h"

namespace mercer {

class FourierMap final : public FeatureMap {
 public:
  struct Parts {
    FourierKernel kernel;
    Placement placement;  // its centre is that of the box
    Vector reach;         // rows with |x_i| beyond it are far
    FourierShape shape;
    double tolerance = 1e-9;  // of the transforms
  };

  /// For training rows with |x_i| <= half_i once placed, and new ones anywhere.
  static Parts parts_for(const FourierKernel& kernel, Placement placement, const Vector& half,
                         double eps);
  explicit FourierMap(Parts parts) : parts_(std::move(parts)) {}
  /// What save() wrote.
  static std::shared_ptr<const FourierMap> from(const State& state, Index dim);

  std::string_view name() const override { return "fourier"; }
  Index width() const override { return static_cast<Index>(parts_.shape.count()); }
  Index dim() const override { return parts_.shape.dim; }
  Block times(DataView rows, ConstBlockRef w, const Context& context) const override;
  void save(State& state) const override;

  const Parts& parts() const { return parts_; }

 private:
  bool far(const double* row) const;
  /// Some rows as the transform reads them: those that are far stand in the middle of the box.
  void place(DataView rows, Range part, double* to) const;
  Block direct(DataView rows, ConstModeRef modes, Index columns, const Context& context) const;

  Parts parts_;
};

}  // namespace mercer
