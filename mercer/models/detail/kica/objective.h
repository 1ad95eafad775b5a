// The contrast of kernel ICA as a function of the directions w (K x K, orthonormal) of whitened
// rows z (n x K): its value and its slopes along the turns of w, for landmarks that stay while a
// search takes a step and are chosen again where they leave too much.
#pragma once

#include "mercer/models/detail/kica/contrast.h"
#include "mercer/models/detail/kica/features.h"

namespace mercer::detail {

struct KicaSettings {
  Dependence kind = Dependence::kgv;
  double sigma = 1, kappa = 2e-2;
  double share = 1e-4;  // of a trace that landmarks may leave
};

class KicaObjective {
 public:
  /// Views rows and context, which must outlive it.
  KicaObjective(ConstBlockRef z, const KicaSettings& settings, const Context& context)
      : z_(z), settings_(settings), context_(context) {}

  struct Point {
    Block w;
    double value = 0;
    FeatureSums sums = {};
  };

  /// Chooses landmarks for the sources z w' and looks at them; throws M301 where there is no memory
  /// for so many.
  Point begin(const Block& w);
  /// With the landmarks there are.
  Point at(const Block& w) const;
  /// Whether they leave more than twice of what they may at this point.
  bool worn(const Point& point) const;
  /// The derivative of the value at exp(antisymmetric(angles)) w by the angles, at 0.
  Vector slopes(const Point& point) const;
  /// Landmarks of all sources together.
  Index width() const { return features_.width(); }

 private:
  double c() const { return static_cast<double>(z_.rows()) * settings_.kappa / 2; }

  Eigen::Ref<const Block> z_;
  KicaSettings settings_;
  const Context& context_;
  Features features_;
  MemoryAccount::Hold held_;
};

}  // namespace mercer::detail
