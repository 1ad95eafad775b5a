#include "mercer/models/detail/nested_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace mercer::detail {
namespace {

constexpr double kNoDensity = -std::numeric_limits<double>::infinity();

double density_left_out(const Pca& all, Index n, DataView left_out, Index k,
                        const Context& context) {
  const Spectrum& spectrum = *all.report.spectrum;
  const Index dim = left_out.dim();
  if (k >= std::min(spectrum.eigenvalues.size(), dim)) return kNoDensity;
  const auto rows = static_cast<double>(n);
  const double noise =
      (spectrum.trace - spectrum.eigenvalues.head(k).sum()) / rows / static_cast<double>(dim - k);
  if (!(noise > 0)) return kNoDensity;
  return isotropic_gaussian(all.axes().leftCols(k), spectrum.eigenvalues.head(k) / rows, all.mean(),
                            noise)
      .log_density(left_out, context)
      .sum();
}

}  // namespace

FactorGaussian isotropic_gaussian(const Block& axes, const Vector& variances, const Vector& mean,
                                  double noise) {
  return {axes * (variances.array() - noise).max(0).sqrt().matrix().asDiagonal(), mean,
          Vector::Constant(axes.rows(), noise)};
}

LearnAndAsk nested_models(PcaOptions options, const Context& context) {
  options.components = Components::all();
  return [options, &context](DataView learnt, DataView left_out) -> LeftOutDensity {
    const auto all = std::make_shared<const Pca>(Pca::fit(learnt, options, context));
    return [all, n = learnt.n(), left_out, &context](Index k) {
      return density_left_out(*all, n, left_out, k, context);
    };
  };
}

}  // namespace mercer::detail
