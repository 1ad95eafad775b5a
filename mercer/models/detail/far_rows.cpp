#include "mercer/models/detail/far_rows.h"

#include "mercer/kernels/framed_family.h"
#include "mercer/linalg/safe_norm.h"
#include "mercer/models/detail/kernel_reach.h"

#include <algorithm>
#include <cmath>

namespace mercer::detail {
namespace {

constexpr double kFar = 10, kLargestError = 1e-6;

// |k| of a row and any training row at most, from the length of the row, moved and as it is.
double largest_kernel(const Kernel& kernel, const Frame& frame, double moved, double plain) {
  const double centre = frame.centre.size() > 0 ? frame.centre.norm() : 0;
  const double distance = moved + frame.reach;
  const double product =
      frame.centre_products ? moved * frame.reach : plain * (frame.reach + centre);
  const PairTerms<double> pair{product, distance * distance,
                               distance * std::sqrt(static_cast<double>(frame.dim))};
  double most = 0;
  for (const KernelTerm& term : kernel.terms()) {
    double value = std::abs(term.weight);
    for (const AnyFamily& family : term.factors)
      value *= visit_family(
          [&](const auto& f) {
            if (f.traits.form == Form::angle) return 1.0;
            return std::abs(static_cast<double>(in_frame(f, frame)(pair)));
          },
          family);
    most += value;
  }
  return most;
}

// The length of a row as it is, and about the centre from which tiles measure. Sparse rows are not
// moved, nor written out.
struct RowLength {
  double plain, moved;
};

RowLength length_of(DataView rows, Index i, const Frame& frame, Vector& scratch) {
  if (rows.sparse()) {
    const SparseRow row = rows.sparse_row(i);
    const double length = frame.scale * safe_norm(Eigen::Map<const Vector>(row.values, row.count));
    return {length, length};
  }
  scratch.resize(rows.dim());
  rows.copy_row(i, scratch.data());
  scratch *= frame.scale;
  const double plain = safe_norm(scratch);
  if (frame.centre.size() > 0) scratch -= frame.centre;
  return {plain, safe_norm(scratch)};
}

}  // namespace

std::vector<Index> far_rows(const ScoreTerms& terms, DataView rows, ConstBlockRef scores) {
  const Frame& frame = terms.frame;
  std::vector<Index> found;
  if (is_bounded(terms.kernel)) return found;
  Vector lengths, scratch;
  const double unit = terms.precision == Precision::single_ ? 0x1p-24 : 0x1p-53;
  const double relative = unit * (4 + std::sqrt(static_cast<double>(rows.dim())));
  for (Index i = 0; i < rows.n(); ++i) {
    const auto [plain, moved] = length_of(rows, i, frame, scratch);
    if (!(moved > kFar * frame.reach)) continue;
    if (lengths.size() == 0) lengths = terms.coefficients.colwise().norm().transpose();
    // Errors of pairs are as good as independent.
    const double error = relative * largest_kernel(terms.kernel, frame, moved, plain);
    for (Index j = 0; j < scores.cols(); ++j) {
      const double size = std::max(std::abs(scores(i, j)), terms.typical[j]);
      if (error * lengths[j] <= kLargestError * size) continue;
      found.push_back(i);
      break;
    }
  }
  return found;
}

}  // namespace mercer::detail
