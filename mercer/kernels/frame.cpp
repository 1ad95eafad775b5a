#include "mercer/kernels/frame.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/core/parallel.h"
#include "mercer/data/summary.h"

namespace mercer {
namespace {

constexpr Index kRows = 1024;
// Below this spread (in units of the width, squared) the Gaussian is 1 - tiny everywhere.
constexpr double kNearlyConstant = 1e-3;
// A priori error of an entry above which distances are summed directly; the bound is (d + 3) u 4 R^2 gamma.
constexpr double kDirectDouble = 1e-11;
constexpr double kDirectSingle = 1e-3;

Vector scaled_mean(DataView points, double scale, const Context& context) {
  const std::vector<Range> chunks = tiles_of(points.n(), kRows);
  std::vector<Vector> sums(chunks.size());
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector row(points.dim()), sum = Vector::Zero(points.dim());
    for (Index i = chunks[static_cast<std::size_t>(t)].begin; i < chunks[static_cast<std::size_t>(t)].end; ++i) {
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
    for (Index i = chunks[static_cast<std::size_t>(t)].begin; i < chunks[static_cast<std::size_t>(t)].end; ++i) {
      points.copy_row(i, row.data());
      most = std::max(most, (row * scale - centre).squaredNorm());
    }
  });
  return largest.empty() ? 0 : std::sqrt(*std::ranges::max_element(largest));
}

// Largest gamma of the kernel's Gaussian factors on scaled rows: how steeply it answers to squared distances.
double steepest(const Kernel& kernel, double scale) {
  double most = 0;
  for (const KernelTerm& term : kernel.terms())
    for (const AnyFamily& family : term.factors)
      if (const auto* gaussian = std::get_if<Gaussian>(&family))
        most = std::max(most, 0.5 / std::pow(gaussian->sigma * scale, 2));
  return most;
}

}  // namespace

Frame make_frame(const Kernel& kernel, DataView points, bool features_centred, const Context& context) {
  Frame frame;
  frame.scale = power_of_two_scale(points, context);
  frame.centre = scaled_mean(points, frame.scale, context);
  frame.radius = scaled_radius(points, frame.scale, frame.centre, context);
  frame.centre_products = features_centred && kernel.only<Linear>() != nullptr;
  const double spread = steepest(kernel, frame.scale) * frame.radius * frame.radius;
  frame.minus_one = features_centred && kernel.only<Gaussian>() != nullptr && spread < kNearlyConstant;
  const double bound = 4 * spread * static_cast<double>(points.dim() + 3);
  frame.direct_double = bound * 0x1p-53 > kDirectDouble;
  frame.direct_single = bound * 0x1p-24 > kDirectSingle;
  return frame;
}

double entry_error(const Kernel& kernel, const Frame& frame, Index dim, Precision precision) {
  const double unit = precision == Precision::single_ ? 0x1p-24 : 0x1p-53;
  const bool direct = precision == Precision::single_ ? frame.direct_single : frame.direct_double;
  const double spread = steepest(kernel, frame.scale) * frame.radius * frame.radius;
  // Rounding errors of a long sum mostly cancel: sqrt(d) where the worst case has d.
  return unit * (4 + (direct ? 0 : 4 * spread * std::sqrt(static_cast<double>(dim + 3))));
}

}  // namespace mercer
