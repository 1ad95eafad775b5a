#include "mercer/kernels/frame.h"

#include "mercer/core/parallel.h"
#include "mercer/data/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr Index kRows = 1024;
// Below this spread (in units of the width, squared) the Gaussian is 1 - tiny everywhere.
constexpr double kNearlyConstant = 1e-3;
// A priori error of an entry above which distances are summed directly; the bound is (d + 3) u 4
// R^2 |dk / d r2|.
constexpr double kDirectDouble = 1e-11;
constexpr double kDirectSingle = 1e-3;

Vector scaled_mean(DataView points, double scale, const Context& context) {
  const std::vector<Range> chunks = tiles_of(points.n(), kRows);
  std::vector<Vector> sums(chunks.size());
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector row(points.dim()), sum = Vector::Zero(points.dim());
    for (Index i = chunks[static_cast<std::size_t>(t)].begin;
         i < chunks[static_cast<std::size_t>(t)].end; ++i) {
      points.copy_row(i, row.data());
      sum += row * scale;
    }
    sums[static_cast<std::size_t>(t)] = sum;
  });
  Vector total = Vector::Zero(points.dim());
  for (const Vector& sum : sums) total += sum;
  return total / static_cast<double>(std::max<Index>(1, points.n()));
}

double scaled_radius(DataView points, double scale, const Vector& centre, const Context& context) {
  const std::vector<Range> chunks = tiles_of(points.n(), kRows);
  std::vector<double> largest(chunks.size(), 0);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector row(points.dim());
    double& most = largest[static_cast<std::size_t>(t)];
    for (Index i = chunks[static_cast<std::size_t>(t)].begin;
         i < chunks[static_cast<std::size_t>(t)].end; ++i) {
      points.copy_row(i, row.data());
      most = std::max(most, (row * scale - centre).squaredNorm());
    }
  });
  return largest.empty() ? 0 : std::sqrt(*std::ranges::max_element(largest));
}

// How steeply a radial family answers to squared distances, |dk / d r2| at most, on rows of this
// scale: differences over a geometric grid up to the diameter, less what rounding alone could make
// of them.
double steepness(const AnyFamily& family, double scale, double radius) {
  return visit_family(
      [&](const auto& f) {
        if (f.traits.form != Form::radial) return 0.0;
        const auto scaled = f.rescaled(scale);
        const auto value = [&](double squared) {
          return static_cast<double>(scaled(PairTerms<double>{0, squared}));
        };
        double most = 0, squared = 4 * radius * radius, upper = value(squared);
        // To the end of the range: beside an outlier the width may be any small part of the radius.
        while (squared > 0) {
          const double lower = value(squared / 2);
          const double noise = 8 * 0x1p-53 * std::max(std::abs(lower), std::abs(upper));
          most = std::max(most, (std::abs(lower - upper) - noise) / (squared / 2));
          squared /= 2;
          upper = lower;
        }
        return most;
      },
      family);
}

// Change of a kernel value over the radius of the data at the steepest place; the Gaussian's is
// gamma R^2.
double spread_of(const Kernel& kernel, const Frame& frame) {
  double most = 0;
  for (const KernelTerm& term : kernel.terms())
    for (const AnyFamily& family : term.factors)
      most = std::max(most, steepness(family, frame.scale, frame.radius));
  return most * frame.radius * frame.radius;
}

}  // namespace

Frame make_frame(const Kernel& kernel, DataView points, bool features_centred,
                 const Context& context) {
  Frame frame;
  frame.scale = power_of_two_scale(points, context);
  frame.centre = scaled_mean(points, frame.scale, context);
  frame.radius = scaled_radius(points, frame.scale, frame.centre, context);
  frame.centre_products = features_centred && kernel.only<Linear>() != nullptr;
  const double spread = spread_of(kernel, frame);
  frame.minus_one =
      features_centred && kernel.only<Gaussian>() != nullptr && spread < kNearlyConstant;
  const double bound = 4 * spread * static_cast<double>(points.dim() + 3);
  frame.direct_double = bound * 0x1p-53 > kDirectDouble;
  frame.direct_single = bound * 0x1p-24 > kDirectSingle;
  return frame;
}

double entry_error(const Kernel& kernel, const Frame& frame, Index dim, Precision precision) {
  const double unit = precision == Precision::single_ ? 0x1p-24 : 0x1p-53;
  const bool direct = precision == Precision::single_ ? frame.direct_single : frame.direct_double;
  const double spread = spread_of(kernel, frame);
  // Rounding errors of a long sum mostly cancel: sqrt(d) where the worst case has d.
  return unit * (4 + (direct ? 0 : 4 * spread * std::sqrt(static_cast<double>(dim + 3))));
}

}  // namespace mercer
