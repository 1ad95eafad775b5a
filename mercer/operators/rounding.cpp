#include "mercer/operators/rounding.h"

#include "mercer/core/parallel.h"
#include "mercer/data/row_moments.h"
#include "mercer/data/row_panels.h"
#include "mercer/kernels/entry_bound.h"
#include "mercer/linalg/safe_norm.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/given_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr double kUnitRoundoff = 0x1p-53;
// Entries are centred, or vectors are, with a few roundings of numbers as large as the entries.
constexpr double kCentring = 8;
constexpr Index kRows = 256;  // of a task

// Units of rounding of a sum of n products, made in blocks of at most 1024 whose sums are added.
double depth_of(double n) { return std::min(n, 1024.0) + n / 128 + 8; }

// |K|_F of a matrix that was given, or of the kernel that its entries stand for.
double norm_of_given(const GramProblem& problem, const Context& context) {
  const std::vector<Range> parts = tiles_of(problem.points.n(), kRows);
  Vector norms = Vector::Zero(static_cast<Index>(parts.size()));
  parallel_for(context, norms.size(), [&](Index t) {
    Vector row(problem.points.dim());
    for (Index i = parts[static_cast<std::size_t>(t)].begin;
         i < parts[static_cast<std::size_t>(t)].end; ++i) {
      problem.points.copy_row(i, row.data());
      kernel_of_entries(problem.given, problem.kernel,
                        {row.data(), static_cast<std::size_t>(row.size())});
      norms[t] = std::hypot(norms[t], safe_norm(row));
    }
  });
  return safe_norm(norms);
}

// Distances that are given are arguments of the kernel as sums of one difference are.
Frame frame_of_distances(const GramProblem& problem, const Context& context) {
  double largest = 0;
  Vector row(problem.points.dim());
  for (Index i = 0; i < problem.points.n(); ++i) {
    if (i % kRows == 0) context.check_cancelled();
    problem.points.copy_row(i, row.data());
    largest = std::max(largest, row.maxCoeff());
  }
  if (problem.given == Given::squared_distance) largest = std::sqrt(largest);
  Frame frame;
  frame.dim = 1;
  frame.radius = frame.reach = largest / 2;
  frame.direct_double = true;
  return frame;
}

// Entries of K are not made where scores are by axes: rows are moved, each by a unit of itself, and
// products of columns summed panel after panel. Sparse rows stay where they are, and their mean is
// taken out of the products.
double bound_by_axes(const GramProblem& problem, const SymmetricOperator& gram,
                     const FactoredOperator& factor, const Context& context) {
  const RowMoments& moments = *problem.facts.moments;
  const auto n = static_cast<double>(problem.points.n());
  const auto rows = static_cast<double>(panel_rows(problem.points.dim()));
  double trace = gram.diagonal(context).sum() * factor.gram_factor();
  if (problem.points.sparse() && moments.squares.sum() > 0)
    trace *= 1 + n * moments.mean.squaredNorm() / moments.squares.sum();
  return kUnitRoundoff *
         (std::min(n, rows) + n / rows + depth_of(static_cast<double>(gram.size())) + 16) * trace;
}

}  // namespace

double rounding_bound(const GramProblem& problem, const SymmetricOperator& gram,
                      const Context& context) {
  const auto n = static_cast<double>(problem.points.n());
  const bool of_distances = is_of_distances(problem.given, problem.kernel);
  if (problem.given != Given::table &&
      !of_distances)  // halves are averaged, distances squared: 4 units
    return kUnitRoundoff * (4 + 4 * kCentring + depth_of(n)) * norm_of_given(problem, context) /
           gram.unit();
  if (problem.facts.moments != nullptr && gram.factored() != nullptr)
    return bound_by_axes(problem, gram, *gram.factored(), context);
  const Frame frame =
      of_distances ? frame_of_distances(problem, context) : frame_of(problem, context);
  EntryBound entry =
      entry_bound(problem.kernel, frame, Precision::double_, problem.facts.integer_tiles);
  entry.error /= gram.unit();
  entry.largest /= gram.unit();
  const double entries = n * (entry.error + kCentring * kUnitRoundoff * entry.largest);
  // |K| of the magnitudes, by which an error of a product grows: n max|K|, or the trace of a factor
  // with itself.
  if (const auto* factor = gram.factored()) {
    const auto width = static_cast<double>(gram.size());
    const double trace = gram.diagonal(context).sum() * factor->gram_factor();
    return entries + kUnitRoundoff * (depth_of(n) + depth_of(width)) * trace;
  }
  return entries + kUnitRoundoff * depth_of(n) * n * entry.largest;
}

}  // namespace mercer
