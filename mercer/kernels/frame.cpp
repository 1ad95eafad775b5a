#include "mercer/kernels/frame.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"
#include "mercer/data/summary.h"
#include "mercer/kernels/framed_family.h"
#include "mercer/linalg/twofold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr Index kRows = 1024;  // of a task: enough to be worth a thread
// Below this spread (in units of the width, squared) the Gaussian is 1 - tiny everywhere.
constexpr double kNearlyConstant = 1e-3;
// A priori error of an entry above which distances are summed directly; the bound is (d + 3) u 4
// R^2 |dk / d r2|, with 4 sqrt(d + 3) for d + 3 in float.
constexpr double kDirectDouble = 1e-11;
constexpr double kDirectSingle = 1e-3;

// Calls use(part, row) for every row of every chunk, times the scale; parts are in order.
template <class Part, class Use>
std::vector<Part> over_rows(DataView points, double scale, const Part& empty,
                            const Context& context, const Use& use) {
  const std::vector<Range> chunks = tiles_of(points.n(), kRows);
  std::vector<Part> parts(chunks.size(), empty);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector row(points.dim());
    const Range chunk = chunks[static_cast<std::size_t>(t)];
    for (Index i = chunk.begin; i < chunk.end; ++i) {
      points.copy_row(i, row.data());
      row *= scale;
      use(parts[static_cast<std::size_t>(t)], row);
    }
  });
  return parts;
}

Vector scaled_mean(DataView points, double scale, const Context& context) {
  Vector total = Vector::Zero(points.dim());
  for (const Vector& sum :
       over_rows(points, scale, total, context, [](Vector&part, const Vector&row) { part += row; }))
    total += sum;
  return total / static_cast<double>(std::max<Index>(1, points.n()));
}

double scaled_radius(DataView points, double scale, const Vector& centre, const Context& context) {
  double most = 0;
  const auto use = [&](double& part, const Vector& row) {
    part = std::max(part, (row - centre).squaredNorm());
  };
  for (const double part : over_rows(points, scale, 0.0, context, use)) most = std::max(most, part);
  return std::sqrt(most);
}

// Places for the columns of sparse rows that hold anything: of many columns most are empty.
class ColumnSlots {
 public:
  explicit ColumnSlots(DataView points) : count_(points.dim()) {
    if (points.dim() <= points.stored()) return;
    for (Index i = 0; i < points.n(); ++i) {
      const SparseRow row = points.sparse_row(i);
      used_.insert(used_.end(), row.columns, row.columns + row.count);
    }
    std::ranges::sort(used_);
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
    compact_ = true;
    count_ = static_cast<Index>(used_.size());
  }
  Index count() const { return count_; }
  Index of(std::int32_t column) const {
    return compact_ ? std::ranges::lower_bound(used_, column) - used_.begin() : column;
  }

 private:
  bool compact_ = false;
  Index count_;
  std::vector<std::int32_t> used_;  // ascending
};

// Sparse rows stay where they are: moved ones would have no zeros left. Their distances are those
// of the spread all the same, which an offset may exceed by any factor.
void measure_sparse(DataView points, Frame& frame) {
  const ColumnSlots slots(points);
  Vector mean = Vector::Zero(slots.count());
  double reach = 0;
  for (Index i = 0; i < points.n(); ++i) {
    const SparseRow row = points.sparse_row(i);
    double squares = 0;
    for (Index k = 0; k < row.count; ++k) {
      const double value = row.values[k] * frame.scale;
      squares += value * value;
      mean[slots.of(row.columns[k])] += value;
    }
    reach = std::max(reach, squares);
  }
  mean /= static_cast<double>(std::max<Index>(1, points.n()));
  // Columns that a row leaves out count by the squares of their means: the sum of all, less those
  // of the row.
  const auto square = [&](Index slot) { return exact_product(mean[slot], mean[slot]); };
  Twofold all;
  for (Index j = 0; j < slots.count(); ++j) all = all + square(j);
  double most = 0;
  for (Index i = 0; i < points.n(); ++i) {
    const SparseRow row = points.sparse_row(i);
    Twofold rest = all;
    double squares = 0;
    for (Index k = 0; k < row.count; ++k) {
      const Index slot = slots.of(row.columns[k]);
      const double moved = row.values[k] * frame.scale - mean[slot];
      squares += moved * moved;
      rest = rest - square(slot);
    }
    most = std::max(most, squares + std::max(0.0, rest.value()));
  }
  frame.reach = std::sqrt(reach);
  frame.radius = std::sqrt(most);
}

// How steeply a radial family answers to squared distances on rows of this scale: |dk / d r2| at
// most, relative to the largest value; differences over a geometric grid up to the diameter, less
// what rounding alone could make of them.
double steepness(const AnyFamily& family, const Frame& frame) {
  return visit_family(
      [&](const auto& f) {
        if (f.traits.form != Form::radial) return 0.0;
        if constexpr (requires { f.steep_at_zero; }) return HUGE_VAL;
        // Of what tiles compute: where nearly all of k is its diagonal, the rest has its own
        // steepness.
        auto scaled = in_frame(f, frame);
        const auto value = [&](double squared) {
          return static_cast<double>(scaled(PairTerms<double>{0, squared, 0}));
        };
        double most = 0, squared = 4 * frame.radius * frame.radius, upper = value(squared);
        // Near 1, so that small ones do not lose their digits by the units of the rows.
        if constexpr (requires { scaled.over(1.0); })
          if (std::isnormal(upper)) {
            scaled = scaled.over(std::ldexp(1.0, std::ilogb(upper)));
            upper = value(squared);
          }
        double largest = std::max(std::abs(value(0)), std::abs(upper));
        // To the end of the range: beside an outlier the width may be any small part of the radius.
        while (squared / 2 > 0) {
          const double lower = value(squared / 2);
          const double noise = 8 * 0x1p-53 * std::max(std::abs(lower), std::abs(upper));
          most = std::max(most, (std::abs(lower - upper) - noise) / (squared / 2));
          largest = std::max(largest, std::abs(lower));
          squared /= 2;
          upper = lower;
        }
        return largest > 0 ? most / largest : 0.0;
      },
      family);
}

// Change of a kernel value over the length of the rows at the steepest place; the Gaussian's is
// gamma R^2 where they are moved to their mean.
double spread_of(const Kernel& kernel, const Frame& frame) {
  double most = 0;
  for (const KernelTerm& term : kernel.terms())
    for (const AnyFamily& family : term.factors) most = std::max(most, steepness(family, frame));
  return frame.reach > 0 ? most * frame.reach * frame.reach : 0;
}

}  // namespace

namespace {

// What families see of two rows at opposite ends of the data.
PairTerms<double> farthest(const Frame& frame, Index dim) {
  const double diameter = 2 * frame.radius;
  return {frame.reach * frame.reach, diameter * diameter,
          diameter * std::sqrt(static_cast<double>(dim))};
}

// A single family whose diagonal is a constant that centring removes, and better left out: because
// nearly all of every value is that constant, or because the kernel has no meaning uncentred.
bool better_less_diagonal(const Kernel& kernel, const Frame& frame, Index dim) {
  if (kernel.terms().size() != 1 || kernel.terms()[0].factors.size() != 1) return false;
  return visit_family(
      [&](const auto& f) {
        if constexpr (requires { f.less_diagonal; }) {
          if (!f.traits.unit_diagonal) return true;
          return 1 - f.rescaled(frame.scale)(farthest(frame, dim)) < 4 * kNearlyConstant;
        } else {
          return false;
        }
      },
      kernel.terms()[0].factors[0]);
}

}  // namespace

Frame make_frame(const Kernel& kernel, DataView points, bool features_centred,
                 const Context& context) {
  Frame frame;
  // The centre; of dense rows also a sum for each task, and a row for each thread.
  const auto dim = static_cast<std::uint64_t>(points.dim());
  const auto tasks = static_cast<std::uint64_t>((points.n() + kRows - 1) / kRows);
  const auto threads = static_cast<std::uint64_t>(thread_count(context.budget));
  const auto hold = context.hold(
      sizeof(double) * (points.sparse()
                            ? std::min(dim, 2 * static_cast<std::uint64_t>(points.stored()))
                            : dim * (2 + tasks + std::min(tasks, threads))),
      "sums of the columns");
  frame.scale = power_of_two_scale(points, context);
  frame.dim = points.dim();
  if (points.sparse()) {
    measure_sparse(points, frame);
  } else {
    frame.centre = scaled_mean(points, frame.scale, context);
    frame.radius = frame.reach = scaled_radius(points, frame.scale, frame.centre, context);
  }
  frame.centre_products = features_centred && kernel.only<Linear>() != nullptr && !points.sparse();
  frame.less_offset = features_centred && std::ranges::all_of(kernel.terms(), [](const auto& term) {
                        return term.factors.size() == 1;
                      });
  frame.less_diagonal = features_centred && better_less_diagonal(kernel, frame, points.dim());
  const auto terms = static_cast<double>(points.dim() + 3);
  const double bound = 4 * spread_of(kernel, frame);
  frame.direct_double = bound * terms * 0x1p-53 > kDirectDouble;
  // The likely error of a sum of d terms, not the worst: that of float tiles is measured
  // afterwards.
  frame.direct_single = bound * 4 * std::sqrt(terms) * 0x1p-24 > kDirectSingle;
  return frame;
}

void check_range(const Kernel& kernel, const Frame& frame, Index n) {
  double most = 0;
  for (const KernelTerm& term : kernel.terms()) {
    double product = std::abs(term.weight);
    for (const AnyFamily& family : term.factors)
      product *= visit_family(
          [&](const auto& f) {
            // Dot products are largest on the diagonal, which is looked at by itself.
            const bool unbounded = !f.traits.unit_diagonal && f.traits.form != Form::dot &&
                                   f.traits.form != Form::angle;
            const PairTerms<double> pair = farthest(frame, frame.dim);
            return unbounded ? size_at(in_frame(f, frame), pair) : 1.0;
          },
          family);
    most += product;
  }
  const double limit = 1e300 / std::max(1.0, static_cast<double>(n));
  if (most <= limit) return;  // also refuses NaN
  throw Error(ErrorCode::kernel_overflows,
              fmt::format("the kernel of the rows that are farthest apart is {:.3g}: too large to "
                          "work with",
                          most),
              "scale the columns (--scale)");
}

double entry_error(const Kernel& kernel, const Frame& frame, Index dim, Precision precision,
                   bool exact_products) {
  const double unit = precision == Precision::single_ ? 0x1p-24 : 0x1p-53;
  if (exact_products) return 4 * unit;
  const bool direct = precision == Precision::single_ ? frame.direct_single : frame.direct_double;
  const double spread = spread_of(kernel, frame);
  // Rounding errors of a long sum mostly cancel: sqrt(d) where the worst case has d.
  return unit * (4 + (direct ? 0 : 4 * spread * std::sqrt(static_cast<double>(dim + 3))));
}

}  // namespace mercer
